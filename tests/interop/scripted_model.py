"""An OpenAI-compatible server on loopback that answers from a script and keeps every request.

A reply is an assistant message, or `{"status": 429, "error": {...}}` for a failing one, or `{"output": [...]}` for the
Responses API; `tokens` in a message are vLLM's token ids. The last reply is repeated.
`answer_to` makes the server reachable under a fixed host name, so that no port number gets into what is written.
"""

from __future__ import annotations

import socket

from scripted_server import ScriptedServer

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


def output_of(message: dict, turn: int) -> list[dict]:
    """An assistant message as the Responses API gives it."""
    output: list[dict] = []
    if message.get("content"):
        part = {"type": "output_text", "text": message["content"], "annotations": []}
        output.append({"type": "message", "id": f"msg_{turn:04d}", "role": "assistant", "status": "completed", "content": [part]})
    for call in message.get("tool_calls") or []:
        output.append({"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "status": "completed", **call["function"]})
    return output


class ScriptedModel(ScriptedServer):
    def __init__(self, replies: list[dict], usage: dict | None = None):
        super().__init__(replies)
        self.base_url += "/v1"
        self._usage = USAGE if usage is None else usage

    def answer(self, body: dict, turn: int, reply: dict) -> tuple[int, dict]:
        if "status" in reply:
            return reply["status"], {"error": reply["error"]}
        if "output" in reply:
            return 200, self._responses(body, turn, reply["output"])
        if "input" in body:
            return 200, self._responses(body, turn, output_of(reply, turn))
        calls = reply.get("tool_calls")
        tokens = reply.get("tokens", {})
        message = {key: value for key, value in reply.items() if key not in ("id", "tokens")}
        return 200, {
            "id": reply.get("id") or f"chatcmpl-{turn:04d}",
            "object": "chat.completion",
            "created": 1_767_225_600 + turn,
            "model": body.get("model"),
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", **message},
                    "finish_reason": "tool_calls" if calls else "stop",
                    **({"token_ids": tokens["token_ids"]} if tokens else {}),
                }
            ],
            "usage": self._usage,
            **({"prompt_token_ids": tokens["prompt_token_ids"]} if tokens else {}),
        }

    def _responses(self, body: dict, turn: int, output: list[dict]) -> dict:
        return {
            "id": f"resp_{turn:04d}",
            "object": "response",
            "created_at": 1_767_225_600 + turn,
            "model": body.get("model"),
            "status": "completed",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 100,
                "input_tokens_details": {"cached_tokens": 40},
                "output_tokens": 20,
                "output_tokens_details": {"reasoning_tokens": 5},
                "total_tokens": 120,
            },
        }

    def answer_to(self, host: str) -> None:
        """From here on this process resolves `host` to the server, whatever port is asked for."""
        plain = socket.getaddrinfo
        port = self.port

        def resolve(name, service, *args, **kwargs):
            if name in (host, host.encode()):
                return plain("127.0.0.1", port, *args, **kwargs)
            return plain(name, service, *args, **kwargs)

        socket.getaddrinfo = resolve
