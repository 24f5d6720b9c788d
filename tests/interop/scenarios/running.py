"""How a run can end: paused, interrupted, failed, at its limit, stuck, waiting for the user."""

import asyncio
import contextlib
import threading

from openhands.sdk.conversation.exceptions import ConversationRunError
from openhands.sdk.event import ActionEvent
from openhands.sdk.security.confirmation_policy import AlwaysConfirm, ConfirmRisky
from openhands.sdk.security.llm_analyzer import LLMSecurityAnalyzer

from scenarios.calls import TERMINAL
from stage import Stage, call, scenario


def think(number: int, text: str = "hm") -> dict:
    return call("think", {"thought": text}, f"call_{number}")


@scenario
def paused(stage: Stage) -> None:
    """Paused by the user before the second run."""
    conversation = stage.converse([{"content": "Hello."}], ["Hi"])
    conversation.send_message("Wait, there is more")
    conversation.pause()


@scenario
def paused_and_continued(stage: Stage) -> None:
    """A pause in the middle of the log: run again afterwards, to the end."""
    conversation = stage.converse([{"content": "Hello."}, {"content": "Going on."}], ["Hi"])
    conversation.send_message("Wait")
    conversation.pause()
    conversation.run()


@scenario
def interrupted(stage: Stage) -> None:
    """Interrupted while a shell command runs: an error for the orphaned call, then an InterruptEvent."""
    agent = stage.agent([{"content": "Sleeping.", "tool_calls": [call("terminal", {"command": "sleep 20"}, "call_1")]}], [TERMINAL])
    started = threading.Event()
    conversation = stage.open(agent, callbacks=[lambda event: isinstance(event, ActionEvent) and started.set()])
    conversation.send_message("Sleep")

    async def run_and_interrupt() -> None:
        running = asyncio.create_task(conversation.arun())
        await asyncio.to_thread(started.wait)
        conversation.interrupt()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    asyncio.run(run_and_interrupt())


@scenario
def model_error(stage: Stage) -> None:
    """The model refuses the key: a ConversationErrorEvent and the status error."""
    refusal = {"status": 401, "error": {"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}}
    agent = stage.agent([{"content": "Hello."}, refusal])
    conversation = stage.open(agent)
    conversation.send_message("Hi")
    conversation.run()
    conversation.send_message("Still there?")
    with contextlib.suppress(ConversationRunError):
        conversation.run()


@scenario
def max_iterations(stage: Stage) -> None:
    """The run reaches its limit of two steps."""
    replies = [{"content": "", "tool_calls": [think(n, f"thought {n}")]} for n in range(3)]
    conversation = stage.converse(replies, [], options={"max_iteration_per_run": 2})
    conversation.send_message("Think for ever")
    with contextlib.suppress(ConversationRunError):
        conversation.run()


@scenario
def max_budget(stage: Stage) -> None:
    """The run costs more than it may."""
    replies = [{"content": "", "tool_calls": [think(n, f"thought {n}")]} for n in range(3)]
    conversation = stage.converse(replies, [], options={"max_budget_per_run": 0.0001})
    conversation.send_message("Think for ever")
    with contextlib.suppress(ConversationRunError):
        conversation.run()


@scenario
def stuck(stage: Stage) -> None:
    """The same call with the same result four times."""
    stage.converse([{"content": "", "tool_calls": [think(n)]} for n in range(5)], ["Think"])


@scenario
def stuck_on_errors(stage: Stage) -> None:
    """The same failing call: a nudge from the environment after three, stuck after four."""
    stage.converse([{"content": "", "tool_calls": [call("no_such_tool", {"n": 1}, f"call_{n}")]} for n in range(5)], ["Try"])


@scenario
def empty_answers(stage: Stage) -> None:
    """Answers without text: nudges from the environment, one with reasoning only, then stuck."""
    stage.converse([{"content": ""}, {"content": None, "reasoning_content": "Hm."}, {"content": ""}, {"content": ""}], ["Say something"])


@scenario
def waiting(stage: Stage) -> None:
    """Two calls wait for the user's confirmation."""
    agent = stage.agent([{"content": "May I?", "tool_calls": [call("terminal", {"command": "echo yes"}, "call_1"), think(2)]}], [TERMINAL])
    conversation = stage.open(agent)
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Do it")
    conversation.run()


@scenario
def approved(stage: Stage) -> None:
    """A call that waited, was approved by run() and done."""
    agent = stage.agent([{"content": "May I?", "tool_calls": [call("terminal", {"command": "echo yes"}, "call_1")]}, {"content": "Done."}], [TERMINAL])
    conversation = stage.open(agent)
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Do it")
    conversation.run()
    conversation.run()


@scenario
def rejected(stage: Stage) -> None:
    """Two waiting calls rejected by the user with a reason; the model answers."""
    agent = stage.agent(
        [
            {"content": "May I?", "tool_calls": [call("terminal", {"command": "echo yes"}, "call_1"), think(2)]},
            {"content": "Then not."},
        ],
        [TERMINAL],
    )
    conversation = stage.open(agent)
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Do it")
    conversation.run()
    conversation.reject_pending_actions("Not on a Friday")
    conversation.run()


@scenario
def risky(stage: Stage) -> None:
    """An analyzer believes the model's own risks: a low one passes, a high one waits; an invalid one fails the call."""
    risk = lambda level: {"command": f"echo {level}", "security_risk": level}  # noqa: E731
    agent = stage.agent(
        [
            {"content": "", "tool_calls": [call("terminal", risk("LOW"), "call_1")]},
            {"content": "", "tool_calls": [call("terminal", risk("EXTREME"), "call_2")]},
            {"content": "", "tool_calls": [call("terminal", risk("HIGH"), "call_3")]},
        ],
        [TERMINAL],
    )
    conversation = stage.open(agent)
    conversation.set_security_analyzer(LLMSecurityAnalyzer())
    conversation.set_confirmation_policy(ConfirmRisky())
    conversation.send_message("Go")
    conversation.run()


@scenario
def spoken_to_while_waiting(stage: Stage) -> None:
    """A new user message while a call waits: the call stays pending, behind it in the log."""
    agent = stage.agent([{"content": "May I?", "tool_calls": [think(1), think(2, "too")]}])
    conversation = stage.open(agent)
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Do it")
    conversation.run()
    conversation.send_message("Well?")
