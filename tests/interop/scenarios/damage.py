"""Processes that died, and files that are not whole. What the SDK refuses here is refused on purpose."""

import json
import os
import signal
from pathlib import Path

from openhands.sdk.security.confirmation_policy import AlwaysConfirm
from openhands.tools.file_editor.impl import FileEditorExecutor

from scenarios.calls import EDITOR
from stage import WORKSPACE, Stage, call, directory_of, scenario

VIEW = [{"content": "Looking.", "tool_calls": [call("file_editor", {"command": "view", "path": str(WORKSPACE)}, "call_1")]}]


def die_in_tool() -> None:
    FileEditorExecutor.__call__ = lambda *_: os.kill(os.getpid(), signal.SIGKILL)


@scenario(dies=True)
def died_in_tool(stage: Stage) -> None:
    """Killed while a tool ran, in the first step: HEAD in the state is older than the action in the log."""
    die_in_tool()
    stage.converse(VIEW, ["Look"], [EDITOR])


@scenario(dies=True)
def died_in_later_step(stage: Stage) -> None:
    """Killed while a tool ran, after a turn that had gone well."""
    die_in_tool()
    stage.converse([{"content": "Hello."}, *VIEW], ["Hi", "Look"], [EDITOR])


@scenario(dies=True)
def died_after_approval(stage: Stage) -> None:
    """Killed while a tool ran that the user had approved: the state still says waiting_for_confirmation."""
    conversation = stage.open(stage.agent(VIEW, [EDITOR]))
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Look")
    conversation.run()
    die_in_tool()
    conversation.run()


@scenario
def never_ran(stage: Stage) -> None:
    """A conversation that was made and never spoken to: no events."""
    stage.open(stage.agent([{"content": "Never."}]))


@scenario
def never_answered(stage: Stage) -> None:
    """A message that no run followed."""
    stage.open(stage.agent([{"content": "Never."}])).send_message("Anyone?")


def talked(stage: Stage) -> Path:
    conversation = stage.converse([{"content": "Hello."}, {"content": "Bye."}], ["Hi", "Bye"])
    stage.close()
    return directory_of(conversation)


def event_files(directory: Path) -> list[Path]:
    return sorted((directory / "events").glob("event-*.json"))


def change_state(directory: Path, **changes) -> None:
    path = directory / "base_state.json"
    state = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(state, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


@scenario
def torn_event(stage: Stage) -> None:
    """The last event file cut in the middle; HEAD points to it."""
    last = event_files(talked(stage))[-1]
    last.write_bytes(last.read_bytes()[: last.stat().st_size // 2])


@scenario
def empty_event(stage: Stage) -> None:
    """The last event file empty; HEAD points to it."""
    event_files(talked(stage))[-1].write_bytes(b"")


@scenario
def torn_tail(stage: Stage) -> None:
    """The last event file cut, HEAD at the event before it: what a process that died while writing leaves."""
    directory = talked(stage)
    last, before = event_files(directory)[-1], event_files(directory)[-2]
    change_state(directory, leaf_event_id=before.stem.split("-", 2)[2])
    last.write_bytes(last.read_bytes()[: last.stat().st_size // 2])


@scenario
def torn_state(stage: Stage) -> None:
    """base_state.json cut in the middle."""
    state = talked(stage) / "base_state.json"
    state.write_bytes(state.read_bytes()[: state.stat().st_size // 2])


@scenario
def gap(stage: Stage) -> None:
    """An event file in the middle is missing: the SDK's log ends before it, and HEAD is beyond."""
    event_files(talked(stage))[2].unlink()


@scenario
def dangling_head(stage: Stage) -> None:
    """HEAD is an event that is not in the log."""
    change_state(talked(stage), leaf_event_id="00000000-0000-4000-8000-000000000000")


@scenario
def stale_head(stage: Stage) -> None:
    """HEAD is two events behind a log that goes on from it in one line."""
    directory = talked(stage)
    change_state(directory, leaf_event_id=event_files(directory)[-3].stem.split("-", 2)[2])


@scenario
def other_id(stage: Stage) -> None:
    """The id in base_state.json is not the directory's."""
    change_state(talked(stage), id="00000000-0000-4000-8000-000000000000")
