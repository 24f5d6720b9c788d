"""Captures what the real SDK makes of the Anthropic streams in tests/fixtures/sse/anthropic/, in tests/fixtures/anthropic_answers.json.

    write_anthropic_answers.py

By the stream's name: the parts of the message that the SDK stores, and its count of tokens; or the error's class.
tests/llm/anthropic_answers.rs compares them with ours, and lists where they differ.
"""

from __future__ import annotations

from captured import FIXTURES, write  # first: it sets up the environment

from openhands.sdk import LLM
from pydantic import SecretStr

from scripted_claude import ScriptedClaude
from write_chat_requests import SHORT, TOOLS

STREAMS = FIXTURES / "sse" / "anthropic"


def answer_to(stream: bytes) -> dict:
    server = ScriptedClaude([stream])
    whole = stream.lstrip().startswith(b"{")
    llm = LLM(model="anthropic/claude-sonnet-4-5", stream=not whole, base_url=server.base_url, api_key=SecretStr("sk-fixture"), num_retries=1, usage_id="agent")
    try:
        response = llm.completion(SHORT, TOOLS, on_token=lambda _: None)
    except Exception as error:  # noqa: BLE001 - its class is what is asked for
        return {"error": type(error).__name__}
    finally:
        server.close()
    message = response.message
    tokens = llm.metrics.token_usages[-1] if llm.metrics.token_usages else None
    return {
        "message": {
            "content": "".join(content.text for content in message.content) or None,
            "reasoning_content": message.reasoning_content or None,
            "tool_calls": [[call.id, call.name, call.arguments] for call in message.tool_calls or []],
            "thinking_blocks": [block.model_dump(mode="json", exclude_none=True) for block in message.thinking_blocks],
        },
        "usage": tokens
        and {
            "prompt_tokens": tokens.prompt_tokens,
            "completion_tokens": tokens.completion_tokens,
            "cache_read_tokens": tokens.cache_read_tokens,
            "cache_write_tokens": tokens.cache_write_tokens,
            "reasoning_tokens": tokens.reasoning_tokens,
        },
    }


def main() -> None:
    answers = {path.stem: answer_to(path.read_bytes()) for path in sorted(STREAMS.glob("*.sse"))}
    write(FIXTURES / "anthropic_answers.json", answers)


if __name__ == "__main__":
    main()
