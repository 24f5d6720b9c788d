"""Conversations in which no tool is called."""

from openhands.sdk import ImageContent, Message, TextContent

from stage import Stage, scenario

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@scenario
def simple(stage: Stage) -> None:
    """Two plain turns, no tools called."""
    stage.converse([{"content": "Hello!"}, {"content": "Still here."}], ["Hi", "Are you there?"], llm={"keep_requests": True})


@scenario
def images(stage: Stage) -> None:
    """User messages with a data URL, an http URL, several images, and an image alone."""
    turns = [
        Message(role="user", content=[TextContent(text="What is this?"), ImageContent(image_urls=[PIXEL])]),
        Message(
            role="user",
            content=[
                ImageContent(image_urls=["https://example.com/a.png", PIXEL]),
                TextContent(text="And these two?"),
            ],
        ),
        Message(role="user", content=[ImageContent(image_urls=[PIXEL])]),
    ]
    stage.converse([{"content": "A pixel."}, {"content": "Two pictures."}, {"content": "The pixel again."}], turns)


@scenario
def unicode(stage: Stage) -> None:
    """Text that breaks careless code: escapes, line separators, bidi, combining marks, planes, noncharacters, length."""
    texts = [
        "emoji \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1f3\U0001f1f4 \U0001f44d\U0001f3fd",
        "combining e\u0301 \u1e9b\u0323 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319 and Hangul \u1112\u1161\u11ab",
        "separators \u2028 \u2029 \u0085 \u00a0 \u200b \ufeff end",
        "controls \x00 \x01 \x08 \t \n \x0b \x0c \r \r\n \x1b[31m \x7f \x80",
        'quotes " \\ / \' ` < > & \\u0041 \\n </script>',
        "right to left \u202eabc\u202c \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u2067isolate\u2069",
        "beside the surrogates \ud7ff \ue000 \uffff \ufffe \ufffd \U00010000 \U0010ffff \ufdd0",
        "   leading and trailing   \n\n",
    ]
    long = "0123456789 \u00e9\u4e2d\U0001f600 " * 1200
    stage.converse(
        [*({"content": f"You wrote: {text}"} for text in texts), {"content": "That was long."}],
        [*texts, long],
    )


@scenario
def reasoning(stage: Stage) -> None:
    """A reply with reasoning_content, one with signed and redacted thinking blocks, one with both and a call."""
    blocks = [
        {"type": "thinking", "thinking": "First thought.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
    ]
    finish = {
        "id": "call_finish",
        "type": "function",
        "function": {"name": "finish", "arguments": '{"message": "Done thinking."}'},
    }
    stage.converse(
        [
            {"content": "Four.", "reasoning_content": "Two and two.\nThat makes four."},
            {"content": "Five.", "thinking_blocks": blocks, "reasoning_content": "First thought."},
            {"content": "Closing.", "thinking_blocks": blocks, "reasoning_content": "Again.", "tool_calls": [finish]},
        ],
        ["2+2?", "2+3?", "Finish now."],
    )
