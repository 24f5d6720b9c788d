"""Which kinds of SDK objects the fixtures show, and which they cannot."""

from __future__ import annotations

import json
from pathlib import Path

from openhands.sdk import Event
from openhands.sdk.agent.base import AgentBase
from openhands.sdk.context.condenser.base import CondenserBase
from openhands.sdk.critic.base import CriticBase
from openhands.sdk.secret.secrets import SecretSource
from openhands.sdk.security.analyzer import SecurityAnalyzerBase
from openhands.sdk.security.confirmation_policy import ConfirmationPolicyBase
from openhands.sdk.tool import Action, Observation, ToolDefinition
from openhands.sdk.utils.models import get_known_concrete_subclasses
from openhands.sdk.workspace.base import BaseWorkspace

FAMILIES = {
    "event": Event,
    "action": Action,
    "observation": Observation,
    "tool": ToolDefinition,
    "agent": AgentBase,
    "condenser": CondenserBase,
    "critic": CriticBase,
    "security_analyzer": SecurityAnalyzerBase,
    "confirmation_policy": ConfirmationPolicyBase,
    "secret_source": SecretSource,
    "workspace": BaseWorkspace,
}
SETS = "a set is replaced by its members before anything is written"
ABSENT = {
    "RemoteWorkspace": "only a client of an agent server has one, and it stores nothing itself",
    "BrowserToolSet": SETS,
    "TaskToolSet": SETS,
    "WorkflowToolSet": SETS,
}


def kinds_in(directory: Path) -> set[str]:
    found: set[str] = set()
    for path in directory.rglob("*.json"):
        if path.name == "base_state.json" or path.name.startswith("event-"):
            try:
                gather(json.loads(path.read_text(encoding="utf-8")), found)
            except ValueError:
                continue  # torn on purpose
    return found


def gather(value, found: set[str]) -> None:
    if isinstance(value, dict):
        if isinstance(value.get("kind"), str):
            found.add(value["kind"])
        for item in value.values():
            gather(item, found)
    elif isinstance(value, list):
        for item in value:
            gather(item, found)


def shown_kinds(directory: Path) -> dict:
    """The kinds of each family that are shown, those that cannot be, and those that nobody thought of."""
    found = kinds_in(directory)
    known = {family: sorted(kind.__name__ for kind in get_known_concrete_subclasses(base)) for family, base in FAMILIES.items()}
    return {
        "shown": {family: [name for name in names if name in found] for family, names in known.items()},
        "absent": ABSENT,
        "forgotten": [name for names in known.values() for name in names if name not in found and name not in ABSENT],
    }
