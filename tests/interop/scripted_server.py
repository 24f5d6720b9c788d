"""A server on loopback that answers from a script, whatever is spoken with it, and keeps every request."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedServer:
    """The last reply is repeated."""

    def __init__(self, replies: list):
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append(body)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                server.paths.append(self.path)
                turn = len(server.requests)
                status, answer = server.answer(body, turn, replies[min(turn, len(replies)) - 1])
                is_text = isinstance(answer, bytes)
                data = answer if is_text else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "text/event-stream" if is_text and body.get("stream") else "application/json")
                self.send_header("content-length", str(len(data)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        self.base_url = f"http://127.0.0.1:{self.port}"
        # close() waits for the next poll.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, body: dict, turn: int, reply) -> tuple[int, dict | bytes]:
        """The status and the JSON, or the bytes, that a reply comes to. Turns are counted from 1."""
        raise NotImplementedError

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
