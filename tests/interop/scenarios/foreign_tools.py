"""Tools that are not the SDK's own: from an MCP server, and defined by the client."""

from pathlib import Path

from openhands.sdk.mcp.config import MCPServer
from openhands.sdk.tool.client_tool import ClientToolSpec, register_client_tools

from stage import PLACE, Stage, call, scenario

SERVER = Path(__file__).resolve().parent.parent / "mcp_server.py"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def notes_server() -> str:
    """A command with a fixed path, since it is written into the agent's settings."""
    command = PLACE / "bin" / "notes-server"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\nunset PYTHONHOME PYTHONPATH\nexec python3 '{SERVER}'\n")
    command.chmod(0o755)
    return str(command)


@scenario
def mcp_tool(stage: Stage) -> None:
    """Two tools of an MCP server: a good call, a failing one in parallel with another, and one with wrong arguments."""
    note = {"title": "milk", "tags": ["shop", "Äpfel"], "stars": None, "summary": "remember milk", "security_risk": "LOW"}
    stage.converse(
        [
            {"content": "Noting.", "tool_calls": [call("add_note", note, "call_1")]},
            {
                "content": "",
                "tool_calls": [
                    call("burn_notes", {}, "call_2"),
                    call("add_note", {"title": "deep", "tags": [], "stars": 3}, "call_3"),
                ],
            },
            {"content": "", "tool_calls": [call("add_note", {"tags": "no title"}, "call_4")]},
            {"content": "Noted."},
        ],
        ["Remember the milk"],
        mcp_config={"notes": MCPServer(command=notes_server(), args=["--quiet"], env={"NOTES_TOKEN": "not-a-token"})},
        llm={"keep_requests": True},
    )


@scenario
def client_tool(stage: Stage) -> None:
    """A tool that the client defines, registered through its JSON spec: the observation only says that it was passed on."""
    weather = ClientToolSpec(
        name="get_weather",
        description="Weather of a city",
        parameters={
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["C", "F"]}},
            "required": ["city"],
        },
    )
    stage.converse(
        [
            {"content": "Checking.", "tool_calls": [call("get_weather", {"city": "Oslo", "unit": "C"}, "call_1")]},
            {"content": "It is cold in Oslo."},
        ],
        ["Weather in Oslo?"],
        register_client_tools([weather]),
        llm={"keep_requests": True},
    )
