"""Condensed histories."""

from openhands.sdk.context.condenser import LLMSummarizingCondenser, NoOpCondenser, PipelineCondenser

from stage import Stage, call, scenario


def condenser(stage: Stage, **sizes) -> LLMSummarizingCondenser:
    llm = stage.llm([{"content": "Summary one: they counted."}, {"content": "Summary two: they counted on."}], usage_id="condenser")
    return LLMSummarizingCondenser(llm=llm, **sizes)


@scenario
def condensed(stage: Stage) -> None:
    """A soft condensation of plain turns when the view grows over its size, and a second one over the first."""
    turns = [f"Count {n}" for n in range(12)]
    stage.converse([{"content": f"{n}."} for n in range(12)], turns, condenser=condenser(stage, max_size=12, keep_first=2))


@scenario
def condensed_calls(stage: Stage) -> None:
    """A condensation inside one long run of calls, inside a pipeline: no call is parted from its result."""
    replies = [
        {"content": f"Step {n}.", "tool_calls": [call("think", {"thought": f"{n}{x}"}, f"call_{n}{x}") for x in "ab"]}
        for n in range(5)
    ]
    pipeline = PipelineCondenser(condensers=[condenser(stage, max_size=14, keep_first=3)])
    stage.converse([*replies, {"content": "Done."}], ["Go"], condenser=pipeline)


@scenario
def condensed_on_request(stage: Stage) -> None:
    """condense() on a longer conversation: a CondensationRequest, then what it led to; one more turn."""
    conversation = stage.converse(
        [{"content": f"{n}."} for n in range(10)],
        [f"Count {n}" for n in range(8)],
        condenser=condenser(stage, max_size=100, keep_first=2),
    )
    conversation.condense()
    conversation.send_message("And on")
    conversation.run()


@scenario
def hard_reset(stage: Stage) -> None:
    """condense() on a conversation too short for it: everything, the system prompt too, becomes one summary."""
    conversation = stage.converse(
        [{"content": "One."}, {"content": "Two."}], ["Count"], condenser=condenser(stage, max_size=100, keep_first=2)
    )
    conversation.condense()
    conversation.send_message("And on")
    conversation.run()


@scenario
def no_condenser(stage: Stage) -> None:
    """A condenser that does nothing."""
    stage.converse([{"content": "Hello."}], ["Hi"], condenser=NoOpCondenser())
