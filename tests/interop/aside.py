"""`aside`: the SDK asks a question, makes a title, and goes on with the stored critic, against a scripted model."""

from __future__ import annotations

import uuid
from pathlib import Path

from openhands.sdk import LocalConversation
from openhands.sdk.utils.cipher import Cipher

from opened import base_state, open_state, register_tools_of
from resuming import at_home, stay_inside
from scripted_model import ScriptedModel

MOST_ATTEMPTS = 5


def finish(turn: int) -> dict:
    function = {"name": "finish", "arguments": '{"message": "Done in Python."}'}
    return {"content": "", "tool_calls": [{"id": f"call_python_{turn}", "type": "function", "function": function}]}


def aside(directory: Path, cipher: Cipher | None) -> dict:
    register_tools_of(base_state(directory))
    stay_inside(directory)
    model = ScriptedModel([{"content": "An answer."}, {"content": "A title"}, *(finish(turn) for turn in range(MOST_ATTEMPTS))])
    try:
        stored = open_state(directory, cipher).agent
        agent = at_home(stored, model, "chat").model_copy(update={"critic": stored.critic})
        conversation = LocalConversation(
            agent=agent,
            workspace=str(directory.parent / "workspace"),
            persistence_dir=str(directory.parent),
            conversation_id=uuid.UUID(hex=directory.name),
            visualizer=None,
            cipher=cipher,
            delete_on_close=False,
        )
        before = len(conversation.state.events)
        answer = conversation.ask_agent("What did you do?")
        title = conversation.generate_title(max_length=20)
        appended = len(conversation.state.events) - before
        conversation.send_message("Go on.")
        conversation.run()
        state = conversation.state
        ratings = [event.critic_result for event in state.events if getattr(event, "critic_result", None) is not None]
        usage = {name: len(metrics.token_usages) for name, metrics in state.stats.usage_to_metrics.items()}
        attempts = state.agent_state.get("iterative_refinement_iteration")
        status = state.execution_status.value
        conversation.close()
    finally:
        model.close()
    return {
        "ok": True,
        "answer": answer,
        "title": title,
        "appended": appended,
        "asked": model.requests[0]["messages"],
        "critic": None if stored.critic is None else stored.critic.model_dump(mode="json"),
        "ratings": [rating.model_dump(mode="json") for rating in ratings],
        "usage": usage,
        "attempts": attempts,
        "execution_status": status,
    }
