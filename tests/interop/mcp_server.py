"""A small MCP server on stdin and stdout: two tools, one of which fails. Needs nothing but Python."""

import json
import sys

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "What the note is about"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "stars": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    },
    "required": ["title"],
}
TOOLS = [
    {
        "name": "add_note",
        "title": "Add a note",
        "description": "Keeps a note.",
        "inputSchema": SCHEMA,
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    },
    {
        "name": "burn_notes",
        "description": "Always fails.",
        "inputSchema": {"type": "object", "properties": {}},
    },
]


def answer(method: str, params: dict) -> dict:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1.0.0"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        failed = params["name"] == "burn_notes"
        text = "the notes do not burn" if failed else f"kept: {json.dumps(params['arguments'])}"
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
