"""Conversation directories and archives as the SDK sees them: found, copied aside and opened the way a resume does it.

Nothing here changes the directory it is given.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

from openhands.sdk.conversation.state import ConversationState
from openhands.sdk.io import LocalFileStore
from openhands.sdk.tool import FinishTool, register_tool
from openhands.sdk.tool.client_tool import extract_client_tool_specs, register_client_tools
from openhands.sdk.tool.spec import Tool
from openhands.sdk.utils.cipher import Cipher
from openhands.sdk.workspace import LocalWorkspace

if "--bare" not in sys.argv:
    # Before anything is read: when pydantic first uses a field, it fixes the kinds that the field accepts.
    from openhands.tools.preset.default import register_builtins_agents


def import_every_tool() -> None:
    """The SDK knows only the kinds of imported modules: import what openhands-tools can offer on this machine."""
    import importlib

    for name in (
        "openhands.tools",
        "openhands.tools.apply_patch",
        "openhands.tools.gemini",
        "openhands.tools.glob",
        "openhands.tools.grep",
        "openhands.tools.planning_file_editor",
        "openhands.tools.browser_use",
        "openhands.tools.tom_consult",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


@contextlib.contextmanager
def copies(path: Path) -> Iterator[list[Path]]:
    """Every conversation in `path`, a conversation directory or a zip of such, copied to a place of its own.

    What the SDK writes beside a conversation under a relative name, such as `full_output_save_dir`, goes there, too.
    """
    path = path.resolve()
    with tempfile.TemporaryDirectory(prefix="threadkeep-sdk-") as place, contextlib.chdir(place):
        if path.is_dir():
            if not (path / "base_state.json").exists():
                raise FileNotFoundError(f"{path} has no base_state.json")
            copy = Path(place) / path.name
            shutil.copytree(path, copy)
            found = [copy]
        else:
            with zipfile.ZipFile(path) as archive:
                archive.extractall(place)
            found = sorted(state.parent for state in Path(place).glob("*/base_state.json"))
            if not found:
                raise FileNotFoundError(f"{path} has no <id>/base_state.json")
        yield found


def base_state(directory: Path) -> dict:
    return json.loads((directory / "base_state.json").read_text(encoding="utf-8"))


def register_tools_of(state: dict) -> None:
    """Client tools have classes made at run time from their specs: without them their actions cannot be read."""
    specs = [Tool.model_validate(spec) for spec in (state.get("agent") or {}).get("tools") or []]
    register_client_tools(extract_client_tool_specs(specs))
    names = [spec.name for spec in specs]
    if "FinishTool" in names:
        # As `get_default_agent` does for an agent with a schema of its final answer.
        register_tool("FinishTool", FinishTool)
    if "task_tool_set" in names:
        register_builtins_agents(enable_browser=False)


def open_state(directory: Path, cipher: Cipher | None) -> ConversationState:
    return ConversationState.create(
        id=uuid.UUID(hex=directory.name),
        agent=None,
        workspace=LocalWorkspace(working_dir=str(directory.parent)),
        persistence_dir=str(directory),
        cipher=cipher,
        file_store=LocalFileStore(str(directory)),
    )
