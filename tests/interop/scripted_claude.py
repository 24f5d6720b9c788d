"""An Anthropic-compatible server on loopback that answers from a script and keeps every request.

A reply is a list of content blocks, bytes that are sent as they are (a stream that somebody wrote down), or
`{"status": 529, "error": {...}}`. The last reply is repeated. A block list is streamed where the request asks for that.
"""

from __future__ import annotations

import json

from scripted_server import ScriptedServer

USAGE = {"input_tokens": 60, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 10, "output_tokens": 20}


class ScriptedClaude(ScriptedServer):
    def answer(self, body: dict, turn: int, reply) -> tuple[int, dict | bytes]:
        if isinstance(reply, bytes):
            return 200, reply
        if isinstance(reply, dict):
            return reply["status"], {"type": "error", "error": reply["error"]}
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
        return 200, b"".join(_events(message)) if body.get("stream") else message


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
