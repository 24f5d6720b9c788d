"""Captures the Anthropic requests that LiteLLM makes of the real SDK's and keeps them in tests/fixtures/anthropic_requests/.

    write_anthropic_requests.py

One file per case: the SDK's LLM fields, the messages and tools that it was given, and the path, headers and body that
reached the server. What of a body is not ours is listed in tests/llm/anthropic_requests.rs.
The bodies for the conversations of tests/fixtures/sdk-<version>/ are in one file, anthropic_conversations.json.
"""

from __future__ import annotations

import json
from importlib.metadata import version

from captured import FIXTURES, NotSent, capture, for_models, write, write_all  # first: it sets up the environment

from openhands.sdk.llm.message import ImageContent, Message, RedactedThinkingBlock, ThinkingBlock

from scripted_claude import ScriptedClaude
from write_chat_requests import AFTER_TOOL, FULL, LONG_TOOL_TEXT, PIXEL, SHORT, TOOLS, call, result, text

KEPT_HEADERS = ("x-api-key", "authorization", "content-type", "anthropic-version", "anthropic-beta")

SYSTEM = Message(role="system", content=[text("Static instructions."), text("Dynamic context.")])
THOUGHT = ThinkingBlock(thinking="Two thoughts are needed.", signature="c2lnbmVk")


def user(*content) -> Message:
    return Message(role="user", content=list(content))


def assistant(*content, calls=None, blocks=()) -> Message:
    return Message(role="assistant", content=list(content), tool_calls=calls, thinking_blocks=list(blocks))


THINKING = [
    SYSTEM,
    user(text("Think.")),
    assistant(
        text("I will."),
        blocks=[THOUGHT, RedactedThinkingBlock(data="b3BhcXVl")],
        calls=[call("toolu_1", "think", '{"thought": "one", "n": 1.50}'), call("toolu_2", "think", "")],
    ),
    result("toolu_1", text("Noted.")),
    result("toolu_2", text("[An error occurred during execution.]\n"), text("No.")),
    assistant(blocks=[ThinkingBlock(thinking="", signature="b21pdHRlZA==")], calls=[call("toolu_3", "think", "{}")]),
    result("toolu_3", text("A picture:"), ImageContent(image_urls=[PIXEL]), ImageContent(image_urls=["https://pictures.example/a.png"])),
    assistant(text("Done.")),
    user(text("Again."), ImageContent(image_urls=["https://pictures.example/b.png", PIXEL])),
]
FOREIGN = [
    SYSTEM,
    user(text("Hi")),
    assistant(
        text("One."),
        blocks=[ThinkingBlock(thinking="unsigned", signature=None), ThinkingBlock(thinking="signed empty", signature="")],
        calls=[call("call.with:odd/chars é", "think", '{"thought": "a"}'), call("chatcmpl-tool-1|fc_2", "think", '{"thought": "b"}')],
    ),
    result("call.with:odd/chars é", text("a")),
    result("chatcmpl-tool-1|fc_2", text("b")),
    assistant(text("Two.")),
    assistant(text("Three.")),
    user(text("Go on.")),
]
UNANSWERED = [SYSTEM, user(text("Hi")), assistant(text("Now."), calls=[call("a", "think", "{}"), call("b", "think", "{}")]), result("b", text("B")), user(text("Go on."))]
LAST_UNANSWERED = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "{}")])]
ORPHANED = [SYSTEM, user(text("Hi")), result("nowhere", text("Left.")), assistant(text("Hm.")), user(text("Go on."))]
TWICE = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "{}")]), result("a", text("first")), result("a", text("second"))]
ID_AGAIN = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "{}")]), result("a", text("1")), assistant(calls=[call("a", "think", "{}")]), result("a", text("2"))]
BETWEEN = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "{}"), call("b", "think", "{}")]), result("a", text("A")), user(text("Hurry.")), result("b", text("B"))]
EMPTY = [
    Message(role="system", content=[text(""), text("Only this.")]),
    user(text("")),
    assistant(text("")),
    user(text(" \n"), text("Hi")),
    assistant(),
    user(text("Still there?"), text("")),
]
ENDS_WITH_ASSISTANT = [SYSTEM, user(text("Begin a poem.")), assistant(text("Roses are  \n"))]
BEGINS_WITH_ASSISTANT = [SYSTEM, assistant(text("Welcome.")), user(text("Hi"))]
NO_USER = [SYSTEM]
EMPTY_RESULT = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "{}")]), result("a", text(""))]
LATER_SYSTEM = [SYSTEM, user(text("Hi")), assistant(text("Hello.")), Message(role="system", content=[text("Be brief.")]), user(text("Go on."))]
LIST_ARGUMENTS = [SYSTEM, user(text("Hi")), assistant(calls=[call("a", "think", "[1]")]), result("a", text("Error."))]

MODELS = """
claude-3-5-sonnet-20241022 claude-3-5-haiku-20241022 claude-sonnet-4-20250514 claude-opus-4-20250514
claude-opus-4-1-20250805 claude-haiku-4-5 claude-haiku-4-5-20251001 claude-sonnet-4-5-20250929 claude-sonnet-4-5 claude-sonnet-4-6
claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-fable-5 claude-sonnet-5 my-own-model
"""
SONNET, ADAPTIVE, PLAIN = "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-8", "anthropic/claude-3-5-sonnet-20241022"

VARIANTS = [
    ("caching-after-a-tool", SONNET, AFTER_TOOL, {}),
    ("caching-after-a-tool-of-an-adaptive-model", ADAPTIVE, AFTER_TOOL, {}),
    ("no-caching", SONNET, SHORT, {"caching_prompt": False}),
    ("one-piece", SONNET, SHORT, {"stream": False}),
    ("blind-by-choice", SONNET, FULL, {"disable_vision": True}),
    ("long-tool-text", SONNET, LONG_TOOL_TEXT, {}),
    ("strings-forced", SONNET, FULL, {"force_string_serializer": True}),
    ("sampling", PLAIN, SHORT, {"temperature": 0.3, "top_p": 0.9}),
    ("sampling-of-a-thinking-model", SONNET, SHORT, {"temperature": 0.3, "top_p": 0.9}),
    ("sampling-of-an-adaptive-model", ADAPTIVE, SHORT, {"temperature": 0.3, "top_p": 0.9}),
    ("output-limit", SONNET, SHORT, {"max_output_tokens": 100}),
    ("output-limit-of-an-unknown-model", "anthropic/my-own-model", SHORT, {"max_output_tokens": 100}),
    ("output-limit-of-an-adaptive-model", ADAPTIVE, SHORT, {"max_output_tokens": 100}),
    ("output-limit-of-an-effort-budget", "anthropic/claude-opus-4-1", SHORT, {"max_output_tokens": 2000}),
    ("effort-none", SONNET, THINKING, {"reasoning_effort": "none"}),
    ("effort-none-of-an-adaptive-model", ADAPTIVE, THINKING, {"reasoning_effort": "none"}),
    ("effort-none-of-an-always-thinking-model", "anthropic/claude-fable-5", SHORT, {"reasoning_effort": "none"}),
    ("effort-low", "anthropic/claude-opus-4-1", SHORT, {"reasoning_effort": "low"}),
    ("effort-medium", "anthropic/claude-opus-4-5", SHORT, {"reasoning_effort": "medium"}),
    ("effort-xhigh", "anthropic/claude-opus-4-1", SHORT, {"reasoning_effort": "xhigh"}),
    ("effort-xhigh-of-an-adaptive-model", ADAPTIVE, SHORT, {"reasoning_effort": "xhigh"}),
    ("effort-low-of-an-adaptive-model", ADAPTIVE, SHORT, {"reasoning_effort": "low"}),
    ("effort-low-of-a-budget-model", SONNET, SHORT, {"reasoning_effort": "low"}),
    ("thinking", SONNET, THINKING, {}),
    ("thinking-of-an-adaptive-model", ADAPTIVE, THINKING, {}),
    ("thinking-of-a-model-that-does-not", PLAIN, THINKING, {}),
    ("foreign-ids-and-signatures", SONNET, FOREIGN, {}),
    ("foreign-signatures-in-a-loop", SONNET, FOREIGN[:5], {}),
    ("foreign-signatures-in-a-loop-of-an-adaptive-model", ADAPTIVE, FOREIGN[:5], {}),
    ("thinking-in-a-loop", SONNET, THINKING[:7], {}),
    ("thinking-in-a-loop-switched-off", ADAPTIVE, THINKING[:7], {"reasoning_effort": "none"}),
    ("foreign-ids-and-signatures-without-thinking", PLAIN, FOREIGN, {}),
    ("unanswered", SONNET, UNANSWERED, {}),
    ("unanswered-at-the-end", SONNET, LAST_UNANSWERED, {}),
    ("orphaned-result", SONNET, ORPHANED, {}),
    ("answered-twice", SONNET, TWICE, {}),
    ("id-used-again", SONNET, ID_AGAIN, {}),
    ("user-between-results", SONNET, BETWEEN, {}),
    ("empty-texts", PLAIN, EMPTY, {}),
    ("ends-with-assistant", PLAIN, ENDS_WITH_ASSISTANT, {}),
    ("begins-with-assistant", PLAIN, BEGINS_WITH_ASSISTANT, {}),
    ("no-user", PLAIN, NO_USER, {}),
    ("empty-result", PLAIN, EMPTY_RESULT, {}),
    ("later-system", SONNET, LATER_SYSTEM, {}),
    ("list-arguments", SONNET, LIST_ARGUMENTS, {}),
]


def captured(model: str, messages: list[Message], tools, fields: dict) -> dict:
    server = ScriptedClaude([[{"type": "text", "text": "ok"}]])
    return capture(server, {"model": model, "stream": True, **fields}, messages, tools, headers=KEPT_HEADERS, with_path=True)


def of_conversations() -> dict[str, dict]:
    """By directory: what is sent for the messages that the SDK makes of a conversation."""
    bodies = {}
    for expected in sorted(FIXTURES.glob(f"sdk-{version('openhands-sdk')}/*/*.expected.json")):
        messages = json.loads(expected.read_text(encoding="utf-8")).get("messages")
        if not messages:
            continue
        directory = expected.relative_to(FIXTURES).as_posix().removesuffix(".expected.json")
        try:
            bodies[directory] = captured(SONNET, [Message.model_validate(message) for message in messages], None, {})["body"]
        except NotSent as error:
            print("not sent for", directory, error)
    return bodies


def main() -> None:
    cases = [(name, f"anthropic/{model}", *case) for name, model, *case in for_models(MODELS, FULL, TOOLS, {})]
    cases += [(name, model, messages, TOOLS, fields) for name, model, messages, fields in VARIANTS]
    cases += [("no-tools", SONNET, SHORT, None, {}), ("calls-without-tools", SONNET, THINKING, None, {})]
    write_all("anthropic_requests", cases, captured)
    write(FIXTURES / "anthropic_conversations.json", of_conversations())


if __name__ == "__main__":
    main()
