"""`profile`: models under names, as the SDK keeps them."""

from __future__ import annotations

from pydantic import SecretStr

from openhands.sdk import LLM
from openhands.sdk.llm.llm_profile_store import LLMProfileStore


def profile(directory: str, name: str, fields: dict | None) -> dict:
    """Saves a model with these fields, if there are any; then what is read under this name."""
    store = LLMProfileStore(directory)
    if fields is not None:
        store.save(name, LLM(**fields, api_key=SecretStr("sk-not-written")))
    return {"ok": True, "llm": store.load(name).model_dump(mode="json")}
