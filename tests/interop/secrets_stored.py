"""`secrets`: what the SDK knows of a conversation's secrets under a passphrase, after setting further ones."""

from __future__ import annotations

import uuid
from pathlib import Path

from pydantic import SecretStr

from openhands.sdk import LLM, Agent, LocalConversation
from openhands.sdk.secret import LookupSecret, StaticSecret
from openhands.sdk.utils.cipher import Cipher

from opened import base_state, register_tools_of


def secrets(directory: Path, cipher: Cipher | None, update: dict, api_key: str | None) -> dict:
    """Opens with LocalConversation, creating what is not there; `api_key` is the key of the agent, else the stored one."""
    exists = (directory / "base_state.json").exists()
    if exists:
        register_tools_of(base_state(directory))
    agent = None if exists and api_key is None else Agent(llm=LLM(model="openai/gpt-4o", api_key=SecretStr(api_key or "")))
    conversation = LocalConversation(
        agent=agent,
        workspace=str(directory.parent / "workspace"),
        persistence_dir=str(directory.parent),
        conversation_id=uuid.UUID(hex=directory.name),
        visualizer=None,
        cipher=cipher,
        delete_on_close=False,
    )
    try:
        conversation.update_secrets({name: source(value) for name, value in update.items()})
        # Updating in place marks nothing as changed; setting a field has the state written.
        conversation.state.tags = {**conversation.state.tags, "seen": "yes"}
        registry = conversation.state.secret_registry
        key = conversation.state.agent.llm.api_key
        return {
            "ok": True,
            "values": {
                name: one.get_value() if isinstance(one, StaticSecret) else {"url": one.url, "headers": one.headers}
                for name, one in registry.secret_sources.items()
            },
            "descriptions": {name: one.description for name, one in registry.secret_sources.items()},
            "api_key": key.get_secret_value() if key else None,
        }
    finally:
        conversation.close()


def source(value):
    if isinstance(value, dict):
        return LookupSecret(**value) if "url" in value else StaticSecret(**value)
    return value
