"""A request of the real SDK's as its server got it, in the form in which tests/llm/captured.rs reads it."""

from __future__ import annotations

import gc
import json
import os
import re
import warnings
from pathlib import Path

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True", LOG_LEVEL="CRITICAL", HF_HUB_OFFLINE="1")
warnings.simplefilter("ignore")

from openhands.sdk import LLM  # noqa: E402 - the environment above has to come first
from openhands.sdk.llm.llm import LLMCallContext  # noqa: E402
from openhands.sdk.llm.message import Message  # noqa: E402
from pydantic import SecretStr  # noqa: E402

from our_words import say_it_so  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CONVERSATION = "6f3c5a0e-0000-4000-8000-000000000001"
KEPT_HEADERS = ("authorization", "api-key", "content-type", "anthropic-beta", "x-litellm-session-id", "http-referer", "x-title")


# What LiteLLM leaves of a stream waits for httpcore's lock when it is collected, for ever where that is held by who collects.
gc.disable()
say_it_so()


class NotSent(Exception):
    """LiteLLM made no request of it."""


class Described:
    """A tool of which only its description for the model is needed."""

    def __init__(self, name: str, description: str, parameters: dict):
        self.function = {"name": name, "description": description, "parameters": parameters}

    def to_openai_tool(self, **_) -> dict:
        return {"type": "function", "function": self.function}

    def to_responses_tool(self, **_) -> dict:
        return {"type": "function", **self.function, "strict": False}


def built_in(name: str, description: str, argument: str, about: str) -> Described:
    """A tool of every agent, with what is asked for with every call."""
    summary = {"type": "string", "description": "What this call is for."}
    properties = {"summary": summary, argument: {"type": "string", "description": about}}
    return Described(name, description, {"type": "object", "properties": properties, "required": [argument]})


FINISH = built_in("finish", "Ends the task.", "message", "What the user reads at the end.")
THINK = built_in("think", "Writes a thought down.\n\nNothing else happens.\n", "thought", "The thought.")


def capture(server, fields: dict, messages: list[Message], tools, *, over="completion", headers=KEPT_HEADERS, with_path=False, **more) -> dict:
    """What reaches a scripted server when a model of these fields is asked.

    `over` is the LLM's method, `more` what it is given besides, and what the tools are described with.
    """
    try:
        llm = LLM(**fields, base_url=server.base_url, api_key=SecretStr("sk-fixture"), num_retries=0, usage_id="agent")
        context = LLMCallContext(prompt_cache_key=CONVERSATION, session_id=CONVERSATION)
        getattr(llm, over)(messages, tools, on_token=lambda _: None, call_context=context, **more)
    except Exception as error:  # noqa: BLE001 - the answer does not matter, and to a streaming request it may be a wrong one
        if not server.requests:
            raise NotSent(error) from error
    finally:
        server.close()
        gc.collect()
    return {
        "llm": fields,
        "conversation_id": CONVERSATION,
        "messages": [message.model_dump(mode="json", exclude_none=True) for message in messages],
        "tools": [tool.to_openai_tool(**more)["function"] for tool in tools or []],
        **({"path": server.paths[-1]} if with_path else {}),
        "headers": {name: server.headers[-1][name] for name in headers if name in server.headers[-1]},
        "body": server.requests[-1],
    }


def for_models(models: str, *case) -> list[tuple]:
    """The same case for each of these models, named after it."""
    return [(re.sub(r"[^\w.-]", "-", model), model, *case) for model in models.split()]


def write_all(folder: str, cases: list[tuple], captured) -> None:
    """A file for each case: what is captured of what stands behind its name."""
    (FIXTURES / folder).mkdir(parents=True, exist_ok=True)
    for name, *case in cases:
        print(name)
        try:
            write(FIXTURES / folder / f"{name}.json", captured(*case))
        except NotSent as error:
            print("  not sent:", error)


def write(path: Path, value) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
