"""`registered`: models that are added to a conversation's registry are asked once each, and then the agent's own."""

from __future__ import annotations

import uuid
from pathlib import Path

from pydantic import SecretStr

from openhands.sdk import LLM, LocalConversation
from openhands.sdk.llm.message import Message, TextContent
from openhands.sdk.utils.cipher import Cipher

from opened import base_state, open_state, register_tools_of
from resuming import QUESTION, at_home, stay_inside
from scripted_model import ScriptedModel


def registered(directory: Path, usage_ids: list[str], cipher: Cipher | None) -> dict:
    register_tools_of(base_state(directory))
    stay_inside(directory)
    model = ScriptedModel([{"content": "Asked by name."}] * len(usage_ids) + [{"content": "Asked by the agent."}])
    refused = []
    try:
        conversation = LocalConversation(
            agent=at_home(open_state(directory, cipher).agent, model, "chat"),
            workspace=str(directory.parent / "workspace"),
            persistence_dir=str(directory.parent),
            conversation_id=uuid.UUID(hex=directory.name),
            visualizer=None,
            cipher=cipher,
            delete_on_close=False,
        )
        conversation.send_message(QUESTION)
        registry = conversation.llm_registry
        for usage_id in usage_ids:
            # A copy of the agent's model would share its telemetry, and with it what it counts.
            llm = LLM(model="openai/gpt-4o-mini", base_url=model.base_url, api_key=SecretStr("sk-scripted"), num_retries=0, usage_id=usage_id)
            registry.add(llm)
            try:
                registry.add(llm)
            except ValueError:
                refused.append(usage_id)
            registry.get(usage_id).completion([Message(role="user", content=[TextContent(text=QUESTION)])])
        conversation.run()
        known = registry.list_usage_ids()
        conversation.close()
    finally:
        model.close()
    return {"ok": True, "registered": known, "refused": refused, "stats": base_state(directory)["stats"]}
