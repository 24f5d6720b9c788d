"""Hooks: each type of hook event, and what they can block."""

from openhands.sdk.hooks import HookConfig
from openhands.sdk.hooks.config import HookDefinition, HookMatcher
from openhands.sdk.security.confirmation_policy import AlwaysConfirm

from scenarios.calls import TERMINAL
from stage import Stage, call, scenario


def on(command: str, matcher: str = "*", **fields) -> list[HookMatcher]:
    return [HookMatcher(matcher=matcher, hooks=[HookDefinition(command=command, **fields)])]


BLOCK = "echo 'not allowed here' >&2; exit 2"


@scenario
def hooks(stage: Stage) -> None:
    """Every type of hook, all of them content, one failing without blocking, one async, one adding context."""
    config = HookConfig(
        pre_tool_use=on("echo checked", "terminal") + on("exit 1", "/term.*/", name="fails"),
        post_tool_use=on("echo seen"),
        user_prompt_submit=on("""echo '{"additionalContext": "It is raining."}'""", timeout=5),
        session_start=on("echo started") + on("true", **{"async": True}),
        session_end=on("echo ended"),
        stop=on("echo stopping"),
    )
    stage.converse(
        [{"content": "", "tool_calls": [call("terminal", {"command": "echo hi"}, "call_1")]}, {"content": "Done."}],
        ["Say hi"],
        [TERMINAL],
        options={"hook_config": config},
    )


@scenario
def hook_blocks_action(stage: Stage) -> None:
    """A PreToolUse hook blocks one of two parallel calls: a rejection with source hook."""
    stage.converse(
        [
            {
                "content": "Both.",
                "tool_calls": [call("terminal", {"command": "echo hi"}, "call_1"), call("think", {"thought": "hm"}, "call_2")],
            },
            {"content": "One was not allowed."},
        ],
        ["Say hi"],
        [TERMINAL],
        options={"hook_config": HookConfig(pre_tool_use=on(BLOCK, "terminal"))},
    )


@scenario
def hook_blocked_action_waits(stage: Stage) -> None:
    """Blocked by a hook while it waits for confirmation: the reason stands in blocked_actions."""
    agent = stage.agent([{"content": "", "tool_calls": [call("terminal", {"command": "echo hi"}, "call_1")]}], [TERMINAL])
    conversation = stage.open(agent, hook_config=HookConfig(pre_tool_use=on(BLOCK)))
    conversation.set_confirmation_policy(AlwaysConfirm())
    conversation.send_message("Say hi")
    conversation.run()


@scenario
def hook_blocks_message(stage: Stage) -> None:
    """A UserPromptSubmit hook blocks the message: blocked_messages is set until a run takes it away; the second stays."""
    config = HookConfig(user_prompt_submit=on(BLOCK))
    conversation = stage.converse([{"content": "Never sent."}], ["Forbidden"], options={"hook_config": config})
    conversation.send_message("Forbidden too")


@scenario
def hook_denies_stop(stage: Stage) -> None:
    """A Stop hook denies once: its feedback is a message from the environment."""
    once = "test -e stopped && exit 0; touch stopped; echo 'write a test first' >&2; exit 2"
    stage.converse(
        [{"content": "Done."}, {"content": "Done, with a test."}], ["Work"], options={"hook_config": HookConfig(stop=on(once))}
    )


@scenario
def prompt_hook(stage: Stage) -> None:
    """A hook that asks a model, in the configuration and as an event; an agent hook only in the configuration."""
    config = HookConfig(
        stop=[HookMatcher(hooks=[HookDefinition(type="prompt", name="judge", prompt="Is it done?", system_prompt="Be strict.")])],
        session_end=[HookMatcher(matcher="nothing", hooks=[HookDefinition(type="agent", name="reviewer", system_prompt="Review.", tools=["terminal"])])],
    )
    stage.converse(
        [{"content": "Done."}, {"content": '{"decision": "allow", "reason": "It is."}'}], ["Work"], options={"hook_config": config}
    )
