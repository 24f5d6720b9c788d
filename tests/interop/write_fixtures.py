"""Makes the real SDK write the conversations of tests/fixtures/sdk-<version>/ and notes what it says about each.

    write_fixtures.py [SCENARIO...]     all of them by default; index.json is always written anew for those played

THREADKEEP_FIXTURES names another folder than the repository's, THREADKEEP_STAGE the place where they are played, and
THREADKEEP_SHARE=0/2 plays every second one, for as many processes at once; index-0.json is then their index.

Every scenario is played in a process of its own, forked before any thread is started: some of them kill it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import inspect
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL", TZ="UTC", PYTHONWARNINGS="ignore")
warnings.simplefilter("ignore")
os.environ["HOME"] = os.environ.get("THREADKEEP_STAGE", "/tmp/threadkeep-fixture") + "/home"  # the user's own profiles and skills stay out

from openhands.sdk.utils.cipher import Cipher  # noqa: E402 - the environment above has to come first

import scenarios  # noqa: E402, F401 - registers them
from checking import check, spoken  # noqa: E402
from opened import copies, import_every_tool  # noqa: E402
from resuming import resume  # noqa: E402
from shown_kinds import shown_kinds  # noqa: E402
from stage import CONVERSATIONS, PLACE, SCENARIOS, Stage  # noqa: E402

VERSION = importlib.metadata.version("openhands-sdk")
HOME = Path(__file__).resolve().parent.parent / "fixtures" / f"sdk-{VERSION}"
FIXTURES = Path(os.environ.get("THREADKEEP_FIXTURES", HOME))
SHORT = ("ok", "opens", "refused", "respelled", "base_state_lost", "execution_status", "kinds", "active_branch", "view", "unmatched_actions")
RESUMED = ("ok", "error", "execution_status", "new_kinds", "request", "question")
LONG = ("messages", "chat", "responses", "stats")


def apart(work, *, may_die: bool = False):
    """Runs `work` in a forked process and returns what it returns, by way of a JSON file."""
    descriptor, answer = tempfile.mkstemp()
    os.close(descriptor)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            Path(answer).write_text(json.dumps(work()), encoding="utf-8")
            status = 0
        except BaseException:  # noqa: BLE001 - the parent sees the exit code
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    status = os.waitpid(child, 0)[1]
    text = Path(answer).read_text(encoding="utf-8")
    os.unlink(answer)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and may_die:
        return None
    if status != 0:
        raise SystemExit(f"a scenario failed with wait status {status}")
    return json.loads(text)


def play(name: str) -> None:
    stage = Stage(name)
    SCENARIOS[name](stage)
    stage.close()
    if stage.kept is not None:
        write_json(CONVERSATIONS / "requests.json", stage.kept.requests)


def collect(name: str) -> list[Path]:
    """Moves what a scenario wrote into the fixtures; locks and markers are no part of a conversation."""
    target = FIXTURES / name
    shutil.rmtree(target, ignore_errors=True)
    ignored = shutil.ignore_patterns(".eventlog.lock", ".eventlog-len-*.marker")
    shutil.copytree(CONVERSATIONS, target, ignore=ignored)
    return sorted(path for path in target.iterdir() if path.is_dir())


def checked(directory: Path, cipher: Cipher | None) -> dict:
    with copies(directory) as [copy]:
        return check(copy, cipher)


def resumed(directory: Path, cipher: Cipher | None) -> dict:
    with copies(directory) as [copy]:
        try:
            result = resume(copy, "I wrote a file.", cipher=cipher)
        except Exception as error:  # noqa: BLE001 - that the SDK cannot carry on is a fact to note
            return {"ok": False, "error": spoken(error).replace(str(copy.parent), "")}
        request = result.get("request", {})
        result["request"] = {key: value for key, value in request.items() if key not in ("messages", "tools")}
        last = request.get("messages", [None])[-1]
        if last and last["role"] == "user":  # else what an approved tool has just said, on this machine
            result["question"] = last
        return {key: result[key] for key in RESUMED if key in result}


def note(name: str, directory: Path) -> dict:
    passphrase = SCENARIOS[name].cipher
    cipher = Cipher(passphrase) if passphrase else None
    said = apart(lambda: checked(directory, cipher))
    entry = {
        "scenario": name,
        "about": inspect.cleandoc(SCENARIOS[name].__doc__ or ""),
        "directory": f"{name}/{directory.name}",
        "id": directory.name,
        **({"cipher": passphrase} if passphrase else {}),
        **{key: said[key] for key in SHORT if key in said},
        "resume": apart(lambda: resumed(directory, cipher)),
    }
    expected = {key: said[key] for key in LONG if key in said}
    write_json(directory.parent / f"{directory.name}.expected.json", expected)
    return entry


def write_json(path: Path, value) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def imported_by_playing(name: str) -> list[str]:
    before = set(sys.modules)
    play(name)
    return [module for module in sys.modules if module not in before]


def import_what_is_used() -> None:
    """Its libraries import most of themselves when they are first used: in each process anew, which takes a second."""
    for module in apart(lambda: imported_by_playing("tools")):
        if not module.startswith(("openhands", "__")):
            with contextlib.suppress(Exception):
                importlib.import_module(module)


def played(name: str) -> list[dict]:
    apart(lambda: play(name), may_die=SCENARIOS[name].dies)
    entries = [note(name, directory) for directory in collect(name)]
    for entry in entries:
        print(name, entry["id"], "ok" if entry["ok"] else "refused", len(entry.get("kinds", [])), "events", flush=True)
    return entries


def share(number: int, of: int) -> None:
    entries = [{**entry, "order": order} for order, name in enumerate(SCENARIOS) if order % of == number for entry in played(name)]
    shutil.rmtree(PLACE, ignore_errors=True)
    write_json(FIXTURES / f"index-{number}.json", {"conversations": entries})


def main(names: list[str]) -> None:
    if os.environ.get("PYTHONHASHSEED") != "0":
        raise SystemExit("set PYTHONHASHSEED=0: the SDK writes sets in hash order")
    import_every_tool()
    import_what_is_used()
    FIXTURES.mkdir(parents=True, exist_ok=True)
    if "THREADKEEP_SHARE" in os.environ:
        return share(*map(int, os.environ["THREADKEEP_SHARE"].split("/")))
    index = FIXTURES / "index.json"
    before = json.loads(index.read_text(encoding="utf-8"))["conversations"] if index.exists() else []
    kept = [entry for entry in before if entry["scenario"] in SCENARIOS and names and entry["scenario"] not in names]
    entries = [entry for name in names or SCENARIOS for entry in played(name)]
    for stale in FIXTURES.iterdir():
        if stale.is_dir() and stale.name not in SCENARIOS:
            shutil.rmtree(stale)
    shutil.rmtree(PLACE, ignore_errors=True)
    order = list(SCENARIOS)
    both = sorted(kept + entries, key=lambda entry: (order.index(entry["scenario"]), entry["id"]))
    is_whole = {entry["scenario"] for entry in both} == SCENARIOS.keys()
    kinds = apart(lambda: shown_kinds(FIXTURES)) if is_whole else None
    write_json(index, {"sdk": VERSION, "conversations": both, **({"kinds": kinds} if kinds else {})})
    if kinds and kinds["forgotten"]:
        raise SystemExit(f"no fixture shows {', '.join(kinds['forgotten'])}")


if __name__ == "__main__":
    main(sys.argv[1:])
