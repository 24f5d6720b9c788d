"""An MCP server over streamable HTTP on loopback, made with FastMCP: one tool, that of `mcp-server-fetch`.

Prints its URL on a line of its own, and ends with its standard input.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

import httpx
import uvicorn
from fastmcp import FastMCP
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

server = FastMCP("fetch")


@server.tool(annotations={"readOnlyHint": True, "openWorldHint": False})
async def fetch(url: str, max_length: int = 5000, start_index: int = 0, raw: bool = False) -> str:  # noqa: ARG001
    """Reads the text at a URL."""
    async with httpx.AsyncClient() as client:
        response = await client.get(url)
    return f"Contents of {url}:\n{response.text[start_index : start_index + max_length]}"


def end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    threading.Thread(target=end_with_stdin, daemon=True).start()
    open_to_pages = Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["*"], allow_headers=["*"], expose_headers=["mcp-session-id"])
    app = server.http_app(middleware=[open_to_pages])
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


main()
