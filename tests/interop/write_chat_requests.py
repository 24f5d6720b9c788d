"""Captures the Chat Completions requests that the real SDK sends and keeps them in tests/fixtures/chat_requests/.

    write_chat_requests.py

One file per case: the SDK's LLM fields, the messages and tools that it was given, and the path, headers and body that
reached the server. The bodies are what LiteLLM made of the SDK's own request; tests/llm/chat_requests.rs lists what of
that is LiteLLM's alone.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL", HF_HUB_OFFLINE="1")
warnings.simplefilter("ignore")

from openhands.sdk import LLM  # noqa: E402 - the environment above has to come first
from openhands.sdk.llm.llm import LLMCallContext  # noqa: E402
from openhands.sdk.llm.message import ImageContent, Message, MessageToolCall, TextContent, ThinkingBlock  # noqa: E402
from openhands.sdk.tool.builtins import FinishTool, ThinkTool  # noqa: E402
from pydantic import SecretStr  # noqa: E402

from scripted_model import ScriptedModel  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "chat_requests"
CONVERSATION = "6f3c5a0e-0000-4000-8000-000000000001"
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
KEPT_HEADERS = ("authorization", "api-key", "content-type", "anthropic-beta", "x-litellm-session-id", "http-referer", "x-title")


def text(words: str) -> TextContent:
    return TextContent(text=words)


def call(call_id: str, name: str, arguments: str) -> MessageToolCall:
    return MessageToolCall(id=call_id, name=name, arguments=arguments, origin="completion")


def result(call_id: str, *content) -> Message:
    return Message(role="tool", content=list(content), tool_call_id=call_id, name="think")


FULL = [
    Message(role="system", content=[text("Static instructions."), text("Dynamic context: café ☕ \u2028")]),
    Message(role="user", content=[text("Look at this."), ImageContent(image_urls=[PIXEL, PIXEL])]),
    Message(
        role="assistant",
        content=[text(" \n"), text("I will think twice.")],
        reasoning_content="Two thoughts are needed.",
        tool_calls=[call("call_1", "think", '{"thought": "one"}'), call("call_2", "think", '{"thought": "\\u00e9"}')],
    ),
    result("call_1", text("Noted.")),
    result("call_2", text("[An error occurred during execution.]\n"), text("Out of thoughts.")),
    Message(role="assistant", content=[text(" ")], tool_calls=[call("call_3", "think", "{}"), call("call_4", "think", "{}")]),
    result("call_3", text("A picture:"), ImageContent(image_urls=[PIXEL])),
    result("call_4", ImageContent(image_urls=[PIXEL])),
    Message(role="assistant", content=[]),
    Message(role="assistant", content=[text("Hm.")], thinking_blocks=[ThinkingBlock(thinking="deep", signature="sig")]),
    Message(role="user", content=[text("Go on."), text("")]),
]
SHORT = [Message(role="system", content=[text("Be brief.")]), Message(role="user", content=[text("Hi")])]
AFTER_TOOL = FULL[:5]
LONG_TOOL_TEXT = [*SHORT, Message(role="assistant", content=[], tool_calls=[call("call_1", "think", "{}")]), result("call_1", text("é" * 20_000 + "x" * 30_010))]
TOOLS = [FinishTool.create()[0], ThinkTool.create()[0]]

MODELS = """
openai/gpt-4o openai/gpt-4o-mini-2024-07-18 openai/gpt-4.1 openai/gpt-5 openai/gpt-5-mini openai/gpt-5.1 openai/o3 openai/o4-mini
openai/claude-sonnet-4-5-20250929 openai/claude-opus-4-7 openai/claude-haiku-4-5 openai/DeepSeek-V3.2 openai/some-local-model
openai/Qwen/Qwen3-32B openai/glm-4.6
deepseek/deepseek-chat deepseek/deepseek-reasoner deepseek/deepseek-v4-pro lm_studio/qwen hosted_vllm/qwen3
openrouter/anthropic/claude-sonnet-4.5 openrouter/minimax/minimax-m2 openrouter/openai/gpt-4o groq/openai/gpt-oss-120b
mistral/mistral-large-latest together_ai/moonshotai/Kimi-K2-Instruct fireworks_ai/accounts/fireworks/models/kimi-k2p5
litellm_proxy/claude-sonnet-4-5-20250929 litellm_proxy/gpt-4o litellm_proxy/some-alias openhands/claude-sonnet-4-5-20250929
moonshot/kimi-k2.6 xai/grok-code-fast-1 gpt-4o
azure/gpt-4o azure/gpt-5.1 azure/my-deployment gpt-5.2 openai/gpt-4.1-nano openai/o1 openai/gemini-2.5-pro openai/claude-opus-4-8
litellm_proxy/gemini/gemini-2.5-pro litellm_proxy/claude-opus-4-6 litellm_proxy/gpt-5.4 openrouter/google/gemini-2.5-pro
openrouter/deepseek/deepseek-chat openrouter/openai/gpt-5.5 openrouter/x-ai/grok-4 groq/qwen/qwen3.8-27b mistral/mistral-medium-3
xai/grok-4.3 xai/grok-4.20-non-reasoning together_ai/openai/gpt-oss-120b together_ai/zai-org/GLM-4.6
fireworks_ai/accounts/fireworks/models/deepseek-v3p2 moonshot/kimi-k2.5 moonshot/kimi-k3 hosted_vllm/gpt-4o
lm_studio/gpt-4o deepseek/deepseek-v3.2
""".split()

VARIANTS = [
    ("sampling", "gpt-4o", FULL, {"temperature": 0.3, "top_p": 0.9}),
    ("sampling-of-a-prefixed-name", "openai/gpt-4o", SHORT, {"temperature": 0.3, "top_p": 0.9}),
    ("sampling-of-a-reasoning-model", "openai/gpt-5-mini", SHORT, {"temperature": 0.0, "top_p": 1.0}),
    ("output-limit", "openai/gpt-4o", SHORT, {"max_output_tokens": 100}),
    ("output-limit-of-an-unknown-model", "openai/some-local-model", SHORT, {"max_output_tokens": 100_000}),
    ("reasoning-effort-low", "openai/gpt-5", SHORT, {"reasoning_effort": "low"}),
    ("thinking-switched-off", "deepseek/deepseek-chat", SHORT, {"reasoning_effort": "none"}),
    ("no-caching", "openai/claude-sonnet-4-5", SHORT, {"caching_prompt": False}),
    ("caching-after-a-tool", "litellm_proxy/claude-sonnet-4-5", AFTER_TOOL, {}),
    ("caching-one-block", "openai/claude-opus-4-5", SHORT, {}),
    ("strings-forced", "openai/gpt-4o", FULL, {"force_string_serializer": True}),
    ("lists-forced", "openai/deepseek-chat", SHORT, {"force_string_serializer": False}),
    ("blind-by-choice", "openai/gpt-4o", FULL, {"disable_vision": True}),
    ("alias", "openai/my-alias", FULL, {"model_canonical_name": "gpt-4o"}),
    ("one-piece", "openai/gpt-4o", SHORT, {"stream": False}),
    ("long-tool-text", "openai/gpt-4o", LONG_TOOL_TEXT, {}),
]


def capture(model: str, messages: list[Message], tools, fields: dict) -> dict | None:
    server = ScriptedModel([{"content": "ok"}])
    given = {"model": model, "api_mode": "chat", "stream": True, **fields}
    try:
        llm = LLM(**given, base_url=server.base_url, api_key=SecretStr("sk-fixture"), num_retries=0, usage_id="agent")
        llm.completion(
            messages,
            tools,
            on_token=lambda _: None,
            call_context=LLMCallContext(prompt_cache_key=CONVERSATION, session_id=CONVERSATION),
        )
    except Exception:  # noqa: BLE001 - the answer does not matter, and to a streaming request it is a wrong one
        pass
    schemas = [tool.to_openai_tool()["function"] for tool in tools or []]
    return {
        "llm": given,
        "conversation_id": CONVERSATION,
        "messages": [message.model_dump(mode="json", exclude_none=True) for message in messages],
        "tools": schemas,
        "headers": {name: server.headers[-1][name] for name in KEPT_HEADERS if name in server.headers[-1]},
        "body": server.requests[-1],
    }


def main() -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    cases = [(re.sub(r"[^\w.-]", "-", model), model, FULL, TOOLS, {}) for model in MODELS]
    cases += [(name, model, messages, TOOLS, fields) for name, model, messages, fields in VARIANTS]
    cases += [("no-tools", "openai/gpt-4o", SHORT, None, {})]
    for name, model, messages, tools, fields in cases:
        case = capture(model, messages, tools, fields)
        (FIXTURES / f"{name}.json").write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
