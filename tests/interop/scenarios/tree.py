"""Branches, forks, and logs from before there were any."""

import json

from openhands.sdk.event import MessageEvent, SystemPromptEvent

from stage import Stage, call, directory_of, events_of, scenario


@scenario
def branches(stage: Stage) -> None:
    """Rewound to the parent of the second user message and continued: two branches, the newer one active."""
    conversation = stage.converse([{"content": f"Answer {n}."} for n in range(4)], ["One", "Two"])
    second = [event for event in events_of(conversation, MessageEvent) if event.source == "user"][1]
    conversation.navigate_to(second.parent_id)
    conversation.send_message("Two, said otherwise")
    conversation.run()


@scenario
def older_branch_active(stage: Stage) -> None:
    """Two branches with calls, and HEAD moved back to the end of the older one."""
    thought = [{"content": "", "tool_calls": [call("think", {"thought": "first"}, "call_1")]}]
    conversation = stage.converse([*thought, {"content": "A."}, {"content": "B."}], ["One"])
    tail = conversation.state.leaf_event_id
    conversation.navigate_to(events_of(conversation, SystemPromptEvent)[0].id)
    conversation.send_message("Another one")
    conversation.run()
    conversation.navigate_to(tail)


@scenario
def empty_head(stage: Stage) -> None:
    """HEAD moved to before everything: head_is_empty, nothing active."""
    stage.converse([{"content": "Hello."}], ["Hi"]).navigate_to(None)


@scenario
def second_root(stage: Stage) -> None:
    """Continued from the empty HEAD: a second root, marked as such, without a system prompt."""
    conversation = stage.converse([{"content": "Hello."}, {"content": "Hello again."}], ["Hi"])
    conversation.navigate_to(None)
    conversation.send_message("Hi from nowhere")
    conversation.run()


@scenario
def forked(stage: Stage) -> None:
    """A conversation with two branches, its full fork with metrics and title, and a fork from one event; both go on."""
    conversation = stage.converse([{"content": f"Answer {n}."} for n in range(6)], ["One", "Two"])
    second = [event for event in events_of(conversation, MessageEvent) if event.source == "user"][1]
    conversation.navigate_to(second.parent_id)
    conversation.send_message("Two, said otherwise")
    conversation.run()
    whole = conversation.fork(conversation_id=stage.new_id(), title="All of it", tags={"why": "copy"}, reset_metrics=False)
    stage.conversations.append(whole)
    part = conversation.fork(conversation_id=stage.new_id(), from_event_id=second.id)
    stage.conversations.append(part)
    for fork in (whole, part):
        fork.send_message("Go on")
        fork.run()


@scenario
def legacy(stage: Stage) -> None:
    """A log from before the tree: parent_id taken out of every event, leaf and head_is_empty out of the state."""
    conversation = stage.converse(
        [{"content": "", "tool_calls": [call("think", {"thought": "first"}, "call_1")]}, {"content": "Done."}], ["One"]
    )
    stage.close()
    before_the_tree(directory_of(conversation))


@scenario
def legacy_continued(stage: Stage) -> None:
    """A log from before the tree that a later SDK continued: the first events without parents, the rest with."""
    conversation = stage.converse([{"content": "One."}, {"content": "Two."}], ["One"])
    stage.close()
    before_the_tree(directory_of(conversation))
    again = stage.reopen(conversation)
    again.send_message("Two")
    again.run()


def before_the_tree(directory) -> None:
    for path in [*directory.glob("events/event-*.json"), directory / "base_state.json"]:
        stored = json.loads(path.read_text(encoding="utf-8"))
        for key in ("parent_id", "leaf_event_id", "head_is_empty"):
            stored.pop(key, None)
        path.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
