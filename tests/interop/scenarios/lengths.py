"""Texts about as long as the SDK lets a tool say."""

from openhands.sdk import TextContent
from openhands.sdk.event import ActionEvent, ObservationEvent
from openhands.sdk.llm import MessageToolCall
from openhands.sdk.tool.builtins.think import ThinkAction, ThinkObservation

from stage import Stage, scenario


@scenario
def long_results(stage: Stage) -> None:
    """Tool results of 50 000 code points, sent whole, and of one more, cut in the middle; both with emoji at the seam."""
    conversation = stage.converse([{"content": "Hello."}], ["Hi"])
    seam = "\U0001f600" * 300
    for number, length in enumerate((50_000, 50_001)):
        half = "x" * ((length - len(seam)) // 2)
        text = half + seam + "y" * (length - len(seam) - len(half))
        call = MessageToolCall(id=f"call_{number}", name="think", arguments='{"thought": "long"}', origin="completion")
        action = ActionEvent(
            thought=[],
            action=ThinkAction(thought="long"),
            tool_name="think",
            tool_call_id=call.id,
            tool_call=call,
            llm_response_id=f"resp_{number}",
        )
        conversation.state.append_event(action)
        conversation.state.append_event(
            ObservationEvent(
                tool_name="think",
                tool_call_id=call.id,
                action_id=action.id,
                observation=ThinkObservation(content=[TextContent(text=text)]),
            )
        )
