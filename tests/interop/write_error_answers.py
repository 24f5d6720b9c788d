"""Writes into tests/fixtures/errors/ what the real SDK makes of each provider's refusal: the exception that it raises.

    write_error_answers.py

A refusal is a file: where it was reported, the model that was asked, and the response's status and body. `sdk` is
written by this script, everything else by hand.
"""

from __future__ import annotations

import json
import os
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL", HF_HUB_OFFLINE="1")
warnings.simplefilter("ignore")

from openhands.sdk import LLM  # noqa: E402 - the environment above has to come first
from openhands.sdk.event.error_classification import classify_error  # noqa: E402
from openhands.sdk.llm.message import Message, TextContent  # noqa: E402
from pydantic import SecretStr  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "errors"


def main() -> None:
    for file in sorted(FIXTURES.glob("*.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        raised = refused(case)
        case["sdk"] = {"class": type(raised).__name__, "kind": classify_error(type(raised).__name__, str(raised)).kind.value}
        file.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{file.stem}: {case['failure']} {case['sdk']}", flush=True)


def refused(case: dict) -> Exception:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            body = case["body"].encode()
            self.send_response(case["status"])
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("retry-after-ms", "1")  # for the OpenAI client, which tries again by itself
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        base_url = f"http://127.0.0.1:{server.server_port}"
        if not case["model"].startswith(("anthropic/", "gemini/")):
            base_url += "/v1"
        llm = LLM(model=case["model"], base_url=base_url, api_key=SecretStr("sk-fixture"), api_mode="chat", num_retries=0, usage_id="x")
        llm.completion([Message(role="user", content=[TextContent(text="Hi")])])
    except Exception as raised:  # noqa: BLE001 - that is what is asked for
        return raised
    finally:
        server.shutdown()
    raise AssertionError("the SDK took the refusal for an answer")


if __name__ == "__main__":
    main()
