"""Conversations in which tools are called: well, in parallel, wrongly, and with failures."""

from openhands.sdk.tool import Tool
from openhands.tools.file_editor import FileEditorTool
from openhands.tools.task_tracker import TaskTrackerTool
from openhands.tools.terminal import TerminalTool

from stage import WORKSPACE, Stage, call, scenario

EDITOR = Tool(name=FileEditorTool.name)
TERMINAL = Tool(name=TerminalTool.name, params={"terminal_type": "subprocess"})
TRACKER = Tool(name=TaskTrackerTool.name)


@scenario
def tools(stage: Stage) -> None:
    """The SDK's own prompt and tools: parallel calls, a shell command, a task list, finish, then one more turn."""
    path = str(WORKSPACE / "facts.txt")
    stage.converse(
        [
            {
                "content": "Let me think.",
                "tool_calls": [
                    call("think", {"thought": "I should write the file"}, "call_1"),
                    call(
                        "file_editor",
                        {"command": "create", "path": path, "file_text": "a\nb\n", "summary": "write facts"},
                        "call_2",
                    ),
                ],
            },
            {
                "content": "",
                "tool_calls": [
                    call("terminal", {"command": "cat facts.txt", "security_risk": "LOW"}, "call_3"),
                    call(
                        "task_tracker",
                        {"command": "plan", "task_list": [{"title": "Write", "status": "done"}, {"title": "Read", "notes": "soon"}]},
                        "call_4",
                    ),
                ],
            },
            {
                "content": None,
                "tool_calls": [
                    call("file_editor", {"command": "str_replace", "path": path, "old_str": "b", "new_str": "c"}, "call_5"),
                    call("terminal", {"command": "exit_with() { return 3; }; exit_with"}, "call_6"),
                    call("task_tracker", {"command": "view"}, "call_7"),
                ],
            },
            {"content": None, "tool_calls": [call("finish", {"message": "Done: 2 facts."}, "call_8")]},
            {"content": "You are welcome."},
        ],
        ["Write 2 facts", "Thanks"],
        [TERMINAL, EDITOR, TRACKER],
        system_prompt=None,
        llm={"keep_requests": True},
    )


@scenario
def parallel_calls(stage: Stage) -> None:
    """Three responses with several calls each, one of them with equal calls and one without any text."""
    thoughts = [call("think", {"thought": f"thought {n}"}, f"call_{n}") for n in range(7)]
    stage.converse(
        [
            {"content": "Three at once.", "tool_calls": thoughts[:3]},
            {"tool_calls": thoughts[3:5]},
            {"content": "The same twice.", "tool_calls": [thoughts[5], {**thoughts[5], "id": "call_again"}]},
            {"content": "Done."},
        ],
        ["Think hard"],
    )


@scenario
def invalid_calls(stage: Stage) -> None:
    """A valid call, an unknown tool, a valid one, unreadable JSON, finish, and a call after finish; then another turn."""
    stage.converse(
        [
            {
                "content": "All at once.",
                "tool_calls": [
                    call("think", {"thought": "one"}, "call_ok"),
                    call("no_such_tool", {"x": 1}, "call_unknown"),
                    call("think", {"thought": "two"}, "call_ok_2"),
                    call("think", '{"thought": "unfinished', "call_bad_json"),
                    call("finish", {"message": "Enough."}, "call_finish"),
                    call("think", {"thought": "after the end"}, "call_late"),
                ],
            },
            {"content": "Carried on."},
        ],
        ["Do everything", "And now?"],
    )


@scenario
def invalid_arguments(stage: Stage) -> None:
    """Arguments that fail validation: missing, of the wrong type, not an object; the only call of its response."""
    stage.converse(
        [
            {"content": "Missing.", "tool_calls": [call("think", {}, "call_missing")]},
            {"content": "", "tool_calls": [call("think", {"thought": {"deep": [1, None]}}, "call_type")]},
            {"content": None, "tool_calls": [call("think", "[1, 2]", "call_list")]},
            {"content": "I give up."},
        ],
        ["Think"],
    )


@scenario
def tool_errors(stage: Stage) -> None:
    """Failing tools: observations with is_error, and an executor that raises."""
    stage.converse(
        [
            {
                "content": "Reading.",
                "tool_calls": [
                    call("file_editor", {"command": "view", "path": str(WORKSPACE / "missing.txt")}, "call_1"),
                    call("file_editor", {"command": "view", "path": "relative.txt"}, "call_2"),
                ],
            },
            {"content": "", "tool_calls": [call("file_editor", {"command": "create", "path": str(WORKSPACE / "x")}, "call_3")]},
            {"content": "It failed."},
        ],
        ["Read the file"],
        [EDITOR],
    )
