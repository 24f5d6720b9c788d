"""A server made with FastMCP: python fastmcp_server.py PORT."""

import asyncio
import sys

from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image
from mcp.types import ToolAnnotations

server = FastMCP("shelf")
notes: list[str] = []


@server.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=False, idempotentHint=True))
def add_note(text: str, stars: int | None = None) -> str:
    """Adds a note."""
    notes.append(text)
    return f"{len(notes)} notes"


@server.tool(annotations=ToolAnnotations(destructiveHint=True))
def burn_notes() -> str:
    """Removes all notes."""
    raise ValueError("there is no fire")


@server.tool
def picture() -> Image:
    """A picture."""
    return Image(data=bytes.fromhex("89504e470d0a1a0a"), format="png")


@server.tool
def person(name: str) -> dict[str, str | int]:
    """Structured data about a person."""
    return {"name": name, "age": 42}


@server.tool
async def wait(seconds: float, context: Context) -> str:
    """Takes its time."""
    for step in range(int(seconds * 10)):
        await context.report_progress(step, int(seconds * 10), "waiting")
        await asyncio.sleep(0.1)
    return "done"


@server.tool
async def learn(name: str, context: Context) -> str:
    """Adds a tool."""

    def learned() -> str:
        return f"{name} was learned"

    server.add_tool(server_tool(learned, name))
    await context.session.send_tool_list_changed()
    return "learned"


def server_tool(function, name: str):
    from fastmcp.tools import Tool

    return Tool.from_function(function, name=name, description="A tool that was added later.")


if __name__ == "__main__":
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
