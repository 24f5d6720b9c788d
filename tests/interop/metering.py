"""`meter`: what the SDK counts for the answers of a server that somebody else scripted."""

from __future__ import annotations

from pydantic import SecretStr

from openhands.sdk import LLM
from openhands.sdk.llm.message import Message, TextContent


def meter(fields: dict, base_url: str, questions: int) -> dict:
    """As many questions as the server has answers; then the metrics as they are stored."""
    llm = LLM(**fields, base_url=base_url, api_key=SecretStr("sk-scripted"), num_retries=0, usage_id="agent")
    for _ in range(questions):
        message = Message(role="user", content=[TextContent(text="Go on.")])
        llm.completion([message], on_token=lambda _: None)
    return {"ok": True, "metrics": llm.metrics.model_dump(mode="json", exclude_none=True)}
