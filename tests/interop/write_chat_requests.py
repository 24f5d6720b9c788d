"""Captures the Chat Completions requests that the real SDK sends and keeps them in tests/fixtures/chat_requests/.

    write_chat_requests.py

One file per case: the SDK's LLM fields, the messages and tools that it was given, and the path, headers and body that
reached the server. The bodies are what LiteLLM made of the SDK's own request; tests/llm/chat_requests.rs lists what of
that is LiteLLM's alone.
"""

from __future__ import annotations

from captured import FINISH, THINK, capture, for_models, write_all  # first: it sets up the environment

from openhands.sdk.llm.message import ImageContent, Message, MessageToolCall, TextContent, ThinkingBlock

from scripted_model import ScriptedModel

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


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
TOOLS = [FINISH, THINK]

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
"""

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


def captured(model: str, messages: list[Message], tools, fields: dict) -> dict:
    return capture(ScriptedModel([{"content": "ok"}]), {"model": model, "api_mode": "chat", "stream": True, **fields}, messages, tools)


def main() -> None:
    cases = for_models(MODELS, FULL, TOOLS, {})
    cases += [(name, model, messages, TOOLS, fields) for name, model, messages, fields in VARIANTS]
    cases += [("no-tools", "openai/gpt-4o", SHORT, None, {})]
    write_all("chat_requests", cases, captured)


if __name__ == "__main__":
    main()
