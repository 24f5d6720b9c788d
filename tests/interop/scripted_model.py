"""An OpenAI-compatible server on loopback that answers from a script and keeps every request.

A reply is an assistant message, or `{"status": 429, "error": {...}}` for a failing one, or `{"output": [...]}` for the
Responses API; `tokens` in a message are vLLM's token ids. The last reply is repeated.
`answer_to` makes the server reachable under a fixed host name, so that no port number gets into what is written.
"""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


class ScriptedModel:
    def __init__(self, replies: list[dict], usage: dict | None = None):
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self._replies = replies
        self._usage = USAGE if usage is None else usage
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.requests.append(body)
                model.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, answer = model._answer(body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        # close() waits for the next poll.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def _answer(self, body: dict) -> tuple[int, dict]:
        turn = len(self.requests)
        reply = self._replies[min(turn, len(self._replies)) - 1]
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

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
