"""Captures the Responses API requests that the real SDK sends and keeps them in tests/fixtures/responses_requests/.

    write_responses_requests.py

The files are as those of write_chat_requests.py; tests/llm/responses_requests.rs lists what of a body is LiteLLM's alone.
"""

from __future__ import annotations

from captured import capture, for_models, write_all  # first: it sets up the environment

from openhands.sdk.llm.message import ImageContent, Message, MessageToolCall, ReasoningItemModel, ThinkingBlock

from scripted_model import ScriptedModel
from write_chat_requests import PIXEL, SHORT, TOOLS, text


def call(call_id: str, arguments: str, item: str | None = None) -> MessageToolCall:
    return MessageToolCall(id=call_id, responses_item_id=item, name="think", arguments=arguments, origin="responses" if item else "completion")


def result(call_id: str, *content) -> Message:
    return Message(role="tool", content=list(content), tool_call_id=call_id, name="think")


def reasoning(item: str | None, encrypted: str | None, **more) -> ReasoningItemModel:
    return ReasoningItemModel(id=item, summary=["Two thoughts.", "Café ☕"], encrypted_content=encrypted, **more)


# What a conversation over the Responses API comes to: every request for it is taken by the provider.
FULL = [
    Message(role="system", content=[text("Static instructions.\n"), text("Dynamic context: café ☕ \u2028 ")]),
    Message(role="user", content=[text("Look at this."), ImageContent(image_urls=[PIXEL, "https://example.org/a.png"])]),
    Message(
        role="assistant",
        content=[text("I will think twice.")],
        tool_calls=[call("call_1", '{"thought": "one"}', "fc_1"), call("call_2", '{"thought": "\\u00e9"}', "fc_2")],
        responses_reasoning_item=reasoning("rs_1", "ZW5jcnlwdGVk", status="completed"),
    ),
    result("call_1", text("Noted.")),
    result("call_2", text("Noted, too.")),
    Message(role="assistant", content=[], tool_calls=[call("call_3", "{}", "fc_3")], responses_reasoning_item=reasoning("rs_2", "ZW4=", content=["So it is."])),
    result("call_3", text("A picture.")),
    Message(role="assistant", content=[text("Hm.")], responses_reasoning_item=reasoning("rs_3", "ZQ==")),
    Message(role="user", content=[text("Go on."), text("Please.")]),
]
# What came from elsewhere before the model was changed.
FROM_CHAT = [
    *SHORT,
    Message(role="assistant", content=[text("Well.")], reasoning_content="Shown thoughts.", tool_calls=[call("call_a", "{}"), call("toolu_01abc", "{}")]),
    result("call_a", text("Noted.")),
    result("toolu_01abc", text("Noted.")),
    Message(role="assistant", content=[text("Hm.")], thinking_blocks=[ThinkingBlock(thinking="deep", signature="sig")]),
    Message(role="system", content=[text("  More instructions.  "), text("")]),
    Message(role="user", content=[]),
]
WITHOUT_IDS = [
    *SHORT,
    Message(role="assistant", content=[text("Hm.")], responses_reasoning_item=reasoning(None, "ZW4=")),
    Message(role="user", content=[text("Go on.")]),
]
TWO_RESULTS = [*SHORT, Message(role="assistant", content=[], tool_calls=[call("call_1", "{}", "fc_1")]), result("call_1", text("[An error occurred during execution.]\n"), text("Out of thoughts."))]
PICTURES = [*SHORT, Message(role="assistant", content=[], tool_calls=[call("call_1", "{}", "fc_1")]), result("call_1", ImageContent(image_urls=[PIXEL]))]
LONG_TOOL_TEXT = [*SHORT, Message(role="assistant", content=[], tool_calls=[call("call_1", "{}", "fc_1")]), result("call_1", text("é" * 20_000 + "x" * 30_010))]
UNENCRYPTED = [*SHORT, Message(role="assistant", content=[text("Hm.")], responses_reasoning_item=reasoning("rs_1", None)), Message(role="user", content=[text("Go on.")])]
ONLY_USER = [Message(role="user", content=[text("Hi"), text("")])]
BLANKS = [*SHORT, Message(role="assistant", content=[text(""), text(" ")]), Message(role="assistant", content=[]), Message(role="user", content=[text("Go on.")])]

MODELS = """
openai/gpt-5 openai/gpt-5-2025-08-07 openai/gpt-5-mini openai/gpt-5-nano openai/gpt-5-codex openai/gpt-5.1 openai/gpt-5.2 gpt-5
openai/o3 openai/o4-mini openai/gpt-4.1 openai/gpt-4.1-mini gpt-4.1 openai/gpt-4o gpt-4o openai/some-local-model
openrouter/openai/gpt-5 openrouter/openai/gpt-5-mini litellm_proxy/gpt-5 litellm_proxy/gpt-5-mini litellm_proxy/gpt-4.1 openhands/gpt-5
xai/grok-code-fast-1 hosted_vllm/openai/gpt-oss-120b
"""

VARIANTS = [
    ("from-chat", "openai/gpt-5", FROM_CHAT, {}),
    ("reasoning-without-an-id", "openai/gpt-5", WITHOUT_IDS, {}),
    ("reasoning-without-encrypted-content", "openai/gpt-5", UNENCRYPTED, {}),
    ("two-texts-of-a-tool", "openai/gpt-5", TWO_RESULTS, {}),
    ("a-picture-of-a-tool", "openai/gpt-5", PICTURES, {}),
    ("long-tool-text", "openai/gpt-5", LONG_TOOL_TEXT, {}),
    ("only-a-user", "openai/gpt-5", ONLY_USER, {}),
    ("blank-answers", "openai/gpt-5", BLANKS, {}),
    ("blind-by-choice", "openai/gpt-5", FULL, {"disable_vision": True}),
    ("one-piece", "openai/gpt-5", SHORT, {"stream": False}),
    ("reasoning-effort-low", "openai/gpt-5", SHORT, {"reasoning_effort": "low"}),
    ("reasoning-effort-none", "openai/gpt-5.1", SHORT, {"reasoning_effort": "none"}),
    ("reasoning-summary", "openai/gpt-5", SHORT, {"reasoning_summary": "detailed"}),
    ("no-encrypted-reasoning", "openai/gpt-5", FULL, {"enable_encrypted_reasoning": False}),
    ("cache-not-kept", "openai/gpt-5", SHORT, {"prompt_cache_retention": None}),
    ("cache-kept-in-memory", "openai/gpt-5", SHORT, {"prompt_cache_retention": "in_memory"}),
    ("sampling", "gpt-4.1", SHORT, {"temperature": 0.3, "top_p": 0.9}),
    ("sampling-of-a-reasoning-model", "openai/gpt-5-mini", SHORT, {"temperature": 0.0, "top_p": 1.0}),
    ("output-limit", "openai/gpt-5", SHORT, {"max_output_tokens": 100}),
    ("output-limit-below-the-least", "openai/gpt-5", SHORT, {"max_output_tokens": 5}),
    ("alias", "openai/my-alias", FULL, {"model_canonical_name": "gpt-5"}),
]


def captured(model: str, messages: list[Message], tools, fields: dict) -> dict:
    given = {"model": model, "api_mode": "responses", "stream": True, **fields}
    return capture(ScriptedModel([{"output": []}]), given, messages, tools, over="responses")


def main() -> None:
    cases = for_models(MODELS, FULL, TOOLS, {})
    cases += [(name, model, messages, TOOLS, fields) for name, model, messages, fields in VARIANTS]
    cases += [("no-tools", "openai/gpt-5", SHORT, None, {})]
    write_all("responses_requests", cases, captured)


if __name__ == "__main__":
    main()
