"""Sequences of events and what the SDK's stuck detector finds after each, kept in tests/fixtures/stuck_detector.json.

    stuck_cases.py                         whether the SDK still says what is kept: prints the cases that differ
    stuck_cases.py --write [SEED [COUNT]]  makes them anew

A case is "thresholds events findings": a letter for each event (see LETTERS), and for each event what the detector
says once it is there: `.` nothing, `n` a nudge, `s` stuck. After a nudge the event `N`, the reminder, is appended to the
log, as a run does. tests/conversation/stuck_detector.rs holds the library's detector against the same cases.
"""

from __future__ import annotations

import json
import os
import random
import sys
import types
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL")

from openhands.sdk.conversation.stuck_detector import StuckDetector  # noqa: E402 - the environment above has to come first
from openhands.sdk.conversation.types import StuckDetectionThresholds  # noqa: E402
from openhands.sdk.event import Event  # noqa: E402

FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "stuck_detector.json"


def message(source: str, role: str, text: str) -> dict:
    return {"source": source, "llm_message": {"role": role, "content": [{"type": "text", "text": text}]}, "kind": "MessageEvent"}


def action(data: dict | None, tool: str = "echo", thought: str = "Let me see.", arguments: str = "{}") -> dict:
    call = {"id": "call", "name": tool, "arguments": arguments, "origin": "completion"}
    event = {"source": "agent", "thought": [{"type": "text", "text": thought}], "tool_name": tool, "tool_call_id": "call"}
    if data is not None:
        event["action"] = {"data": data, "kind": "MCPToolAction"}
    return {**event, "tool_call": call, "llm_response_id": "response", "kind": "ActionEvent"}


def observation(texts: list[dict], is_error: bool = False) -> dict:
    result = {"content": texts, "is_error": is_error, "tool_name": "echo", "kind": "MCPToolObservation"}
    head = {"source": "environment", "tool_name": "echo", "tool_call_id": "call", "action_id": "action"}
    return {**head, "observation": result, "kind": "ObservationEvent"}


def error(text: str) -> dict:
    return {"source": "agent", "tool_name": "echo", "tool_call_id": "call", "error": text, "kind": "AgentErrorEvent"}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


REJECTION = {"source": "environment", "tool_name": "echo", "tool_call_id": "call", "action_id": "action", "kind": "UserRejectObservation"}
HOOK = {"source": "hook", "hook_event_type": "PreToolUse", "hook_command": "check", "success": True, "exit_code": 0, "kind": "HookExecutionEvent"}
FAILURE = {"source": "environment", "code": "Other", "detail": "It broke.", "kind": "ConversationErrorEvent"}
CONDENSATION = {"source": "environment", "forgotten_event_ids": [], "llm_response_id": "response", "kind": "Condensation"}

LETTERS = {
    "u": message("user", "user", "Go on."),
    "e": message("environment", "user", "By the way."),
    "m": message("agent", "assistant", "Hm."),
    "l": message("agent", "assistant", "Hm, hm."),
    "A": action({"text": "x", "list": [1, {"a": None}]}),
    "B": action({"list": [1.0, {"a": None}], "text": "x"}, arguments='{"text": "x"}'),
    "C": action({"text": "y"}),
    "D": action({"text": "y", "more": None}),
    "E": action({"text": "y"}, tool="other"),
    "F": action({"text": "y"}, thought="Again."),
    "I": action(None, arguments="{"),
    "J": action(None, arguments='{"text": 1}'),
    "a": observation([text("1")]),
    "b": observation([text("2")]),
    "c": observation([text("2")], is_error=True),
    "d": observation([text("2"), text("")]),
    "x": error("It failed."),
    "y": error("It failed otherwise."),
    "r": REJECTION,
    "p": {"source": "user", "kind": "PauseEvent"},
    "i": {"source": "user", "kind": "InterruptEvent"},
    "h": HOOK,
    "w": FAILURE,
    "k": CONDENSATION,
}

# What real histories are made of, so that patterns come up more often than by chance.
CYCLES = ["Aa", "Ba", "Ab", "Cx", "Ix", "Jx", "Iy", "Fb", "Ec", "AaCb", "AaCx", "AxCy", "AAab", "ACaa", "m", "me", "le", "ml", "Ar", "Dd", "Axm", "Ixme"]


def event(place: int, body: dict) -> Event:
    head = {"id": f"{place:08x}-0000-4000-8000-000000000000", "timestamp": "2026-01-31T09:15:02.123456"}
    return Event.model_validate_json(json.dumps({**head, **body}))


def find(thresholds: list[int], letters: str) -> str:
    log: list[Event] = []
    state = types.SimpleNamespace(active_branch=lambda limit: log[-limit:])
    names = ("action_observation", "action_error", "monologue", "alternating_pattern")
    detector = StuckDetector(state, StuckDetectionThresholds(**dict(zip(names, thresholds))))
    found = ""
    for letter in letters:
        log.append(event(len(log), LETTERS[letter]))
        nudge = detector.get_action_error_nudge()
        if nudge is not None:
            log.append(event(len(log), message("environment", "user", nudge)))
            found += "n"
        else:
            found += "s" if detector.is_stuck() else "."
    return found


def sequence(chance: random.Random) -> str:
    letters = ""
    while len(letters) < 8 or chance.random() < 0.7:
        if chance.random() < 0.6:
            letters += chance.choice(CYCLES) * chance.randint(1, 7)
        else:
            letters += "".join(chance.choices(list(LETTERS), k=chance.randint(1, 3)))
    return letters[:40]


def make(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    cases = []
    for number in range(count):
        thresholds = [4, 3, 3, 6] if number % 3 else [chance.randint(1, 6) for _ in range(4)]
        letters = sequence(chance)
        cases.append(f"{' '.join(map(str, thresholds))} {letters} {find(thresholds, letters)}")
    return cases


def compared() -> tuple[int, list[str]]:
    """How many cases are kept, and a sentence on each of which the SDK says something else."""
    kept = json.loads(FIXTURE.read_text(encoding="utf-8"))
    differing = [] if kept["letters"] == LETTERS else ["the kept letters are others"]
    for case in kept["cases"]:
        *thresholds, letters, found = case.split(" ")
        said = find([int(each) for each in thresholds], letters)
        if said != found:
            differing.append(f"{case}: the SDK says {said}")
    return len(kept["cases"]), differing


def main() -> None:
    if sys.argv[1:2] == ["--write"]:
        given = [int(word) for word in sys.argv[2:]]
        kept = {"letters": LETTERS, "cases": make(*given, *[1, 800][len(given) :])}
        FIXTURE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        return
    count, differing = compared()
    print("\n".join([*differing, f"{count} cases, {len(differing)} differ"]))
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
