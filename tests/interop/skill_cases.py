"""What the SDK makes of skills: kept in tests/fixtures/skills.json.

    skill_cases.py            whether the SDK still says what is kept: prints the parts that differ
    skill_cases.py --write    makes the fixture anew

`words`: for each keyword a digit for each text, 1 where the keyword is found. `globs`: the same for paths.
`dates`: a stored date, and how the system prompt has it.
`paths`: a working directory, the path of a call, and that path relative to the directory (null: outside).
`contexts`: an AgentContext as the SDK writes it, and the texts that it adds: to the system prompt, to messages one
after the other, to the results of calls with paths, and as results of invoke_skill.
All sentences are ours: in the system prompt those of src/skills/prompts, else those of skill_words.py. tests/skills.rs holds the library against this.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import types
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL")

from openhands.sdk import AgentContext, Message, TextContent  # noqa: E402 - the environment above has to come first
from openhands.sdk.context.prompts.sections import dynamic  # noqa: E402
from openhands.sdk.conversation.impl.local_conversation import LocalConversation  # noqa: E402
from openhands.sdk.event import Event  # noqa: E402
from openhands.sdk.skills.skill import Skill, _keyword_matches, path_matches_glob  # noqa: E402
from openhands.sdk.tool.builtins.invoke_skill import InvokeSkillAction, InvokeSkillExecutor  # noqa: E402
from openhands.sdk.workspace import LocalWorkspace  # noqa: E402

from skill_words import say_of_skills  # noqa: E402

TESTS = Path(__file__).resolve().parent.parent
FIXTURE = TESTS / "fixtures" / "skills.json"
PROMPTS = TESTS.parent / "src" / "skills" / "prompts"

KEYWORDS = [
    "git", "GitHub", "issue", "/linear", "linear", "c++", "c", ".net", "node.js", "a", "aa", "aba", "a a", "-x", "x-", "--", "é", "café", "É", "straße", "STRASSE", "İ", "i", "ﬁ",
    "日本", "本", "🙂", "don't", "42", "4", "a.b", "(", "[a-z]", "\\d", "$", "^", "|", " ", "  ", "\t", "new\nline", "line", "σ", "Σ", "ς", "_", "a_b", "tissue", "docker compose", "@bot", "#tag", "",
]
PIECES = [
    "git", "GIT", "github", "Git", "hub", "issue", "tissue", "issues", "/linear", "linear", "c++", "c", ".net", "node.js", "nodejs", "a", "aa", "aaa", "aba", "ababa", "-x", "--", "é", "É", "café", "CAFÉ",
    "straße", "STRASSE", "İ", "I", "i", "ﬁ", "日本", "日本語", "🙂", "don't", "DON'T", "42", "142", "4", "a.b", "axb", "(", "[a-z]", "\\d", "$", "^", "|", "line", "new\nline", "ΣΑΣ", "σ", "ς", "_", "a_b",
    "docker compose", "docker  compose", "@bot", "#tag", "\u00a0", "\u200b", "e\u0301", "K",
]
JOINTS = ["", "", " ", " ", " ", ", ", ".", "-", "/", "\n", "_", "é", "1", "x", "\t"]
GLOBS = [
    "*.py", "**/*.py", "src/*.py", "src/**", "src/**/*.py", "**", "*", "?", "??.py", "a?c", "docs/", "/docs/*", "docs/*/x", "**/docs/**", "a/**/b", "a**b", "**a", "***", "**/", "x.[ch]", "x.c", "{a,b}", "é*", "日?",
    "SRC/*", ".*", "src", "src/", "*/*", "a b", "+", "a.b", "README.md", "**/README.md", "a/*/c/**/d?", "\n", "",
]
NAMES = ["src", "docs", "a", "b", "c", "d", "x", "x.py", "y.py", ".py", "abc", "ac", "README.md", "x.c", "x.h", "é", "éa", "日本", "SRC", "a b", "{a,b}", "[ch]", ".env", "a.b", "axb", "+", "d1", "\n"]
DATES = [
    "2026-01-01T12:00:00+00:00", "2026-01-01T12:00:59.999999", "2026-01-01 12:00", "2026-01-01T12:00Z", "2026-01-01t12:00z", "2026-01-01", "Monday", "2026-01-01T12:00:00+05:30", "2026-01-01T12:00:00 +05:30",
    "20260101T120000", "2026-13-01T12:00", "2026-01-01T24:00", "2026-01-01T12:60", "2026-01-01T12:00:60", "2026-01-01T12", "2026-01-01T12:00:00-0530", "2026-01-01T12:00:00+05", "2026-01-01T12:00:00.", "2026-1-1T12:00", "12:00", "é",
]
WORKSPACES = ["/ws", "/ws/", "/ws/deep/er", "/"]
CALLED = [
    "a.py", "./a.py", "src//a.py", "src/./a.py", "../a.py", "/ws/a.py", "/ws//src/a.py", "/ws", "/ws/deep/er/x", "/ws/deep/x", "/other/a.py", "/ws/a/../b.py", "/other/../ws/x.py", "/wsx/a.py", "/", ".", "a/", "/ws/../x", "a/../b",
]


def digits(answers) -> str:
    return "".join("1" if answer else "0" for answer in answers)


def texts(chance: random.Random) -> list[str]:
    made = list(PIECES)
    while len(made) < 400:
        words = [chance.choice(PIECES) for _ in range(chance.randint(1, 7))]
        made.append("".join(word + chance.choice(JOINTS) for word in words))
    return made


def paths(chance: random.Random) -> list[str]:
    made = list(NAMES)
    while len(made) < 300:
        made.append("/".join(chance.choice(NAMES) for _ in range(chance.randint(1, 5))))
    return made


def relative(workspace: str, path: str) -> str | None:
    action = Event.model_validate(
        {
            "id": "a", "source": "agent", "thought": [], "tool_name": "t", "tool_call_id": "c", "llm_response_id": "r", "kind": "ActionEvent",
            "tool_call": {"id": "c", "name": "t", "arguments": "{}", "origin": "completion"}, "action": {"thought": "x", "kind": "ThinkAction"},
        }
    )
    object.__setattr__(action, "action", types.SimpleNamespace(path=path))

    class Events(list):
        def get_index(self, _):
            return 0

    conversation = types.SimpleNamespace(_state=types.SimpleNamespace(events=Events([action])), workspace=LocalWorkspace(working_dir=workspace))
    return LocalConversation._touched_rule_path(conversation, types.SimpleNamespace(action_id="a"))


WORDS = {"type": "keyword", "keywords": ["weather", "Wetter"]}
CONTEXTS = [
    {"skills": []},
    {"skills": [], "user_message_suffix": "  Please.\n", "system_message_suffix": "\n Answer in English. "},
    {"skills": [], "user_message_suffix": " \n", "system_message_suffix": " ", "current_datetime": "2026-01-01T12:00:00+00:00"},
    {"skills": [{"name": "house", "content": "Be brief.", "source": "house.md"}, {"name": "claude", "content": "For one."}, {"name": "Gemini", "content": "For another."}]},
    {
        "skills": [
            {"name": "weather", "content": "It rains in Bergen.\n", "trigger": WORDS},
            {"name": "sailing", "content": "# Sailing\n\n  Mind the <weather> & the tide.\nMore.", "trigger": WORDS, "source": "/skills/sailing/SKILL.md", "is_agentskills_format": True},
            {"name": "hidden", "content": "Nobody asks for this.", "trigger": {"type": "keyword", "keywords": ["secret"]}, "disable_model_invocation": True},
            {"name": "empty", "content": "", "trigger": {"type": "keyword", "keywords": ["nothing"]}},
            {"name": "headings", "content": "# One\n## Two\n", "is_agentskills_format": True},
            {"name": "described", "content": "Text.", "description": "  Knows <a> & \"b\".  ", "is_agentskills_format": True, "license": "MIT", "allowed_tools": ["terminal"], "metadata": {"a": "b"}},
            {"name": "long", "content": "First line\n" + "x" * 2000, "description": "d" * 1024, "is_agentskills_format": True},
            {"name": "long-line", "content": "y" * 3000 + "\nSecond.", "is_agentskills_format": True},
            {"name": "report", "content": "Write about ${topic}.", "trigger": {"type": "task", "triggers": ["/report"]}, "inputs": [{"name": "topic", "description": "What about"}]},
            {"name": "python", "content": "Four spaces.", "trigger": {"type": "path", "paths": ["*.py", "src/**"]}, "source": ".rules/python.md"},
            {"name": "sources", "content": "Mind the sources.", "trigger": {"type": "path", "paths": ["src/**"]}},
            {"name": "always", "content": "Always.\n"},
        ],
        "user_message_suffix": "Please.",
        "system_message_suffix": "Answer in English.",
        "disabled_skills": ["rowing"],
        "secrets": {"HARBOUR": "not-a-secret"},
        "current_datetime": "2026-01-01T12:00:00+00:00",
    },
    {
        "skills": [
            {"name": "one", "content": "1", "trigger": {"type": "keyword", "keywords": ["", "x"]}},
            {"name": "two", "content": "2", "trigger": {"type": "keyword", "keywords": []}},
            {"name": "three", "content": " {{ 3 }} {% if %} \n", "trigger": {"type": "task", "triggers": ["x"]}, "source": ""},
            {"name": "rowing", "content": "Rows.", "trigger": {"type": "keyword", "keywords": ["x"]}},
        ],
        "disabled_skills": ["rowing"],
    },
]
MESSAGES = [["Hello"], ["What is the WEATHER?"], ["weather", "secret"], [""], ["/report on x", "nothing"], [" \n"], ["x"], ["one", "x"], ["Wetterbericht"], ["no\u00a0weather"]]
TOUCHED = ["notes.txt", "src/a.txt", "x.py", "src/b.py"]
INVOKED = ["sailing", " described ", "hidden", "python", "nobody", "", "always", "weather"]
MODELS = ["gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro", "scripted", "mistral/large"]
SECRETS = [{"name": "TOKEN", "description": "A token."}, {"name": "HARBOUR", "description": "Where ships are."}, {"name": "PLAIN", "description": None}]


def frame(name: str) -> tuple[str, str]:
    return tuple((PROMPTS / f"{name}.md").read_text(encoding="utf-8").rstrip().split("@@"))


def framed(name: str, content: str) -> str:
    before, after = frame(name)
    return before + content + after


# What the sections put into their frames is the SDK's; each frame is ours.
OURS = {
    "RepoContextSection": lambda _, it: framed("repo_context", "".join(f"\n[BEGIN context from [{name}]]\n{content}\n[END Context]\n" for name, content in it.repo_skills)),
    "MemoryContextSection": lambda _, it: framed("memory_context", it.memory_context),
    "AvailableSkillsSection": lambda _, it: framed("skills", it.available_skills_prompt),
    "CustomSecretsSection": lambda _, it: framed("custom_secrets", "".join(f"\n* **{name}**" + (f" - {about}" if about else "") for name, about in it.secret_infos)),
    "DateTimeSection": lambda _, it: framed("current_datetime", it.now),
}


def system_prompt(context: AgentContext, model: str, secrets: list[dict]) -> str | None:
    theirs = {name: getattr(dynamic, name).render for name in OURS}
    try:
        for name, render in OURS.items():
            getattr(dynamic, name).render = render
        return context.get_system_message_suffix(model, None, secrets)
    finally:
        for name, render in theirs.items():
            getattr(dynamic, name).render = render


def used(given: dict) -> dict:
    # Written and read again, as after a reload.
    written = AgentContext(**given).model_dump(mode="json", exclude_none=True, context={"expose_secrets": False})
    if "current_datetime" not in given:
        del written["current_datetime"]
    context = AgentContext.model_validate_json(json.dumps(written))
    if "current_datetime" not in given:
        context = context.model_copy(update={"current_datetime": "2026-01-31T09:15"})
    active: list[str] = []
    rules: list[str] = []
    messages = []
    for parts in MESSAGES:
        message = Message(role="user", content=[TextContent(text=part) for part in parts])
        added = context.get_user_message_suffix(message, active)
        messages.append({"parts": parts, "activated": added[1] if added else [], "text": added[0].text if added else None})
        active.extend(added[1] if added else [])
    results = []
    for path in TOUCHED:
        added = context.get_tool_use_suffix(path, rules)
        results.append({"path": path, "text": added[0].text if added else None})
        rules.extend(added[1] if added else [])
    state = types.SimpleNamespace(agent=types.SimpleNamespace(agent_context=context), workspace=types.SimpleNamespace(working_dir="/ws"), invoked_skills=[])
    opened = []
    for name in INVOKED:
        observation = InvokeSkillExecutor()(InvokeSkillAction(name=name), types.SimpleNamespace(state=state))
        opened.append({"name": name, "text": observation.text, "is_error": observation.is_error, "skill_name": observation.skill_name})
    has_tool = any(skill.is_agentskills_format and not skill.disable_model_invocation for skill in context.skills)
    return {
        "context": written, "system": {model: system_prompt(context, model, []) for model in MODELS}, "with_secrets": system_prompt(context, "scripted", SECRETS), "messages": messages,
        "activated": active, "results": results, "rules": rules, "has_tool": has_tool, "opened": opened, "invoked": state.invoked_skills,
    }


def make() -> dict:
    chance = random.Random(1)
    said, named = texts(chance), paths(chance)
    return {
        "texts": said,
        "words": {keyword: digits(_keyword_matches(keyword, text.lower()) for text in said) for keyword in KEYWORDS},
        "files": named,
        "globs": {glob: digits(path_matches_glob(path, glob) for path in named) for glob in GLOBS},
        "paths": [[workspace, path, relative(workspace, path)] for workspace in WORKSPACES for path in CALLED],
        "dates": {date: AgentContext.model_validate_json(json.dumps({"current_datetime": date})).get_formatted_datetime() for date in DATES},
        "secrets": SECRETS,
        "contexts": [used(given) for given in CONTEXTS],
    }


def compared() -> tuple[int, list[str]]:
    """How many decisions are kept, and the parts of which the SDK says something else."""
    kept, said = json.loads(FIXTURE.read_text(encoding="utf-8")), json.loads(json.dumps(make()))
    differing = [f"{part}: {differences(kept.get(part), said[part])}" for part in said if kept.get(part) != said[part]]
    return len(kept["texts"]) * len(kept["words"]) + len(kept["files"]) * len(kept["globs"]) + len(kept["paths"]), differing


def differences(kept, said, at: str = "") -> list[str]:
    if isinstance(kept, dict) and isinstance(said, dict):
        return [line for key in kept.keys() | said.keys() for line in differences(kept.get(key), said.get(key), f"{at}.{key}")][:20]
    if isinstance(kept, list) and isinstance(said, list) and len(kept) == len(said):
        return [line for i, pair in enumerate(zip(kept, said)) for line in differences(*pair, f"{at}[{i}]")][:20]
    return [] if kept == said else [f"{at}: kept {str(kept)[:300]!r}, said {str(said)[:300]!r}"]


def read_files(texts: list[str]) -> list[dict | None]:
    """Each text as the SDK reads it from a/SKILL.md; null for one that it refuses."""
    skills: list[dict | None] = []
    for text in texts:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "a" / "SKILL.md"
            path.parent.mkdir()
            path.write_bytes(text.encode())
            try:
                skill = Skill.load(path).model_dump(mode="json", exclude_none=True)
                skills.append({**skill, "source": "a/SKILL.md"})
            except Exception:  # noqa: BLE001 - every refusal counts
                skills.append(None)
    return skills


def main() -> None:
    say_of_skills()
    if sys.argv[1:2] == ["--write"]:
        FIXTURE.write_text(json.dumps(make(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return
    count, differing = compared()
    print("\n".join([*differing, f"{count} decisions, {len(differing)} parts differ"]))
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
