"""Captures what the real SDK does for a model that calls no tools by itself (`native_tool_calling=False`).

    write_text_tools_requests.py

tests/fixtures/text_tools_requests/ gets one file per request, in the form of write_chat_requests.py, with marks where the
SDK tells of the tools and gives its example (our_words.py).
tests/fixtures/text_tools_answers.json gets what the SDK reads out of answers: the text and the calls, or the words of
the `FunctionCallValidationError` that it gives back to the model.
"""

from __future__ import annotations

import json
import logging

from captured import FINISH, FIXTURES, THINK, Described, capture, for_models, write, write_all  # first: it sets up the environment

from openhands.sdk import LLM
from openhands.sdk.llm.exceptions import FunctionCallValidationError
from openhands.sdk.llm.message import ImageContent, Message
from pydantic import SecretStr

from scripted_model import ScriptedModel
from write_chat_requests import PIXEL, SHORT, call, result, text

ANSWERS = FIXTURES / "text_tools_answers.json"
logging.disable(logging.CRITICAL)


def named(name: str) -> Described:
    return Described(name, f"Does {name}.", {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]})


def own(properties: dict, required: tuple[str, ...] = ()) -> Described:
    return Described("own", "Made for this.\nOn two lines.", {"type": "object", "properties": properties, "required": list(required)})


SCHEMAS = own(
    {
        "plain": {"type": "string", "description": "A text: é."},
        "blank": {"type": "string", "description": "  "},
        "nothing": {},
        "listed": {"type": ["string", "null"], "description": "Two types."},
        "chosen": {"type": "string", "enum": ["a", "b c", "é"], "description": "One of three."},
        "mixed": {"enum": [1, 2.5, 1e20, True, None, "x"]},
        "any_of": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}], "description": "Or."},
        "one_of": {"oneOf": [{"type": "object", "properties": {"x": {"type": "number"}, "any": True}}, {"enum": ["y"], "description": "Only y."}]},
        "all_of": {"allOf": [{"$ref": "#/$defs/T"}]},
        "array": {"type": "array"},
        "tuple": {"type": "array", "items": [{"type": "string"}, {"type": "array", "items": {"type": "boolean"}}]},
        "objects": {
            "type": "array",
            "description": "Things.",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Its name."},
                    "sizes": {"type": "array", "items": {"type": "number"}, "description": "Sizes."},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        },
        "open": {"type": "object", "additionalProperties": True},
        "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "empty": {"type": "object", "properties": {}},
    },
    ("plain", "objects"),
)

ONE_CALL = [
    *SHORT,
    Message(role="assistant", content=[text("I think.")], reasoning_content="Deep.", tool_calls=[call("toolu_01", "think", '{"thought": "one"}')]),
    result("toolu_01", text("Noted.")),
]
VALUES = {
    "text": "plain",
    "lines": "one\ntwo",
    "blank": "",
    "yes": True,
    "no": False,
    "none": None,
    "whole": 12,
    "negative": -7,
    "fraction": 1.5,
    "large": 1e20,
    "tiny": 1e-7,
    "list": [1, "é", {"a": None}],
    "object": {"k": "v\n", "n": 2.0},
    "tags": "<b>&\u2028</b>",
}
CALLS = [
    *SHORT,
    Message(role="assistant", content=[], tool_calls=[call("a", "own", json.dumps(VALUES))]),
    result("a", text("First."), text("Second.")),
    Message(role="assistant", content=[text(" \n")], tool_calls=[call("b", "own", "{}")]),
    result("b"),
    Message(role="assistant", content=[text("One."), text("Two.")], tool_calls=[call("c", "own", '{"x": "y"}')]),
    result("c", ImageContent(image_urls=[PIXEL])),
    Message(role="assistant", content=[text("Said.")]),
    Message(role="user", content=[text("Go on."), text("")]),
    Message(role="assistant", content=[]),
    Message(role="user", content=[ImageContent(image_urls=[PIXEL]), text("See?")]),
]
IMAGE_FIRST = [SHORT[0], Message(role="user", content=[ImageContent(image_urls=[PIXEL])])]
LONG = [*SHORT, Message(role="assistant", content=[], tool_calls=[call("a", "think", "{}")]), result("a", text("é" * 20_000 + "x" * 30_010))]
NO_SYSTEM = [Message(role="user", content=[text("Hi")]), Message(role="user", content=[text("again")])]
DEFAULTS = [FINISH, THINK]

MODELS = """
openai/gpt-4o openai/gpt-5 openai/gpt-5.1 openai/o3 openai/o4-mini openai/claude-sonnet-4-5 openai/some-local-model openai/devstral-small openai/nemotron
deepseek/deepseek-chat deepseek/deepseek-reasoner hosted_vllm/qwen3 lm_studio/qwen openrouter/anthropic/claude-sonnet-4.5
groq/openai/gpt-oss-120b mistral/mistral-large-latest litellm_proxy/claude-sonnet-4-5-20250929 litellm_proxy/some-alias
moonshot/kimi-k2.6 xai/grok-code-fast-1 together_ai/moonshotai/Kimi-K2-Instruct fireworks_ai/accounts/fireworks/models/kimi-k2p5
"""

CASES = [
    *for_models(MODELS, ONE_CALL, DEFAULTS, {}),
    ("values-in-lists", "openai/gpt-4o", CALLS, [SCHEMAS, *DEFAULTS], {}),
    ("values-in-strings", "openai/some-local-model", CALLS, [SCHEMAS, *DEFAULTS], {}),
    ("cached-lists", "openai/claude-sonnet-4-5", CALLS, [SCHEMAS], {}),
    ("cached-after-a-result", "litellm_proxy/claude-sonnet-4-5", ONE_CALL, DEFAULTS, {}),
    ("cached-after-an-image", "litellm_proxy/claude-sonnet-4-5", CALLS[:8], DEFAULTS, {}),
    ("no-caching", "openai/claude-sonnet-4-5", ONE_CALL, DEFAULTS, {"caching_prompt": False}),
    ("blind-by-choice", "openai/gpt-4o", CALLS, DEFAULTS, {"disable_vision": True}),
    ("image-first", "openai/gpt-4o", IMAGE_FIRST, DEFAULTS, {}),
    ("one-tool", "openai/some-local-model", SHORT, [named("terminal")], {}),
    ("no-system-message", "openai/some-local-model", NO_SYSTEM, DEFAULTS, {}),
    ("no-tools", "openai/some-local-model", SHORT, None, {}),
    ("no-tools-and-eyes", "openai/gpt-4o", SHORT, None, {}),
    ("long-tool-text", "openai/some-local-model", LONG, DEFAULTS, {}),
    ("one-piece", "openai/gpt-4o", SHORT, DEFAULTS, {"stream": False}),
]


def captured(model: str, messages: list[Message], tools, fields: dict) -> dict:
    given = {"model": model, "api_mode": "chat", "native_tool_calling": False, "stream": True, **fields}
    return capture(ScriptedModel([{"content": "ok"}]), given, messages, tools, add_security_risk_prediction=True)


def schemas_of(tools) -> list[dict]:
    return [tool.to_openai_tool(add_security_risk_prediction=True)["function"] for tool in tools or []]


CALLED = own(
    {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "string"}},
        "choice": {"type": "string", "enum": ["a", "b"]},
        "level": {"type": "integer", "enum": [1, 2]},
        "untyped": {},
    },
    ("text",),
)
FREE = Described("free", "Takes anything.", {"type": "object"})
ANSWER_TOOLS = [CALLED, FREE, named("terminal"), named("file_editor")]

# Named by what they show. None of them may be changed to fit: they are questions to the SDK.
TEXTS = {
    "no-call": "Just words.",
    "whole": "I will.\n\n<function=own>\n<parameter=text>hello</parameter>\n</function>",
    "stopped-at-the-stop-word": "I will.\n<function=own>\n<parameter=text>hello</parameter>\n",
    "half-a-closing-tag": "<function=own>\n<parameter=text>hello</parameter>\n</",
    "stop-word-left-in": "<function=own>\n<parameter=text>hello</parameter>\n</function",
    "on-one-line": "Go: <function=own><parameter=text>hello</parameter></function>",
    "words-behind": "<function=own>\n<parameter=text>hello</parameter>\n</function>\nDone, I think.",
    "lines-in-a-value": "<function=own>\n<parameter=text>\nfirst\n  second\n</parameter>\n<parameter=count>3</parameter>\n</function>",
    "whole-number": "<function=own>\n<parameter=text>x</parameter>\n<parameter=count> +0_12 </parameter>\n</function>",
    "negative-zero": "<function=own>\n<parameter=text>x</parameter>\n<parameter=count>-0</parameter>\n</function>",
    "no-whole-number": "<function=own>\n<parameter=text>x</parameter>\n<parameter=count>1.5</parameter>\n</function>",
    "no-digit-between": "<function=own>\n<parameter=text>x</parameter>\n<parameter=count>1__2</parameter>\n</function>",
    "list": '<function=own>\n<parameter=text>x</parameter>\n<parameter=list>["a", "é", 1.0]</parameter>\n</function>',
    "list-that-is-an-object": '<function=own>\n<parameter=text>x</parameter>\n<parameter=list>{"a":1}</parameter>\n</function>',
    "no-list": "<function=own>\n<parameter=text>x</parameter>\n<parameter=list>a, b</parameter>\n</function>",
    "chosen": "<function=own>\n<parameter=text>x</parameter>\n<parameter=choice>b</parameter>\n<parameter=level>2</parameter>\n</function>",
    "not-to-be-chosen": "<function=own>\n<parameter=text>x</parameter>\n<parameter=choice>c</parameter>\n</function>",
    "no-such-level": "<function=own>\n<parameter=text>x</parameter>\n<parameter=level>3</parameter>\n</function>",
    "untyped": "<function=own>\n<parameter=text>x</parameter>\n<parameter=untyped>[1]</parameter>\n</function>",
    "parameter-twice": "<function=own>\n<parameter=text>x</parameter>\n<parameter=text>y</parameter>\n</function>",
    "missing-parameter": "<function=own>\n<parameter=count>1</parameter>\n</function>",
    "open-parameter": "<function=own>\n<parameter=text>hel",
    "open-parameter-behind-a-whole-one": "<function=own>\n<parameter=text>hello</parameter>\n<parameter=count>1",
    "unknown-parameter": "<function=own>\n<parameter=text>x</parameter>\n<parameter=nothing>y</parameter>\n</function>",
    "unknown-function": "<function=nothing>\n<parameter=text>x</parameter>\n</function>",
    "no-parameters": "<function=free>\n</function>",
    "any-parameter": "<function=free>\n<parameter=a>1</parameter>\n<parameter=b c>é\u2028</parameter>\n</function>",
    "old-name-of-a-shell": "<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>",
    "old-name-of-an-editor": "<function=str_replace_editor>\n<parameter=command>view</parameter>\n</function>",
    "equals-sign-for-a-bracket": "<function=terminal>\n<parameter=command=ls -l</parameter>\n</function>",
    "end-of-thinking": "Hm.</think>\n\n<function=own>\n<parameter=text>x</parameter>\n</function>",
    "tool-call-tags": "Go.\n<tool_call>\n<function=own>\n<parameter=text>x</parameter>\n</function>\n</tool_call>",
    "tags-in-a-value": "<function=own>\n<parameter=text><b>x</b> </think> <tool_call></parameter>\n</function>",
    "two-calls": "<function=own>\n<parameter=text>x</parameter>\n</function>\n<function=free>\n</function>",
    "second-call-open": "<function=own>\n<parameter=text>x</parameter>\n</function>\n<function=free>\n",
    "marker-in-an-open-call": "<function=terminal>\n<parameter=command>grep '<function=' a.txt</parameter>\n",
    "name-never-ends": "Look: <function=own",
    "no-name": "Look: <function=>x</function>",
    "marker-in-words": "Calls begin with <function= and so on.",
    "spaces-around": "  \n Well.  \n\n <function=free></function> ",
    "surrogate-in-a-value": "<function=own>\n<parameter=text>\U0001f600 \\n \"quoted\"</parameter>\n</function>",
}


def read_back(words: str) -> dict:
    server = ScriptedModel([{"content": words}])
    llm = LLM(
        model="openai/some-local-model", api_mode="chat", native_tool_calling=False, stream=False,
        base_url=server.base_url, api_key=SecretStr("sk-fixture"), num_retries=0, usage_id="agent",
    )  # fmt: skip
    try:
        message = llm.completion(ONE_CALL, ANSWER_TOOLS, add_security_risk_prediction=True).message
    except FunctionCallValidationError as error:
        return {"answer": words, "error": str(error)}
    finally:
        server.close()
    calls = [[one.id, one.name, one.arguments] for one in message.tool_calls or []]
    return {"answer": words, "content": [part.text for part in message.content], "tool_calls": calls}


def main() -> None:
    write_all("text_tools_requests", CASES, captured)
    history = [message.model_dump(mode="json", exclude_none=True) for message in ONE_CALL]
    # The history is parsed too, so the tool that it calls has to be there.
    ANSWER_TOOLS.append(THINK)
    answers = {name: read_back(words) for name, words in TEXTS.items()}
    write(ANSWERS, {"messages": history, "tools": schemas_of(ANSWER_TOOLS), "answers": answers})


if __name__ == "__main__":
    main()
