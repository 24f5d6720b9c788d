"""`resume`, `decide` and `requests`: the SDK carries a conversation on against a scripted model.

The persisted agent is kept with all it has, apart from what would leave this machine: the model's address and key,
MCP servers, the condenser, the critic and skills loaded from elsewhere.
A pending action is executed first, as the SDK does it: run() is the approval.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path

from litellm import get_llm_provider
from pydantic import SecretStr

from openhands.sdk import Agent, LocalConversation
from openhands.sdk.utils.cipher import Cipher

from opened import base_state, open_state, register_tools_of
from scripted_claude import ScriptedClaude
from scripted_model import ScriptedModel

QUESTION = "What did you do so far?"
ANTHROPIC = "anthropic"


def resume(directory: Path, reply: str, text: str = QUESTION, cipher: Cipher | None = None, api_mode: str = "chat", navigate: dict | None = None, calls: list | None = None) -> dict:
    """`navigate` is {"to": an event's id or null, "fork": whether a fork of the conversation continues there}.

    `calls` are tools and arguments that the model calls before it replies, in the files of `workspace/` in the directory;
    `{workspace}` in an argument is the path of that directory.
    """
    forked = {}

    def ask(conversation: LocalConversation) -> None:
        if navigate is not None:
            conversation.navigate_to(navigate["to"])
            if navigate.get("fork"):
                conversation = conversation.fork()
                forked["forked"] = str(directory.parent / conversation.id.hex)
        conversation.send_message(text)
        conversation.run()
        if forked:
            conversation.close()

    if calls is not None:
        return work_on(directory, calls, reply, ask, cipher)
    return {**carry_on(directory, reply, ask, cipher, api_mode), **forked}


def work_on(directory: Path, calls: list, reply: str, ask: Callable[[LocalConversation], None], cipher: Cipher | None) -> dict:
    workspace = directory / "workspace"

    def called(turn: int, name: str, arguments: dict) -> dict:
        text = json.dumps(arguments).replace("{workspace}", str(workspace))
        return {"content": "", "tool_calls": [{"id": f"call_python_{turn}", "type": "function", "function": {"name": name, "arguments": text}}]}

    replies = [called(turn, *call) for turn, call in enumerate(calls)]
    answer = carry_on(directory, [*replies, {"content": reply}], ask, cipher, "chat", workspace)
    messages = answer["request"]["messages"] if answer["ok"] else []
    results = [message["content"] for message in messages if message["role"] == "tool" and message["tool_call_id"].startswith("call_python_")]
    texts = [result if isinstance(result, str) else "".join(part["text"] for part in result) for result in results]
    files = {str(path.relative_to(workspace)): path.read_text(encoding="utf-8") for path in sorted(workspace.rglob("*")) if path.is_file()}
    return {**answer, "results": [text.replace(str(workspace), "{workspace}") for text in texts], "files": files}


def decide(directory: Path, decision: str, reply: str, cipher: Cipher | None = None) -> dict:
    """The user decides about the calls that wait, and the run goes on."""

    def go_on(conversation: LocalConversation) -> None:
        if decision == "reject":
            conversation.reject_pending_actions("Not from Python.")
        conversation.run()

    return carry_on(directory, reply, go_on, cipher, "chat")


def carry_on(directory: Path, reply: str | list[dict], go_on: Callable[[LocalConversation], None], cipher: Cipher | None, api_mode: str, workspace: Path | None = None) -> dict:
    register_tools_of(base_state(directory))
    stay_inside(directory)
    if api_mode == ANTHROPIC:
        model = ScriptedClaude([reply if isinstance(reply, list) else [{"type": "text", "text": reply}]])
    else:
        model = ScriptedModel(reply if isinstance(reply, list) else [{"content": reply}])
    try:
        agent = at_home(open_state(directory, cipher).agent, model, api_mode)
        before = len(list((directory / "events").glob("event-*.json")))
        conversation = LocalConversation(
            agent=agent,
            workspace=str(workspace or directory.parent / "workspace"),
            persistence_dir=str(directory.parent),
            conversation_id=uuid.UUID(hex=directory.name),
            visualizer=None,
            cipher=cipher,
            delete_on_close=False,
        )
        go_on(conversation)
        state = conversation.state
        added = [type(event).__name__ for event in state.events[before:]]
        status = state.execution_status.value
        conversation.close()
    finally:
        model.close()
    said = {"events_before": before, "new_kinds": added, "execution_status": status}
    if not model.requests:
        return {"ok": False, "error": "the model was never asked", **said}
    return {
        "ok": True,
        **said,
        "request": model.requests[-1],
        "headers": {name: model.headers[-1].get(name) for name in ("x-litellm-session-id", "http-referer", "x-title")},
    }


def requests(directory: Path, text: str = QUESTION, cipher: Cipher | None = None, api_mode: str = "chat") -> dict:
    """The body of the request for the next user message, with `text` as that message."""
    result = resume(directory, "Noted.", text, cipher, api_mode)
    return {key: result[key] for key in ("ok", "error", "request", "headers") if key in result}


def stay_inside(directory: Path) -> None:
    """The SDK writes TASKS.json and forks to the stored persistence_dir, wherever the conversation came from."""
    state = base_state(directory)
    state["persistence_dir"] = str(directory)
    (directory / "base_state.json").write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")


def at_home(agent, model: ScriptedModel | ScriptedClaude, api_mode: str):
    if not isinstance(agent, Agent):
        raise TypeError(f"cannot run a {type(agent).__name__} against a scripted model")
    changes: dict = {
        "llm": agent.llm.model_copy(
            update={
                "model": f"anthropic/{agent.llm.model.split('/')[-1]}" if api_mode == ANTHROPIC else over_openai(agent.llm.model),
                "base_url": model.base_url,
                "api_key": SecretStr("sk-scripted"),
                "api_mode": "chat" if api_mode == ANTHROPIC else api_mode,
                "num_retries": 0,
            }
        ),
        "condenser": None,
        "critic": None,
        "mcp_config": {},
    }
    if agent.agent_context is not None:
        nothing = {"load_user_skills": False, "load_public_skills": False, "load_project_skills": False, "load_memory": False}
        changes["agent_context"] = agent.agent_context.model_copy(update=nothing)
    return agent.model_copy(update=changes)


def over_openai(model: str) -> str:
    """The name under which LiteLLM speaks OpenAI's protocol to this model.

    A name that is enough by itself is kept: with the prefix the SDK believes in reasoning_effort for every model, and
    leaves out temperature and top_p.
    """
    try:
        provider = get_llm_provider(model)[1]
    except Exception:  # noqa: BLE001 - LiteLLM raises several kinds for a name it does not know
        provider = None
    return model if provider == "openai" else f"openai/{model}"
