"""Ask the real OpenHands SDK about conversations: directories (base_state.json beside events/) or zips of them.

    sdk.py check    PATH...                one JSON object per line and conversation; exit code 1 if any is refused
    sdk.py resume   PATH... --reply TEXT   one more user message against a scripted model: its request, the events added
    sdk.py requests PATH... --text TEXT    the exact chat-completions request for the next user message
    sdk.py secrets  PATH... --cipher TEXT  the values that the SDK reads under this passphrase
    sdk.py --serve                         a JSON command per input line, a JSON answer per output line

With --bare nothing of openhands-tools is imported, as in a program that uses only openhands-sdk.

A line for --serve is {"command": "check" | "resume" | "requests" | "secrets", "path": ..., "reply": ..., "text": ..., "cipher": ...},
{"command": "aside", "path": ...}, {"command": "registered", "path": ..., "usage_ids": [name, ...]},
or {"command": "decide", "path": ..., "decision": "approve" | "reject", "reply": ...},
or {"command": "meter", "llm": ..., "base_url": ..., "questions": ...}, {"command": "judge", "analyzer": ..., "actions": [...]}, {"command": "skill-files", "files": [text, ...]}, {"command": "search", "patterns": [[pattern, [text, ...]], ...]},
{"command": "profile", "path": ..., "name": ..., "llm": ...},
{"command": "tools", "sequences": [{"root": ..., "home": ..., "files": {path: base64}, "calls": [[tool, arguments], ...]}]},
{"command": "plugins", "plugins": [{path: base64}]}, {"command": "resumed-plugins", "path": ...},
{"command": "folders"}, which has those of the SDK's sources,
or {"command": "stuck"}, {"command": "condensers"}, {"command": "skills"} and {"command": "plugin-texts"}, which compare them with their fixtures;
anything else the SDK or its libraries print goes to stderr.
With "api_mode": "responses" or "anthropic" a resume or a request goes over that API, else over Chat Completions; over
Anthropic's a reply may be a list of blocks.
With "navigate": {"to": event id or null, "fork": bool} a resume first moves there, and continues in a fork.
With "calls": [[tool, arguments], ...] the model makes these calls first, in the files of workspace/ in the directory.
With "in_place": true a command works on the directory itself and not on a copy: what a resume adds stays.
Client tools stay registered for the life of the process.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import sys
import traceback
import warnings
from pathlib import Path

warnings.simplefilter("ignore")  # prices of unknown models, deprecations inside the SDK
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("LOG_LEVEL", "ERROR")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from openhands.sdk.utils.cipher import Cipher  # noqa: E402 - the environment above has to come first

from aside import aside  # noqa: E402
from checking import check  # noqa: E402
from judging import judge, search  # noqa: E402
from metering import meter  # noqa: E402
from opened import copies, import_every_tool  # noqa: E402
from our_words import say_it_so  # noqa: E402
from profiled import profile  # noqa: E402
from registered import registered  # noqa: E402
from resuming import QUESTION, decide, requests, resume  # noqa: E402
from secrets_stored import secrets  # noqa: E402
import condenser_cases  # noqa: E402
import plugin_cases  # noqa: E402
import skill_cases  # noqa: E402
import stuck_cases  # noqa: E402

COMMANDS = ("check", "resume", "requests", "secrets")


def obey(order: dict) -> list[dict]:
    """One answer per conversation found at `path`; an answer always says `ok`, and `path` where there is one."""
    if order["command"] == "judge":
        return [judge(order["analyzer"], order["actions"])]
    if order["command"] == "meter":
        return [meter(order["llm"], order["base_url"], order["questions"])]
    if order["command"] == "profile":
        return [profile(order["path"], order["name"], order.get("llm"))]
    if order["command"] == "tools":
        from tool_runs import run_tools  # not at the top: with --bare nothing of openhands-tools is imported

        return [run_tools(order["sequences"])]
    if order["command"] == "folders":
        return [{"ok": True, "folders": [folder for name in ("openhands.sdk", "openhands.tools") for folder in importlib.import_module(name).__path__]}]
    if order["command"] == "search":
        return [search(order["patterns"])]
    judges = {"stuck": stuck_cases, "condensers": condenser_cases, "skills": skill_cases, "plugin-texts": plugin_cases}
    if order["command"] in judges:
        count, differing = judges[order["command"]].compared()
        return [{"ok": True, "count": count, "differing": differing}]
    if order["command"] == "plugins":
        return [{"ok": True, "plugins": plugin_cases.read_plugins(order["plugins"])}]
    if order["command"] == "resumed-plugins":
        return [{"ok": True, "plugins": plugin_cases.resumed_with(order["path"])}]
    if order["command"] == "skill-files":
        return [{"ok": True, "skills": skill_cases.read_files(order["files"])}]
    path = Path(order["path"])
    cipher = Cipher(order["cipher"]) if order.get("cipher") else None
    text = order.get("text") or QUESTION
    results = []
    try:
        with contextlib.nullcontext([path]) if order.get("in_place") else copies(path) as directories:
            for directory in directories:
                results.append({"path": str(path), "directory": directory.name, **one(order, directory, text, cipher)})
    except Exception as error:  # noqa: BLE001 - unreadable input is an answer too
        results.append({"path": str(path), **failure(error)})
    return results


def one(order: dict, directory: Path, text: str, cipher: Cipher | None) -> dict:
    api_mode = order.get("api_mode") or "chat"
    try:
        match order["command"]:
            case "check":
                return check(directory, cipher)
            case "resume":
                return resume(directory, order.get("reply") or "I wrote a file.", text, cipher, api_mode, order.get("navigate"), order.get("calls"))
            case "decide":
                return decide(directory, order["decision"], order.get("reply") or "I wrote a file.", cipher)
            case "requests":
                return requests(directory, text, cipher, api_mode)
            case "aside":
                return aside(directory, cipher)
            case "registered":
                return registered(directory, order["usage_ids"], cipher)
            case "secrets":
                return secrets(directory, cipher, order.get("update") or {}, order.get("api_key"))
            case other:
                raise ValueError(f"no such command: {other}; there are {', '.join(COMMANDS)}")
    except Exception as error:  # noqa: BLE001
        return failure(error)


def failure(error: Exception) -> dict:
    return {
        "ok": False,
        "error": f"{type(error).__name__}: {error}"[:2000],
        "trace": traceback.format_exception(error)[-1][:2000],
    }


def say(answer) -> None:
    answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
    answers.flush()


def serve() -> None:
    say({"ok": True, "ready": True})
    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            results = obey(json.loads(line))
        except Exception as error:  # noqa: BLE001 - a bad command must not end the session
            results = [failure(error)]
        say(results[0] if len(results) == 1 else {"ok": all(r["ok"] for r in results), "conversations": results})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("command", nargs="?", choices=COMMANDS)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--reply")
    parser.add_argument("--text")
    parser.add_argument("--cipher")
    options = parser.parse_args()
    if not options.serve and not (options.command and options.paths):
        parser.error("a command and at least one path, or --serve")
    say_it_so()
    if not options.bare:
        import_every_tool()
    if options.serve:
        serve()
        return 0
    ok = True
    for path in options.paths:
        for answer in obey({**vars(options), "path": path}):
            ok &= answer["ok"]
            say(answer)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
