"""Kinds that no run here writes by itself: made from the SDK's classes and appended through its own state."""

import enum
import sys
import typing

from pydantic_core import PydanticUndefined

from openhands.sdk import Message, TextContent
from openhands.sdk.critic.result import CriticResult
from openhands.sdk.event import (
    ACPToolCallEvent,
    ActionEvent,
    AgentErrorEvent,
    CondensationSummaryEvent,
    ConversationStateUpdateEvent,
    InterruptEvent,
    LLMCompletionLogEvent,
    MessageEvent,
    ObservationEvent,
    StreamingDeltaEvent,
    SystemPromptEvent,
    TokenEvent,
)
from openhands.sdk.event.conversation_error import ConversationErrorEvent
from openhands.sdk.llm import ImageContent, MessageToolCall
from openhands.sdk.tool import Action, Observation, ToolAnnotations, ToolDefinition
from openhands.sdk.tool.builtins.vision_inspect import VisionInspectAction, VisionInspectObservation, VisionInspectTool
from openhands.sdk.utils.models import get_known_concrete_subclasses
from openhands.tools.browser_use import BrowserToolSet
from openhands.tools.tom_consult.definition import (
    ConsultTomAction,
    ConsultTomObservation,
    SleeptimeComputeAction,
    SleeptimeComputeObservation,
    SleeptimeComputeTool,
    TomConsultTool,
)

from scenarios.talk import PIXEL
from stage import Stage, scenario

SHOWN_ELSEWHERE = ("MCPToolAction", "MCPToolObservation")


@scenario
def transient_events(stage: Stage) -> None:
    """Kinds that a server sends or an ACP agent writes, appended to a log: none of them is shown to the model."""
    conversation = stage.converse([{"content": "Hello."}, {"content": "Still here."}], ["Hi"])
    for event in (
        TokenEvent(source="agent", prompt_token_ids=[1, 2], response_token_ids=[]),
        LLMCompletionLogEvent(filename="gpt.json", log_data='{"a": "\u00e9\\n"}', model_name="gpt-4o", usage_id="agent"),
        StreamingDeltaEvent(content="Hel"),
        StreamingDeltaEvent(reasoning_content="hm"),
        StreamingDeltaEvent(),
        ACPToolCallEvent(tool_call_id="acp_1", title="Read a file"),
        ACPToolCallEvent(
            tool_call_id="acp_1",
            title="Edit a file",
            status="completed",
            tool_kind="edit",
            raw_input={"path": "/a", "none": None},
            raw_output=["text", 1, 2.5, None],
            content=[{"type": "diff", "path": "/a", "oldText": None, "newText": "x"}],
            is_error=True,
        ),
        CondensationSummaryEvent(summary="They said hello."),
        InterruptEvent(),
        ConversationErrorEvent(source="environment", code="RateLimitError", detail="429 Too Many Requests"),
        ConversationErrorEvent(source="agent", code="Whatever", detail=""),
    ):
        conversation.state.append_event(event)
    conversation.send_message("Still there?")
    conversation.run()


@scenario
def state_updates(stage: Stage) -> None:
    """The state changes that an agent server logs: they have parents, and never become HEAD."""
    agent = stage.agent([{"content": "Hello."}, {"content": "Bye."}])
    conversation = stage.open(agent)
    conversation.state.set_on_state_change(conversation.state.append_event)
    conversation.state.append_event(ConversationStateUpdateEvent(key="execution_status", value="idle"))
    for text in ("Hi", "Bye"):
        conversation.send_message(text)
        conversation.run()
    for value in ([], {"deep": [None, 1.5]}, "text", 0, False):
        conversation.state.append_event(ConversationStateUpdateEvent(key="threadkeep", value=value))
    conversation.state.append_event(ConversationStateUpdateEvent(key="stats", value=conversation.state.stats))


@scenario
def state_update_of_null(stage: Stage) -> None:
    """A state change to null: the SDK leaves the value out and reads it back as an empty object."""
    conversation = stage.converse([{"content": "Hello."}], ["Hi"])
    conversation.state.append_event(ConversationStateUpdateEvent(key="security_analyzer", value=None))


@scenario
def full_fields(stage: Stage) -> None:
    """Events with every optional field set, as no single run sets them."""
    conversation = stage.converse([{"content": "Hello."}, {"content": "Still here."}], ["Hi"])
    text = TextContent(text="extra", cache_prompt=True)
    verdict = CriticResult(score=0.5, message="half", metadata={"features": [1, None]})
    call = MessageToolCall(id="call_f", responses_item_id="fc_f", name="think", arguments='{"thought": "x"}', origin="responses")
    action = ActionEvent(
        thought=[TextContent(text="a"), TextContent(text="b")],
        reasoning_content="because",
        thinking_blocks=[
            {"type": "thinking", "thinking": "t", "signature": "s"},
            {"type": "thinking", "thinking": "unsigned"},
            {"type": "redacted_thinking", "data": "d"},
        ],
        responses_reasoning_item={"id": "rs_f", "summary": ["s"], "content": ["c"], "encrypted_content": "e", "status": "completed"},
        action={"kind": "ThinkAction", "thought": "x"},
        tool_name="think",
        tool_call_id="call_f",
        tool_call=call,
        llm_response_id="resp_f",
        security_risk="MEDIUM",
        critic_result=verdict,
        summary="thinks",
    )
    observation = {
        "kind": "ThinkObservation",
        "content": [TextContent(text="seen"), ImageContent(image_urls=[PIXEL, "https://example.com/b.png"])],
        "is_error": True,
    }
    for event in (
        action,
        ObservationEvent(tool_name="think", tool_call_id="call_f", action_id=action.id, observation=observation, extended_content=[text]),
        MessageEvent(
            source="agent",
            llm_message=Message(
                role="assistant",
                content=[TextContent(text="said")],
                name="somebody",
                reasoning_content="because",
                thinking_blocks=[{"type": "thinking", "thinking": "t", "signature": "s"}],
                responses_reasoning_item={"id": "rs_g", "summary": []},
            ),
            llm_response_id="resp_g",
            critic_result=verdict,
        ),
        MessageEvent(
            source="user",
            llm_message=Message(role="user", content=[TextContent(text="asked", cache_prompt=True)], name="you"),
            activated_skills=["a", "b"],
            extended_content=[text],
            sender="other-agent",
        ),
        AgentErrorEvent(tool_name="none", tool_call_id="call_none", error="went wrong"),
    ):
        conversation.state.append_event(event)


@scenario
def every_action_and_observation(stage: Stage) -> None:
    """One call and one result of each kind that openhands-tools knows, every field set."""
    conversation = stage.converse([{"content": "Hello."}], ["Hi"])
    actions = {kind.__name__: kind for kind in known(Action)}
    pairs = {kind.__name__: actions.get(kind.__name__.replace("Observation", "Action")) for kind in known(Observation)}
    observations = {kind.__name__: kind for kind in known(Observation)}
    alone = [kind for name, kind in actions.items() if kind not in pairs.values()]
    for number, (observation, action) in enumerate([*pairs.items(), *(("BrowserObservation", kind) for kind in alone)]):
        kind = action or actions["ThinkAction"]
        call_id = f"call_{number}"
        event = ActionEvent(
            thought=[],
            action=filled(kind),
            tool_name=kind.__name__,
            tool_call_id=call_id,
            tool_call=MessageToolCall(id=call_id, name=kind.__name__, arguments="{}", origin="completion"),
            llm_response_id=f"resp_{number}",
        )
        conversation.state.append_event(event)
        result = filled(observations[observation], content=[TextContent(text="seen")])
        conversation.state.append_event(
            ObservationEvent(tool_name=kind.__name__, tool_call_id=call_id, action_id=event.id, observation=result)
        )


@scenario
def tool_definitions(stage: Stage) -> None:
    """A system prompt with the tools that need a browser, a stored profile or a service to run."""
    conversation = stage.converse([{"content": "Hello."}], ["Hi"])
    browsing = [kind for kind in get_known_concrete_subclasses(ToolDefinition) if kind.__name__.startswith("Browser")]
    tools = [tool for kind in sorted(browsing, key=lambda kind: kind.__name__) if kind is not BrowserToolSet for tool in kind.create(None)]
    for kind, action, observation in (
        (VisionInspectTool, VisionInspectAction, VisionInspectObservation),
        (TomConsultTool, ConsultTomAction, ConsultTomObservation),
        (SleeptimeComputeTool, SleeptimeComputeAction, SleeptimeComputeObservation),
    ):
        hints = ToolAnnotations(title="An aid", readOnlyHint=True)
        about = {"description": "Asks for help.", "annotations": hints, "meta": {"note": [1, None]}}
        tools.append(kind(action_type=action, observation_type=observation, **about))
    conversation.state.append_event(
        SystemPromptEvent(
            system_prompt=TextContent(text="Static part."),
            tools=tools,
            dynamic_context=TextContent(text="Dynamic part."),
        )
    )


def known(base: type) -> list[type]:
    """The kinds that are in a module's own text: at run time the SDK derives others, only for a model's schema."""
    kinds = get_known_concrete_subclasses(base)
    written = [kind for kind in kinds if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind]
    return sorted((kind for kind in written if kind.__name__ not in SHOWN_ELSEWHERE), key=lambda kind: kind.__name__)


def filled(kind: type, **given):
    """An instance with a value for every field, optional ones too."""
    values = {
        name: sample(field.annotation, name)
        for name, field in kind.model_fields.items()
        if name not in given and (field.is_required() or field.default is not PydanticUndefined)
    }
    return kind.model_validate({**values, **given})


def sample(annotation, name: str):
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return arguments[0]
    if origin is list:
        return [sample(arguments[0], name)]
    if origin is tuple:
        return [sample(argument, name) for argument in arguments]
    if origin is dict:
        return {name: sample(arguments[1], name)}
    if arguments:
        return sample(arguments[0], name)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return next(iter(annotation)).value
    plain = {str: f"some {name}", int: 1, float: 0.5, bool: True, dict: {"key": None}}
    if annotation in plain:
        return plain[annotation]
    if hasattr(annotation, "model_fields"):
        return {key: sample(field.annotation, key) for key, field in annotation.model_fields.items()}
    raise TypeError(f"no sample for {name}: {annotation}")
