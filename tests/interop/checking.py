"""`check`: does the SDK take every file of a conversation, and what does it make of it?"""

from __future__ import annotations

import json
import re
from pathlib import Path

from openhands.sdk import LLM, Event, LLMConvertibleEvent
from openhands.sdk.conversation.persistence_const import EVENT_NAME_RE
from openhands.sdk.conversation.state import ConversationState
from openhands.sdk.utils.cipher import Cipher

from opened import base_state, open_state, register_tools_of

ERROR_LENGTH = 600
MASK = "**********"
# What 1.43.1 has and 1.58.0 passes over; each writes only what it knows.
GONE = tuple(name for name in (".modify_params",) if name[1:] not in LLM.model_fields)
# A model to which nothing that a message holds need be left out.
CAN_DO_EVERYTHING = {
    "cache_enabled": False,
    "vision_enabled": True,
    "function_calling_enabled": True,
    "force_string_serializer": False,
    "send_reasoning_content": True,
}


def check(directory: Path, cipher: Cipher | None = None) -> dict:
    """`refused` names each file the SDK refuses, would skip, or would write with other content; empty means ok.

    `opens` says whether the SDK opens the conversation all the same: it reads only the events of the active branch.
    """
    refused: list[dict] = []
    respelled: list[str] = []
    kinds: list[str | None] = []
    result: dict = {"refused": refused, "respelled": respelled, "kinds": kinds, "opens": False}
    try:
        before = base_state(directory)  # opening writes it
        register_tools_of(before)
    except Exception as error:  # noqa: BLE001 - every refusal is reported
        refused.append(refusal("base_state.json", error))
    names = sorted(path.name for path in (directory / "events").glob("event-*.json"))
    for name in names:
        kinds.append(None)
        try:
            text = (directory / "events" / name).read_bytes().decode("utf-8")
            again = Event.model_validate_json(text).model_dump_json(exclude_none=True)
            ours, theirs = comparable(text), comparable(again)
            kinds[-1] = ours.get("kind")
            if ours != theirs:
                keys = sorted(k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k))
                refused.append({"file": name, "differs": keys})
            elif text != again and "forgotten_event_ids" not in ours:
                respelled.append(name)
            parts = EVENT_NAME_RE.match(name)
            if parts and parts.group("event_id") != ours.get("id"):
                refused.append({"file": name, "error": f"the id inside is {ours.get('id')}"})
        except Exception as error:  # noqa: BLE001
            refused.append(refusal(name, error))
    try:
        state = open_state(directory, cipher)
        for name in names[len(state.events) :]:
            refused.append({"file": name, "error": "the SDK's log does not reach this file"})
        result.update(describe(state), opens=True)
        result["base_state_lost"] = lost(before, json.loads(dump(state, cipher)))
    except Exception as error:  # noqa: BLE001
        refused.append(refusal("base_state.json", error))
    result["ok"] = not refused
    return result


def refusal(name: str, error: Exception) -> dict:
    return {"file": name, "error": spoken(error)}


def spoken(error: Exception) -> str:
    """The error on one line, without pydantic's notes for programmers, which change with its version."""
    text = re.sub(r" \[type=[^\n]*|\n *For further information[^\n]*", "", f"{type(error).__name__}: {error}")
    return " ".join(text.split())[:ERROR_LENGTH]


def comparable(text: str) -> dict:
    event = json.loads(text)
    if isinstance(event.get("forgotten_event_ids"), list):  # a set: its order means nothing
        event["forgotten_event_ids"] = sorted(event["forgotten_event_ids"])
    for tool in event.get("tools") or []:
        # Two spellings of one field: MCP libraries before 2.0 know only the first, later ones read both and write the other.
        if isinstance(tool, dict) and "inputSchema" in (tool.get("mcp_tool") or {}):
            tool["mcp_tool"]["input_schema"] = tool["mcp_tool"].pop("inputSchema")
    return event


def dump(state: ConversationState, cipher: Cipher | None) -> str:
    return state.model_dump_json(exclude_none=True, context={"cipher": cipher} if cipher else None)


def lost(before, after, at: str = "") -> list[str]:
    """Paths whose value is gone or changed once the SDK has written base_state.json itself.

    What whoever opens it says anew does not count, nor does a mask: the SDK reads it as no value.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        below = (lost(value, after.get(key), f"{at}.{key}") for key, value in before.items() if not is_masked(value))
        return [path.lstrip(".") for paths in below for path in paths if not path.startswith((".workspace", ".max_iterations")) and not path.endswith(GONE)]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [path for i, pair in enumerate(zip(before, after)) for path in lost(*pair, f"{at}[{i}]")]
    encrypted = all(isinstance(value, str) and value.startswith("gAAAAA") for value in (before, after))
    return [] if before == after or encrypted else [at]  # encrypting the same twice gives two ciphertexts


def is_masked(value) -> bool:
    return value == MASK or isinstance(value, dict) and value != {} and all(map(is_masked, value.values()))


def describe(state: ConversationState) -> dict:
    branch = state.active_branch()
    visible = LLMConvertibleEvent.events_to_messages(state.view.events)
    llm = state.agent.llm
    return {
        "id": str(state.id),
        "execution_status": state.execution_status.value,
        "active_branch": [event.id for event in branch],
        "view": [event.id for event in state.view.events],
        "unmatched_actions": [event.id for event in ConversationState.get_unmatched_actions(branch)],
        "branch_messages": dumped(spoken_on(branch)),
        "branch_chat": [message.to_chat_dict(**CAN_DO_EVERYTHING) for message in spoken_on(branch)],
        "branch_responses": responses_of(llm, spoken_on(branch)),
        "messages": dumped(visible),
        "chat": llm.format_messages_for_llm(visible),
        "responses": responses_of(llm, visible),
        "stats": state.stats.model_dump(mode="json", exclude_none=True),
        "secrets": {
            name: source.get_value() if type(source).__name__ == "StaticSecret" else type(source).__name__
            for name, source in state.secret_registry.secret_sources.items()
        },
    }


def spoken_on(branch: list) -> list:
    return LLMConvertibleEvent.events_to_messages([event for event in branch if isinstance(event, LLMConvertibleEvent)])


def responses_of(llm, messages: list) -> dict:
    instructions, items = llm.format_messages_for_responses(messages)
    return {"instructions": instructions, "input": items}


def dumped(messages: list) -> list[dict]:
    return [message.model_dump(mode="json", exclude_none=True) for message in messages]
