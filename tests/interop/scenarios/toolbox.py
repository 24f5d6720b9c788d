"""The other tools of openhands-tools, run for real where that needs no network and no browser."""

from openhands.sdk import AgentContext
from openhands.sdk.skills import Skill
from openhands.sdk.subagent import register_agent
from openhands.sdk.tool import Tool

from scenarios.calls import EDITOR, TERMINAL
from stage import PROMPT, WORKSPACE, Stage, call, scenario

PATCH = "*** Begin Patch\n*** Add File: patched.txt\n+one\n+two\n*** End Patch"
WORKFLOW = "async def main(wf):\n    return await wf.run_agent('Say yes', subagent_type='yes-sayer')\n"


def answers(*calls: dict) -> list[dict]:
    return [*({"content": "", "tool_calls": [one]} for one in calls), {"content": "Done."}]


@scenario
def file_tools(stage: Stage) -> None:
    """apply_patch, glob, grep, planning_file_editor and the four tools in Gemini's manner."""
    (WORKSPACE / "notes.txt").write_text("alpha\nbeta\n")
    at = lambda name: str(WORKSPACE / name)  # noqa: E731
    stage.converse(
        answers(
            call("apply_patch", {"patch": PATCH}, "call_1"),
            call("glob", {"pattern": "*.txt"}, "call_2"),
            call("grep", {"pattern": "beta", "include": "*.txt"}, "call_3"),
            call("planning_file_editor", {"command": "view", "path": at("notes.txt"), "view_range": [1, 2]}, "call_4"),
            call("read_file", {"file_path": at("notes.txt"), "offset": 1, "limit": 1}, "call_5"),
            call("write_file", {"file_path": at("new.txt"), "content": "new\n"}, "call_6"),
            call("edit", {"file_path": at("new.txt"), "old_string": "new", "new_string": "newer"}, "call_7"),
            call("list_directory", {"dir_path": str(WORKSPACE)}, "call_8"),
        ),
        ["Use everything"],
        [
            Tool(name=name)
            for name in (
                "apply_patch glob grep planning_file_editor read_file write_file edit list_directory".split()
            )
        ],
    )


@scenario
def file_editor(stage: Stage) -> None:
    """Every command of file_editor, with an undo."""
    path = str(WORKSPACE / "list.txt")
    stage.converse(
        answers(
            call("file_editor", {"command": "create", "path": path, "file_text": "one\ntwo\n"}, "call_1"),
            call("file_editor", {"command": "insert", "path": path, "insert_line": 1, "new_str": "and a half"}, "call_2"),
            call("file_editor", {"command": "undo_edit", "path": path}, "call_3"),
            call("file_editor", {"command": "view", "path": path, "view_range": [1, -1]}, "call_4"),
            call("file_editor", {"command": "view", "path": str(WORKSPACE)}, "call_5"),
        ),
        ["Edit"],
        [EDITOR],
    )


@scenario
def terminal(stage: Stage) -> None:
    """A shell that times out softly, takes input, is reset, and says more than fits (kept in observations/)."""
    stage.converse(
        answers(
            call("terminal", {"command": "read -p 'name? ' name; echo hello $name", "timeout": 1}, "call_1"),
            call("terminal", {"command": "world", "is_input": True}, "call_2"),
            call("terminal", {"command": "cd /tmp && false", "reset": True}, "call_3"),
            call("terminal", {"command": "seq 1 7000"}, "call_4"),
        ),
        ["Use the shell"],
        [TERMINAL],
    )


@scenario
def sub_agents(stage: Stage) -> None:
    """A task given to a sub-agent, which has a conversation of its own under subagents/, and a workflow with one."""
    from openhands.sdk import Agent

    register_agent("yes-sayer", lambda llm: Agent(llm=llm, tools=[], system_prompt="Say yes."), "Says yes")
    first = call("task", {"description": "ask", "prompt": "Say yes", "subagent_type": "yes-sayer"}, "call_1")
    second = call("workflow", {"name": "asking", "script": WORKFLOW, "max_concurrency": 1}, "call_2")
    stage.converse(
        [
            {"content": "", "tool_calls": [first]},
            {"content": "Yes."},
            {"content": "", "tool_calls": [second]},
            {"content": "Yes, once more."},
            {"content": "They said yes."},
        ],
        ["Ask"],
        [Tool(name="task_tool_set"), Tool(name="workflow_tool_set")],
    )


@scenario
def skills(stage: Stage) -> None:
    """Skills of every sort: always on, by keyword, by task, by path, invoked by the model; a suffix; a date."""
    from openhands.sdk.skills.trigger import KeywordTrigger, PathTrigger, TaskTrigger

    context = AgentContext(
        skills=[
            Skill(name="house", content="Be brief.", source="house.md"),
            Skill(name="weather", content="It rains in Bergen.", trigger=KeywordTrigger(keywords=["weather"])),
            Skill(name="report", content="Write a report.", trigger=TaskTrigger(triggers=["/report"]), inputs=[{"name": "topic", "description": "What about"}]),
            Skill(name="notes-rule", content="Notes are short.", trigger=PathTrigger(paths=["*.txt"])),
            Skill(
                name="sailing",
                content="How to sail.",
                is_agentskills_format=True,
                description="Knows how to sail",
                license="MIT",
                compatibility="any boat",
                metadata={"author": "nobody"},
                allowed_tools=["terminal"],
            ),
        ],
        system_message_suffix="Answer in English.",
        user_message_suffix="Please.",
        disabled_skills=["rowing"],
        secrets={"HARBOUR": "not-a-secret"},
        current_datetime="2026-01-01T12:00:00+00:00",
    )
    path = str(WORKSPACE / "notes.txt")
    stage.converse(
        [
            {"content": "Raining."},
            {"content": "", "tool_calls": [call("invoke_skill", {"name": "sailing"}, "call_1")]},
            {"content": "", "tool_calls": [call("file_editor", {"command": "create", "path": path, "file_text": "x"}, "call_2")]},
            {"content": "Done."},
        ],
        ["What is the weather?", "/report on sailing"],
        [EDITOR],
        agent_context=context,
        system_prompt=PROMPT,
    )


@scenario
def switch_llm(stage: Stage) -> None:
    """switch_llm to a profile that does not exist, then a model switched by the host in the middle."""
    agent = stage.agent(
        answers(call("switch_llm", {"profile_name": "fast", "reason": "speed"}, "call_1")),
        include_default_tools=["FinishTool", "ThinkTool", "SwitchLLMTool"],
    )
    conversation = stage.open(agent)
    conversation.send_message("Be quick")
    conversation.run()
    conversation.switch_llm(stage.llm([{"content": "I am another one."}], usage_id="second", model="openai/gpt-4o-mini", temperature=0.5))
    conversation.send_message("Who are you?")
    conversation.run()
