"""What the SDK's security analyzers say of actions, and where Python finds a pattern."""

from __future__ import annotations

import re

from openhands.sdk.event import Event
from openhands.sdk.security.analyzer import SecurityAnalyzerBase


def judge(analyzer: dict, actions: list[dict]) -> dict:
    """The risk of each action; also what the analyzer is written as once it was read."""
    read = SecurityAnalyzerBase.model_validate(analyzer)
    risks = [read.security_risk(Event.model_validate(action)).value for action in actions]
    return {"ok": True, "risks": risks, "written": read.model_dump(mode="json", exclude_none=True)}


def search(patterns: list) -> dict:
    """For each pattern and each of its texts whether it is found, case ignored; null for a pattern that Python refuses."""
    found = []
    for pattern, texts in patterns:
        try:
            compiled = re.compile(pattern, re.IGNORECASE)
        except re.error:
            found.append(None)
        else:
            found.append([compiled.search(text) is not None for text in texts])
    return {"ok": True, "found": found}
