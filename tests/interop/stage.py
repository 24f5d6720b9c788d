"""Where fixture scenarios are played: a fixed place, fixed ids, a fixed clock, and agents on the scripted model.

Everything that the SDK takes from the machine and writes down (uuids, times, latencies, host and user name, ports)
is replaced, so that playing a scenario twice gives the same bytes.
"""

from __future__ import annotations

import datetime as real_datetime
import hashlib
import itertools
import json
import os
import random
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from cryptography import fernet
from pydantic import SecretStr

from openhands.sdk import LLM, Agent, LocalConversation
from openhands.sdk.context import agent_context
from openhands.sdk.event import base as event_base
from openhands.sdk.event import conversation_state as state_event
from openhands.sdk.llm.utils import metrics, telemetry
from openhands.tools.gemini.list_directory import impl as list_directory
from openhands.tools.task import manager as task_manager
from openhands.tools.terminal.metadata import CmdOutputMetadata

from our_words import say_it_so, tools_say_less
from scripted_model import ScriptedModel

PLACE = Path(os.environ.get("THREADKEEP_STAGE", "/tmp/threadkeep-fixture"))
WORKSPACE = PLACE / "workspace"
CONVERSATIONS = PLACE / "conversations"
PROMPT = "You are the agent of a threadkeep fixture. Use the tools you have."

SCENARIOS: dict[str, Callable[[Stage], None]] = {}

say_it_so()
tools_say_less()


def scenario(play=None, *, dies: bool = False, cipher: str | None = None):
    """Registers a scenario under its function's name with dashes; the doc string says what is in it.

    `dies` allows it to kill its own process; `cipher` is the passphrase that its secrets are stored with.
    """

    def register(play: Callable[[Stage], None]) -> Callable[[Stage], None]:
        play.dies, play.cipher = dies, cipher
        SCENARIOS[play.__name__.replace("_", "-")] = play
        return play

    return register(play) if play else register


def call(name: str, arguments: dict | str, call_id: str) -> dict:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


class Stage:
    """One scenario's props. Conversations get ids derived from the scenario's name and their number."""

    def __init__(self, name: str):
        self.name = name
        self.conversations: list[LocalConversation] = []
        self.kept: ScriptedModel | None = None
        shutil.rmtree(PLACE, ignore_errors=True)
        WORKSPACE.mkdir(parents=True)
        CONVERSATIONS.mkdir()
        freeze(name)

    def new_id(self) -> uuid.UUID:
        number = len({conversation.id for conversation in self.conversations})
        return uuid.UUID(bytes=hashlib.sha256(f"{self.name}/{number}".encode()).digest()[:16], version=4)

    def llm(self, replies: list[dict] | None = None, usage_id: str = "agent", **fields) -> LLM:
        """A model that gives `replies`; without replies it only stands in a file.

        With `keep_requests` what it was sent is kept beside the conversation, as requests.json.
        """
        host = f"{usage_id}.scripted-model.test"
        base_url = f"http://{host}/v1"
        if replies:
            model = ScriptedModel(replies, fields.pop("usage", None))
            model.answer_to(host)
            if fields.pop("keep_requests", False):
                self.kept = model
        settings = {"model": "openai/gpt-4o", "num_retries": 0, "api_key": SecretStr("sk-not-a-key")}
        return LLM(usage_id=usage_id, base_url=base_url, **{**settings, **fields})

    def agent(self, replies: list[dict], tools: list | None = None, llm: dict | None = None, **fields) -> Agent:
        fields.setdefault("system_prompt", PROMPT)
        if fields["system_prompt"] is None:
            del fields["system_prompt"]
        return Agent(llm=self.llm(replies, **(llm or {})), tools=tools or [], **fields)

    def open(self, agent: Agent, conversation_id: uuid.UUID | None = None, **options) -> LocalConversation:
        conversation = LocalConversation(
            agent=agent,
            workspace=str(WORKSPACE),
            persistence_dir=str(CONVERSATIONS),
            conversation_id=conversation_id or self.new_id(),
            visualizer=None,
            delete_on_close=False,
            **options,
        )
        self.conversations.append(conversation)
        return conversation

    def reopen(self, conversation: LocalConversation, agent: Agent | None = None, **options) -> LocalConversation:
        """The same conversation once more, from what is on disk."""
        return self.open(agent or conversation.agent, conversation.id, **options)

    def converse(self, replies: list[dict], turns: list, tools: list | None = None, *, options: dict | None = None, **agent):
        """Sends each turn and runs; the most common scenario."""
        conversation = self.open(self.agent(replies, tools, **agent), **(options or {}))
        for turn in turns:
            conversation.send_message(turn)
            conversation.run()
        return conversation

    def close(self) -> None:
        for conversation in self.conversations:
            conversation.close()


def events_of(conversation: LocalConversation, kind: type | None = None) -> list:
    return [event for event in list(conversation.state.events) if kind is None or isinstance(event, kind)]


def directory_of(conversation: LocalConversation) -> Path:
    return CONVERSATIONS / conversation.id.hex


def freeze(seed: str) -> None:
    """Replaces the SDK's sources of ids and time, seeded by the scenario's name."""
    random_bits = random.Random(seed)
    ticks = itertools.count()

    def new_uuid() -> uuid.UUID:
        return uuid.UUID(int=random_bits.getrandbits(128), version=4)

    class Clock(real_datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 1, 12, 0, 0, 1234, tz) + real_datetime.timedelta(seconds=next(ticks))

        @classmethod
        def fromtimestamp(cls, timestamp, tz=None):
            return cls(2026, 1, 1, tzinfo=tz)

    def seconds() -> float:
        return 1_767_268_800.0 + next(ticks) * 0.25

    # Encryption is the one place where random bytes and the time are wanted for themselves.
    fernet.os = SimpleNamespace(urandom=lambda size: random_bits.randbytes(size))
    fernet.time = SimpleNamespace(time=lambda: 1_767_268_800)
    task_manager.uuid = SimpleNamespace(uuid4=new_uuid, UUID=uuid.UUID)
    event_base.uuid = SimpleNamespace(uuid4=new_uuid)
    state_event.uuid = SimpleNamespace(uuid4=new_uuid)
    event_base.datetime = Clock
    agent_context.datetime = Clock
    list_directory.datetime = Clock
    telemetry.time = SimpleNamespace(time=seconds)
    metrics.Cost.model_fields["timestamp"].default_factory = seconds
    metrics.Cost.model_rebuild(force=True)

    plain = CmdOutputMetadata.from_ps1_match.__func__
    if getattr(CmdOutputMetadata, "frozen", False):
        return

    def elsewhere(cls, match):
        here = plain(cls, match)
        changes = {"hostname": "fixture", "username": "user", "py_interpreter_path": "/usr/bin/python3"}
        return here.model_copy(update=changes)

    CmdOutputMetadata.from_ps1_match = classmethod(elsewhere)
    CmdOutputMetadata.frozen = True
