"""Models that are spoken to in other ways: `chat` in expected.json shows what each one is sent."""

from openhands.sdk import ImageContent, Message, TextContent

from scenarios.talk import PIXEL
from stage import Stage, call, scenario

THINK = {"content": "Hm.", "reasoning_content": "Let me see.", "tool_calls": [call("think", {"thought": "so"}, "call_1")]}
TALK = [THINK, {"content": "So.", "reasoning_content": "Enough."}, {"content": "Bye."}]


def talk(stage: Stage, model: str, **fields) -> None:
    stage.converse(TALK, ["Think", "Bye"], llm={"model": model, **fields, "keep_requests": True})


@scenario
def model_with_prompt_caching(stage: Stage) -> None:
    """A Claude: cache_control marks on the system prompt and the newest message."""
    talk(stage, "openai/claude-sonnet-4-5-20250929")


@scenario
def model_with_reasoning_echo(stage: Stage) -> None:
    """A model that wants its reasoning_content back."""
    talk(stage, "openai/kimi-k2-thinking")


@scenario
def model_with_string_content(stage: Stage) -> None:
    """A model that takes strings, not lists of parts."""
    talk(stage, "openai/deepseek-chat")


@scenario
def model_with_reasoning_effort(stage: Stage) -> None:
    """A reasoning model: effort is sent, sampling settings are not; over Chat Completions by choice."""
    talk(stage, "openai/o3-mini", temperature=0.3, top_p=0.9, reasoning_effort="low", api_mode="chat")


SETTINGS = {
    "temperature": 0.25,
    "top_p": 0.5,
    "seed": 7,
    "max_output_tokens": 1234,
    "extra_headers": {"X-Fixture": "yes"},
    "litellm_extra_body": {"fixture": {"deep": [1, None]}},
    "caching_prompt": False,
    "timeout": 30,
    "input_cost_per_token": 0.000001,
    "output_cost_per_token": 0.000002,
}


@scenario
def model_with_settings(stage: Stage) -> None:
    """Every plain setting of a model that is named without its provider: all of them are sent."""
    talk(stage, "gpt-4o", **SETTINGS)


@scenario
def model_with_settings_and_provider(stage: Stage) -> None:
    """The same with openai/ before the name: the SDK takes it for a reasoning model and leaves out temperature and top_p."""
    talk(stage, "openai/gpt-4o", **SETTINGS)


@scenario
def model_without_native_calls(stage: Stage) -> None:
    """Calls written as text: the ids are the converter's own."""
    stage.converse(
        [
            {"content": "Thinking.\n<function=think>\n<parameter=thought>so</parameter>\n</function>"},
            {"content": "So."},
        ],
        ["Think"],
        llm={"model": "openai/gpt-4o", "native_tool_calling": False, "keep_requests": True},
    )


@scenario
def model_without_vision(stage: Stage) -> None:
    """An image for a model that cannot see: answered without asking it."""
    message = Message(role="user", content=[TextContent(text="What is this?"), ImageContent(image_urls=[PIXEL])])
    stage.converse([{"content": "Never asked."}], [message], llm={"model": "openai/gpt-3.5-turbo"})


@scenario
def model_over_responses(stage: Stage) -> None:
    """The Responses API: reasoning items with encrypted content, calls with item ids."""
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Thinking about it."}],
        "encrypted_content": "ZW5jcnlwdGVk",
        "status": "completed",
    }
    calling = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "think",
        "arguments": '{"thought": "so"}',
        "status": "completed",
    }
    saying = lambda number, text: {  # noqa: E731
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    stage.converse(
        [
            {"output": [reasoning, saying(1, "Let me think."), calling]},
            {"output": [{**reasoning, "id": "rs_2"}, saying(2, "So.")]},
        ],
        ["Think"],
        llm={"model": "openai/gpt-5", "api_mode": "responses", "keep_requests": True},
    )


@scenario
def model_with_token_ids(stage: Stage) -> None:
    """vLLM, asked for token ids: a TokenEvent after each answer."""
    stage.converse(
        [{"content": "Hello.", "tokens": {"prompt_token_ids": [1, 2, 3], "token_ids": [4, 5]}}],
        ["Hi"],
        llm={"litellm_extra_body": {"return_token_ids": True}},
    )
