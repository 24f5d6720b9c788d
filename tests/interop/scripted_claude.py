"""An Anthropic-compatible server on loopback that answers from a script and keeps every request.

A reply is a list of content blocks, bytes that are sent as they are (a stream that somebody wrote down), or
`{"status": 529, "error": {...}}`. The last reply is repeated. A block list is streamed where the request asks for that.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"input_tokens": 60, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 10, "output_tokens": 20}


class ScriptedClaude:
    def __init__(self, replies: list):
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.paths: list[str] = []
        self._replies = replies
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.requests.append(body)
                model.headers.append({name.lower(): value for name, value in self.headers.items()})
                model.paths.append(self.path)
                status, kind, data = model._answer(body)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_port}"
        # close() waits for the next poll.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def _answer(self, body: dict) -> tuple[int, str, bytes]:
        turn = len(self.requests)
        reply = self._replies[min(turn, len(self._replies)) - 1]
        if isinstance(reply, bytes):
            return 200, "text/event-stream" if body.get("stream") else "application/json", reply
        if isinstance(reply, dict):
            return reply["status"], "application/json", json.dumps({"type": "error", "error": reply["error"]}).encode()
        message = {
            "id": f"msg_{turn:020d}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": reply,
            "stop_reason": "tool_use" if any(block["type"] == "tool_use" for block in reply) else "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        }
        if body.get("stream"):
            return 200, "text/event-stream", b"".join(_events(message))
        return 200, "application/json", json.dumps(message).encode()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _events(message: dict):
    def event(name: str, **fields) -> bytes:
        return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()

    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        start, deltas = _pieces(block)
        yield event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=delta, usage={"output_tokens": message["usage"]["output_tokens"]})
    yield event("message_stop")


def _pieces(block: dict) -> tuple[dict, list[dict]]:
    """How a block begins, and what of it comes in pieces."""
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            thinking = {"type": "thinking_delta", "thinking": block["thinking"]}
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {"type": "thinking", "thinking": "", "signature": ""}, [thinking, signature]
        case "tool_use":
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        case _:
            return block, []
