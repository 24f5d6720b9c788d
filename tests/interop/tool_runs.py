"""The tools of openhands-tools that work on files, run in sequences of calls, each sequence in a directory of its own."""

from __future__ import annotations

import base64
import contextlib
import os
from pathlib import Path

from openhands.tools.apply_patch.definition import ApplyPatchAction, ApplyPatchExecutor
from openhands.tools.file_editor.definition import FileEditorAction
from openhands.tools.file_editor.impl import FileEditorExecutor
from openhands.tools.gemini.list_directory.definition import ListDirectoryAction
from openhands.tools.gemini.list_directory.impl import ListDirectoryExecutor
from openhands.tools.glob.definition import GlobAction
from openhands.tools.glob.impl import GlobExecutor
from openhands.tools.grep.definition import GrepAction
from openhands.tools.grep.impl import GrepExecutor
from openhands.tools.task_tracker.definition import TaskTrackerAction, TaskTrackerExecutor

from tool_words import said, unused

# The time of the first call, in seconds; each later call is ten seconds later.
BEGINNING = 1_700_000_000


def schemas() -> dict:
    """The parameters of each tool as a model gets them."""
    actions = {
        "file_editor": FileEditorAction,
        "task_tracker": TaskTrackerAction,
        "grep": GrepAction,
        "glob": GlobAction,
        "list_directory": ListDirectoryAction,
        "apply_patch": ApplyPatchAction,
    }
    return {name: action.to_mcp_schema() for name, action in actions.items()}


class Tools:
    """The tools on a directory. Searches use Python and no other program, so that they are the same on every machine."""

    def __init__(self, root: str, home: str):
        glob, grep = GlobExecutor(working_dir=root), GrepExecutor(working_dir=root)
        glob._ripgrep_available = False
        grep._search_backend = "python"
        self.editor = FileEditorExecutor(workspace_root=root)
        self.tools = {
            "file_editor": (FileEditorAction, self.editor),
            "task_tracker": (TaskTrackerAction, TaskTrackerExecutor(save_dir=home)),
            "grep": (GrepAction, grep),
            "glob": (GlobAction, glob),
            "list_directory": (ListDirectoryAction, ListDirectoryExecutor(workspace_root=root)),
            "apply_patch": (ApplyPatchAction, ApplyPatchExecutor(workspace_root=root)),
        }

    def call(self, tool: str, args: dict) -> dict:
        action_type, executor = self.tools[tool]
        try:
            action = action_type.model_validate(args)
        except ValueError as error:
            return {"refused": str(error)}
        stored = action.model_dump(mode="json", exclude_none=True)
        answer = {"action": stored, "guess": self.guess(tool, args)}
        try:
            answer["observation"] = said(tool, executor(action)).model_dump(mode="json", exclude_none=True)
        except Exception as error:  # noqa: BLE001 - the agent would report it
            answer["raised"] = f"{type(error).__name__}: {error}"
        answer["guess_after"] = self.guess(tool, args)
        return answer

    def guess(self, tool: str, args: dict) -> dict | None:
        """The encoding that the SDK takes the file for, and whether it takes it for a binary file."""
        from binaryornot.check import is_binary

        if tool != "file_editor":
            return None
        path = Path(args["path"])
        with contextlib.suppress(OSError, ValueError):
            if path.is_file():
                return {"encoding": self.editor.editor._encoding_manager.get_encoding(path), "binary": is_binary(str(path))}
        return None


def set_times(root: Path, times: dict[str, int], step: int) -> None:
    """Gives the files that were changed by a call the time of that call, in the order of their names."""
    changed = []
    for path in sorted(root.rglob("*")):
        if path.is_file() and times.get(str(path)) != path.stat().st_mtime_ns:
            changed.append(path)
    for index, path in enumerate(changed):
        time = (BEGINNING + 10 * step) * 1_000_000_000 + index * 1_000_000
        os.utime(path, ns=(time, time))
        times[str(path)] = path.stat().st_mtime_ns


def run(sequence: dict) -> dict:
    root, home = Path(sequence["root"]), Path(sequence["home"])
    root.mkdir(parents=True)
    home.mkdir(parents=True)
    for name, content in sequence["files"].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(base64.b64decode(content))
    times: dict[str, int] = {}
    set_times(root, times, 0)
    answers = []
    with contextlib.chdir(root):
        tools = Tools(str(root), str(home))
        for step, (tool, args) in enumerate(sequence["calls"], 1):
            answers.append(tools.call(tool, args))
            set_times(root, times, step)
    stored = {str(path.relative_to(root)): base64.b64encode(path.read_bytes()).decode() for path in sorted(root.rglob("*")) if path.is_file()}
    tasks = home / "TASKS.json"
    return {"answers": answers, "files": stored, "tasks": tasks.read_text(encoding="utf-8") if tasks.exists() else None}


def run_tools(sequences: list[dict]) -> dict:
    return {"ok": True, "schemas": schemas(), "runs": [run(sequence) for sequence in sequences], "unused": unused()}
