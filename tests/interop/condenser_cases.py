"""Random views and the decisions of the SDK's condensers about them, stored in tests/fixtures/condensers.json.

    condenser_cases.py                         compares the stored decisions with those of this SDK, and prints the cases that differ
    condenser_cases.py --write [SEED [COUNT]]  makes new cases with this SDK, which must be the newest
    condenser_cases.py --write-older           adds the decisions of this SDK where they differ: it must be the first of setup.mjs

A case has a log, written as one word for each event (see `event`), and a condenser. `is_running`: the view has grown
event by event as during a run, so it may have calls without results. `limit`: the tokens that the agent's model accepts.
`failures`: how often the model fails to write a summary. `answer` has:
    view      the places of the view's events in the log; `7s` is the summary of the condensation at 7
    cuts      the manipulation indices
    attempts  for each request for a summary the number of events, and the maximum length of an event's text
    result    the start and the end of the range that was replaced, or "view", or "impossible"
    after     the view with the condensation, whose summary is `new`
tests/format/condensers.rs compares the library with the same cases.
"""

from __future__ import annotations

import json
import os
import random
import sys
import types
import warnings
from pathlib import Path
from unittest.mock import patch

warnings.simplefilter("ignore")
os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL")

from litellm import token_counter  # noqa: E402 - the environment above has to come first

from openhands.sdk import LLM  # noqa: E402
from openhands.sdk.context.condenser import llm_summarizing_condenser as summarizing  # noqa: E402
from openhands.sdk.context.condenser.base import CondenserBase  # noqa: E402
from openhands.sdk.context.view import View  # noqa: E402
from openhands.sdk.event import Condensation, Event  # noqa: E402
from openhands.sdk.llm import Message, TextContent  # noqa: E402

FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "condensers.json"
CONVERSATIONS = FIXTURE.parent / "sdk-1.43.1"
MODEL = {"model": "gpt-4o", "usage_id": "condenser"}

# Versions before this function forget the system prompt as well.
IS_NEWEST = hasattr(summarizing, "_leading_system_prompt_index")


def identifier(place: int) -> str:
    return f"{place:08x}-0000-4000-8000-000000000000"


def content(length: int) -> list[dict]:
    return [{"type": "text", "text": "x" * length}]


def event(place: int, word: str, words: list[str]) -> Event:
    """The event of a word: its kind and its arguments.

    s u e m LENGTH                              the system prompt, messages of the user, the environment and the agent
    a t CALL,RESPONSE,THOUGHT,ARGUMENTS         an action, or one with signed reasoning; lengths of its texts
    o x r CALL                                  the result, error or rejection of a call
    c OFFSET:IDS                                a condensation that forgets these places
    q p                                         a request for a condensation, a pause
    """
    kind, rest = word[0], word[1:]

    def message(source: str, role: str) -> dict:
        return {"source": source, "llm_message": {"role": role, "content": content(int(rest))}, "kind": "MessageEvent"}

    def tool(source: str, kind: str, **fields: object) -> dict:
        action = next((index for index in range(place - 1, -1, -1) if words[index][0] in "at" and words[index][1:].split(",")[0] == rest), 0xFFFF)
        head = {"source": source, "tool_name": "echo", "tool_call_id": f"call{rest}"}
        return {**head, **({} if kind == "AgentErrorEvent" else {"action_id": identifier(action)}), **fields, "kind": kind}

    match kind:
        case "s":
            body = {"source": "agent", "system_prompt": content(int(rest))[0], "tools": [], "kind": "SystemPromptEvent"}
        case "u":
            body = message("user", "user")
        case "e":
            body = message("environment", "user")
        case "m":
            body = message("agent", "assistant")
        case "a" | "t":
            call, response, thought, arguments = map(int, rest.split(","))
            body = {
                "source": "agent",
                "thought": content(thought) if thought else [],
                "thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}] if kind == "t" else [],
                "action": {"data": {}, "kind": "MCPToolAction"},
                "tool_name": "echo",
                "tool_call_id": f"call{call}",
                "tool_call": {"id": f"call{call}", "name": "echo", "arguments": "x" * arguments, "origin": "completion"},
                "llm_response_id": f"response{response}",
                "kind": "ActionEvent",
            }
        case "o":
            result = {"content": content(20), "is_error": False, "tool_name": "echo", "kind": "MCPToolObservation"}
            body = tool("environment", "ObservationEvent", observation=result)
        case "x":
            body = tool("agent", "AgentErrorEvent", error="It failed.")
        case "r":
            body = tool("environment", "UserRejectObservation", rejection_reason="No.")
        case "q":
            body = {"source": "environment", "kind": "CondensationRequest"}
        case "p":
            body = {"source": "user", "kind": "PauseEvent"}
        case "c":
            offset, forgotten = rest.split(":")
            ids = [identifier(int(name[:-1])) + "-summary" if name.endswith("s") else identifier(int(name)) for name in forgotten.split(",") if name]
            body = {"source": "environment", "forgotten_event_ids": ids, "summary": "What was.", "summary_offset": int(offset), "llm_response_id": "answer", "kind": "Condensation"}
        case _:
            raise ValueError(word)
    return Event.model_validate_json(json.dumps({"id": identifier(place), "timestamp": "2026-01-31T09:15:02.123456", **body}))


def name(event_id: str) -> str:
    return f"{int(event_id[:8], 16)}{'s' if event_id.endswith('-summary') else ''}"


def count(messages: list[Message], **_: object) -> int:
    """A counter of tokens that is easily repeated elsewhere."""
    texts = sum(len(part.text) for message in messages for part in message.content if isinstance(part, TextContent))
    calls = sum(len(call.arguments) for message in messages for call in message.tool_calls or [])
    return 4 * len(messages) + texts + calls


def view_of(case: dict) -> View:
    words = case["events"].split()
    log = [event(place, word, words) for place, word in enumerate(words)]
    if not case["is_running"]:
        return View.from_events(log)
    view = View()
    for each in log:
        view.append_event(each)
    return view


def condenser_of(stored: dict) -> CondenserBase:
    # As text, because some versions of the SDK take `kind` out of the object that they are given.
    return CondenserBase.model_validate_json(json.dumps(stored))


def longest(view: View) -> int:
    return max((len(str(each)) for each in view.events), default=0)


def answer(case: dict) -> dict:
    view = view_of(case)
    decided: dict = {"view": " ".join(name(each.id) for each in view.events)}
    try:
        decided["cuts"] = " ".join(map(str, sorted(view.manipulation_indices)))
    except KeyError:
        decided["cuts"] = "error"
    attempts: list[list] = []

    def answered(*_: object, **__: object) -> types.SimpleNamespace:
        if len(attempts) <= case["failures"]:
            raise RuntimeError("The model failed.")
        return types.SimpleNamespace(id="answer", message=Message(role="assistant", content=[TextContent(text="What was.")]))

    # The place in the view and the texts of one request.
    lengths: list[int | None] = []

    def truncated(text: str, truncate_after: int | None = None) -> str:
        lengths.append(truncate_after)
        return text

    def rendered(*_: object, **__: object) -> str:
        if lengths:
            attempts.append([len(lengths), lengths[0]])
            lengths.clear()
        return "Prompt."

    agent_llm = types.SimpleNamespace(effective_max_input_tokens=case["limit"], get_token_count=count)
    with (
        patch.object(LLM, "generate", answered, create=True),
        patch.object(LLM, "completion", answered),
        patch.object(summarizing, "maybe_truncate", truncated),
        patch.object(summarizing, "render_template", rendered),
    ):
        condenser = condenser_of(case["condenser"])
        try:
            result = condenser.condense(view, agent_llm=agent_llm)
        except KeyError:
            decided.update(attempts=attempts, result="error")
            return decided
        except Exception:  # noqa: BLE001 - nothing can be condensed: the run ends with the error
            decided.update(attempts=attempts, result="impossible")
            return decided
    decided["attempts"] = attempts
    if isinstance(result, Condensation):
        places = [place for place, each in enumerate(view.events) if each.id in result.forgotten_event_ids]
        view.append_event(result)
        decided["after"] = " ".join("new" if each.id.startswith(result.id) else name(each.id) for each in view.events)
        assert places == list(range(places[0], places[-1] + 1)) and result.summary_offset == places[0]
        decided["result"] = [places[0], places[-1] + 1]
    else:
        assert result is view
        decided["result"] = "view"
    return decided


class RandomLog:
    """A random log, in words."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.words, self.calls, self.responses = chance, [], 0, 0
        self.lengths = chance.choice([20, 100, 300])

    def length(self) -> int:
        return self.chance.randint(1, self.lengths)

    def turn(self) -> None:
        """A response with calls, and their results; sometimes one comes late, twice, or not at all."""
        chance = self.chance
        self.responses += 1
        kind = "t" if chance.random() < 0.25 else "a"
        calls = range(self.calls, self.calls + chance.choice([1, 1, 1, 2, 3]))
        self.calls = calls.stop
        results = [f"{chance.choices('oxr', [8, 1, 1])[0]}{call}" for call in calls]
        if chance.random() < 0.2:
            chance.shuffle(results)
        if chance.random() < 0.05:
            results.append(chance.choice(results).replace("x", "o"))
        if chance.random() < 0.07:
            results.pop(chance.randrange(len(results)))
        if chance.random() < 0.07:
            results.insert(chance.randint(0, len(results)), chance.choice([f"u{self.length()}", "p", f"e{self.length()}"]))
        is_split = chance.random() < 0.1
        for number, call in enumerate(calls):
            thought = self.length() if number == 0 and chance.random() < 0.5 else 0
            self.words.append(f"{kind if number == 0 else 'a'}{call},{self.responses},{thought},{self.length()}")
            own = next((result for result in results if result[1:] == str(call)), None)
            if is_split and own and chance.random() < 0.5:
                results.remove(own)
                self.words.append(own)
        self.words += results

    def condense(self) -> None:
        view = view_of({"events": " ".join(self.words), "is_running": True})
        cuts = sorted(view.manipulation_indices)
        if self.chance.random() < 0.8:
            start, end = sorted(self.chance.choices(cuts, k=2))
            ids = [name(each.id) for each in view.events[start:end]]
            offset = start
        else:
            ids = [name(each.id) for each in view.events if self.chance.random() < 0.3]
            offset = self.chance.randint(0, len(view) - len(ids))
        self.words.append(f"c{offset}:{','.join(ids)}")

    def extend(self) -> None:
        kind = self.chance.random()
        if kind < 0.6:
            self.turn()
        elif kind < 0.75:
            self.words.append(f"u{self.length()}")
        elif kind < 0.85:
            self.words.append(f"m{self.length()}")
        elif kind < 0.9:
            self.words.append(self.chance.choice(["p", f"e{self.length()}"]))
        elif kind < 0.94:
            self.words.append("q")
        elif self.words:
            self.condense()


def random_log(chance: random.Random) -> str:
    log = RandomLog(chance)
    if chance.random() < 0.9:
        log.words.append(f"s{log.length()}")
    size = chance.choice([0, 3, 10, 25, 50])
    while len(log.words) < size:
        log.extend()
    if chance.random() < 0.3:
        log.words.append("q")
    return " ".join(log.words)


def condenser(chance: random.Random) -> dict:
    max_size = chance.choice([chance.randint(4, 14), chance.randint(10, 40), 240])
    fields: dict = {"max_size": max_size, "keep_first": chance.randint(0, min(max_size // 2 - 2, 8))}
    if chance.random() < 0.4:
        fields["max_tokens"] = chance.choice([chance.randint(0, 500), chance.randint(300, 3000)])
    if chance.random() < 0.3:
        fields["minimum_progress"] = chance.choice([0.02, 0.25, 0.5, 0.9])
    if chance.random() < 0.3:
        fields["hard_context_reset_max_retries"] = chance.randint(1, 7)
        fields["hard_context_reset_context_scaling"] = chance.choice([0.1, 0.29, 0.5, 0.7, 0.99])
    return {"llm": MODEL, **fields, "kind": "LLMSummarizingCondenser"}


def any_condenser(chance: random.Random, depth: int = 0) -> dict:
    kind = chance.random()
    if kind < 0.04:
        return {"kind": "NoOpCondenser"}
    if kind < 0.2 and depth < 2:
        return {"condensers": [any_condenser(chance, depth + 1) for _ in range(chance.randint(0, 3))], "kind": "PipelineCondenser"}
    return condenser(chance)


def make(seed: int, number: int) -> list[dict]:
    chance = random.Random(seed)
    cases = []
    while len(cases) < number:
        case = {
            "events": random_log(chance),
            "is_running": chance.random() < 0.4,
            "condenser": any_condenser(chance),
            "limit": chance.choice([None, chance.randint(50, 4000)]),
            "failures": chance.choice([0, 0, 0, 1, 2, chance.randint(0, 9)]),
        }
        case["longest"] = longest(view_of(case))
        cases.append({**case, "answer": answer(case)})
    return cases


def stored(seed: int) -> list[str]:
    """Condensers as the SDK stores them."""
    chance = random.Random(seed)
    flat = [condenser_of(condenser(chance)) for _ in range(6)]
    pipeline = condenser_of({"condensers": [condenser(chance), condenser(chance)], "kind": "PipelineCondenser"})
    nothing = condenser_of({"kind": "NoOpCondenser"})
    return [each.model_dump_json(exclude_none=True) for each in [*flat, pipeline, nothing]]


def texts(seed: int) -> list[list]:
    """Texts of many kinds with their number of tokens."""
    chance = random.Random(seed)
    prose = [
        "The quick brown fox jumps over the lazy dog, although nobody had asked it to do so on a Sunday morning. ",
        "Notwithstanding incomprehensible counterrevolutionary internationalization, uncharacteristically straightforward interdisciplinary characterizations. ",
        "Der schnelle braune Fuchs springt über den faulen Hund, während die Straßenbahn gemächlich um die Ecke fährt. ",
        "Les élèves étaient déjà à l'école lorsque la neige a commencé à tomber sur les forêts et les châteaux. ",
        "Съешь же ещё этих мягких французских булок, да выпей чаю, пока он не остыл окончательно. ",
        "素早い茶色の狐がのろまな犬を飛び越えたので、みんなはとても驚いてしまいました。",
        "敏捷的棕色狐狸跳过了懒狗,所有人都感到非常惊讶,但是没有人说什么。",
        "빠른 갈색 여우가 게으른 개를 뛰어넘었고, 사람들은 모두 깜짝 놀랐습니다. ",
        "الثعلب البني السريع يقفز فوق الكلب الكسول بينما ينظر الجميع في دهشة. ",
        "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है और सब लोग देखते रह जाते हैं। ",
        "Done 🎉🎉 see 👩‍💻 and 🚀, thanks 🙏🏽! ",
        "def f(self, items: list[str]) -> dict[str, int]:\n    return {item: len(item) for item in items if item}\n\n",
        '{"name":"threadkeep","version":"0.1.0","files":["a/b.rs","c_d-e.txt"],"size":123456789,"ok":true,"none":null}',
        "| id | name | price |\n|---|---|---|\n| 17 | Ålesund | 12.50 € |\n",
        "<div class=\"card\"><a href=\"https://example.com/a?b=c&d=e\">Read&nbsp;more</a></div>\n",
        "error[E0308]: mismatched types\n  --> src/main.rs:12:5\n   |\n12 |     foo(bar);\n   |     ^^^^^^^^ expected `u64`, found `&str`\n",
        "HTTP/1.1 404 NOT FOUND\r\nContent-Type: TEXT/HTML; CHARSET=UTF-8\r\nX-REQUEST-ID: ABCDEFG\r\n\r\n",
        "the of a to in is it we he me at on by or if so up as an no ",
        "SELECT u.id, COUNT(*) FROM users u WHERE u.createdAt > '2026-01-31T09:15:02' GROUP BY 1;\n",
        "----------------\n================\n................\n\t\t\tx\n        y\n",
    ]
    alphabets = ["0123456789", "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"]
    made = prose + ["".join(chance.choices(letters, k=length)) for letters in alphabets for length in (40, 300)]
    made += [" ".join(chance.choices(prose, k=3)) for _ in range(10)] + ["hello", "", "x" * 200, " " * 200, "ab " * 60]
    return [[text, token_counter(model="gpt-4", text=text)] for text in made]


def conversations() -> list[list]:
    """The conversations of the first version of the SDK, and how many tokens the messages of their views have."""
    llm = LLM(**MODEL)
    counted = []
    for entry in json.loads((CONVERSATIONS / "index.json").read_text(encoding="utf-8"))["conversations"]:
        if entry["opens"]:
            path = CONVERSATIONS / entry["directory"]
            messages = json.loads((path.parent / f"{path.name}.expected.json").read_text(encoding="utf-8"))["messages"]
            texts = [Message.model_validate(message) for message in messages]
            counted.append([entry["directory"], llm.get_token_count(texts)])
    return counted


def expected(case: dict) -> dict:
    return case["answer"] if IS_NEWEST else case.get("older", case["answer"])


def compared() -> tuple[int, list[str]]:
    """The number of cases, and a sentence about each for which this SDK decides otherwise."""
    fixture = json.loads(FIXTURE.read_text(encoding="utf-8"))
    differing = []
    for case in fixture["cases"]:
        current = answer(case)
        if current != expected(case):
            differing.append(f"{case['events']}: the SDK answers {current}, the fixture has {expected(case)}")
    return len(fixture["cases"]), differing


def write(fixture: dict) -> None:
    lines = {key: ",\n".join(json.dumps(each, ensure_ascii=False) for each in value) for key, value in fixture.items()}
    FIXTURE.write_text("{\n" + ",\n".join(f'"{key}": [\n{value}\n]' for key, value in lines.items()) + "\n}\n", encoding="utf-8")


def main() -> None:
    if sys.argv[1:2] == ["--write"]:
        assert IS_NEWEST, "use the newest version of the SDK"
        given = [int(number) for number in sys.argv[2:]]
        seed, number = [*given, *[1, 400][len(given) :]]
        write({"cases": make(seed, number), "stored": stored(seed), "texts": texts(seed), "conversations": conversations()})
        return
    if sys.argv[1:2] == ["--write-older"]:
        assert not IS_NEWEST, "use the first version of the SDK"
        fixture = json.loads(FIXTURE.read_text(encoding="utf-8"))
        for case in fixture["cases"]:
            case.pop("older", None)
            if (older := answer(case)) != case["answer"]:
                case["older"] = older
        write(fixture)
        return
    number, differing = compared()
    print("\n".join([*differing, f"{number} cases, {len(differing)} differ"]))
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
