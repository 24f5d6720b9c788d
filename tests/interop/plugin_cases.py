"""What the SDK makes of plugins: of directories, and of several of them together.

What it makes of the texts in their sources, servers and matchers is kept in tests/fixtures/plugins.json, which this file writes when it
is run; tests/plugins.rs holds the library against that.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from pathlib import Path

os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")

from openhands.sdk.hooks import HookConfig, HookEventType  # noqa: E402 - the environment above has to come first
from openhands.sdk.mcp.config import dump_mcp_config  # noqa: E402
from openhands.sdk.plugin import Plugin, PluginSource, ResolvedPluginSource  # noqa: E402
from openhands.sdk.skills.utils import expand_mcp_variables  # noqa: E402

FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "plugins.json"


def read_plugins(plugins: list[dict[str, str]]) -> list[dict]:
    """Each plugin, given as base64 by path, as the SDK loads it; the last answer is that of all together."""
    with tempfile.TemporaryDirectory() as place:
        loaded, found = [], []
        for number, files in enumerate(plugins):
            directory = Path(place).resolve() / str(number) / "plugin"
            for path, content in files.items():
                file = directory / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(base64.b64decode(content))
            try:
                plugin = Plugin.load(directory)
            except Exception as error:  # noqa: BLE001 - every refusal counts
                found.append({"error": f"{type(error).__name__}: {error}"})
                continue
            loaded.append(plugin)
            found.append(json.loads(json.dumps(dumped(plugin)).replace(f"{directory.parent}/", "")))
        together = merged(loaded)
        for number in range(len(plugins)):
            together = json.loads(json.dumps(together).replace(f"{Path(place).resolve()}/{number}/", ""))
        return [*found, together]


def plain(model) -> dict:
    return model.model_dump(mode="json", exclude_none=True)


def dumped(plugin: Plugin) -> dict:
    agents = []
    for agent in plugin.agents:
        servers = {} if agent.mcp_config is None else {"mcp_config": dump_mcp_config(agent.mcp_config)}
        agents.append({**plain(agent), **servers})
    return {
        "manifest": plain(plugin.manifest),
        "skills": [plain(skill) for skill in plugin.add_skills_to(None).skills],
        "commands": [plain(command) for command in plugin.commands],
        "agents": agents,
        "hooks": plain(plugin.hooks) if plugin.hooks is not None else None,
        "mcp_config": dump_mcp_config(plugin.mcp_config),
    }


def merged(plugins: list[Plugin]) -> dict:
    context, servers = None, {}
    for plugin in plugins:
        context = plugin.add_skills_to(context)
        servers = plugin.add_mcp_config_to(servers)
    hooks = HookConfig.merge([plugin.hooks for plugin in plugins if plugin.hooks is not None])
    return {
        "skills": [plain(skill) for skill in context.skills] if context else [],
        "mcp_config": dump_mcp_config(servers),
        "hooks": plain(hooks) if hooks is not None else None,
    }


def resumed_with(directory: str) -> list[dict]:
    """The plugins that Python loads for a stored conversation: each at its commit."""
    state = json.loads((Path(directory) / "base_state.json").read_text(encoding="utf-8"))
    stored = [ResolvedPluginSource.model_validate(plugin) for plugin in state["agent_state"]["resolved_plugins"]]
    return [plugin.to_plugin_source().model_dump(mode="json") for plugin in stored]


SOURCES = [
    {"source": "github:o/r"}, {"source": "github:o/r", "ref": "main", "repo_path": "plugins/one"}, {"source": "https://user:token@github.com/o/r.git", "ref": "v1"},
    {"source": "https://token@example.com/x@y"}, {"source": "git@github.com:o/r.git"}, {"source": "/home/me/plugin"}, {"source": "http://a:b@c/d"},
    {"source": "github:o/r", "repo_path": "../x"}, {"source": "github:o/r", "repo_path": "/x"}, {"source": "github:o/r", "repo_path": "a/../b"}, {"source": "github:o/r", "repo_path": "a/..b"},
]
SECRETS = {"TOKEN": "t-1", "HOST": "example.com", "TWICE": "${TOKEN}", "NAME": "x", "EMPTY": ""}
CONFIGS = [
    {"a": {"url": "https://${HOST}/${PATH_OF_NOTHING:-x}", "headers": {"${NAME}": "Bearer ${TOKEN}", "b": "${1}${}${UNKNOWN}${A_:-${TOKEN}}"}}},
    {"a": {"timeout": 5, "headers": {"a": "${TWICE}", "b": "$TOKEN ${TOKEN", "c": "${EMPTY:-d}${EMPTY}", "d": "${UNKNOWN:-}", "e": "${UNKNOWN:-a:-b}", "f": "${ TOKEN}${TOKEN }${TÖKEN}"}}},
]
HOOKS = {
    "PreToolUse": [
        {"matcher": matcher, "hooks": [{"command": command}]}
        for matcher, command in [
            ("*", "every"), ("", "empty"), ("terminal", "exact"), ("term", "part"), ("terminal|file_editor", "either"), ("/file_.*/", "pattern"), ("file_(", "broken"), ("/(/", "broken pattern"),
            ("Terminal", "case"), ("//", "slashes"), ("[a-z]+", "letters"), ("/", "slash"),
        ]
    ],
    "Stop": [{"matcher": "terminal", "hooks": [{"command": "never"}]}, {"hooks": [{"command": "always"}]}],
}
OCCASIONS = [["PreToolUse", "terminal"], ["PreToolUse", "file_editor"], ["PreToolUse", "file_("], ["PreToolUse", "//"], ["PreToolUse", "/"], ["PreToolUse", "terminal\n"], ["Stop", None], ["PostToolUse", "terminal"]]


def stored(source: dict) -> dict | None:
    """What the SDK stores of a source; null for one that it refuses."""
    try:
        return ResolvedPluginSource.from_plugin_source(PluginSource(**source), source.get("ref")).model_dump(mode="json")
    except ValueError:
        return None


def full_match(pattern: str, tool: str) -> bool | None:
    try:
        return re.fullmatch(pattern, tool) is not None
    except re.error:
        return None


def make() -> dict:
    hooks = HookConfig.from_dict(HOOKS)
    patterns = {matcher["matcher"].removeprefix("/").removesuffix("/") for matcher in HOOKS["PreToolUse"]} | {matcher["matcher"] for matcher in HOOKS["PreToolUse"]}
    tools = sorted({tool for _, tool in OCCASIONS if tool})
    return {
        "sources": [[source, stored(source)] for source in SOURCES],
        "secrets": SECRETS,
        "expanded": [[config, expand_mcp_variables(config, {}, get_secret=SECRETS.get)] for config in CONFIGS],
        "hooks": HOOKS,
        "stored_hooks": plain(hooks),
        "patterns": {pattern: {tool: full_match(pattern, tool) for tool in tools} for pattern in sorted(patterns)},
        "occasions": [[event, tool, [hook.command for hook in hooks.get_hooks_for_event(HookEventType(event), tool)]] for event, tool in OCCASIONS],
    }


def compared() -> tuple[int, list[str]]:
    """How many decisions are kept, and the parts of which the SDK says something else."""
    kept, said = json.loads(FIXTURE.read_text(encoding="utf-8")), json.loads(json.dumps(make()))
    return len(SOURCES) + len(CONFIGS) + len(OCCASIONS), [f"{part}: kept {kept.get(part)}, said {said[part]}" for part in said if kept.get(part) != said[part]]


if __name__ == "__main__":
    FIXTURE.write_text(json.dumps(make(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
