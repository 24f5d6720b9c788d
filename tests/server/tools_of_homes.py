"""The tools `note` and `slow` of the suite of homes, as tools of an agent server.

They are registered under other names, because a server refuses tools of a page with names that it has registered itself.
"""

import os
import urllib.parse
import urllib.request

from openhands.sdk import Action, Observation, ToolDefinition, register_tool
from openhands.sdk.tool import ToolExecutor


class NoteAction(Action):
    text: str


class NoteObservation(Observation):
    pass


class NoteExecutor(ToolExecutor):
    def __call__(self, action, conversation=None):
        return NoteObservation.from_text(text=action.text.upper())


class NoteTool(ToolDefinition[NoteAction, NoteObservation]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return [
            cls(description="Notes a text.", action_type=NoteAction, observation_type=NoteObservation, executor=NoteExecutor())
        ]


class SlowAction(Action):
    pass


class SlowObservation(Observation):
    pass


class SlowExecutor(ToolExecutor):
    def __call__(self, action, conversation=None):
        gate = f"{os.environ['THREADKEEP_STAGE']}/{conversation.id}/gate"
        for step in ["open/began", "passed/go on"]:
            urllib.request.urlopen(f"{gate}/{urllib.parse.quote(step)}").close()
        return SlowObservation.from_text(text="slept")


class SlowTool(ToolDefinition[SlowAction, SlowObservation]):
    @classmethod
    def create(cls, conv_state=None, **params):
        return [
            cls(description="Takes its time.", action_type=SlowAction, observation_type=SlowObservation, executor=SlowExecutor())
        ]


register_tool("homes_note", NoteTool)
register_tool("homes_slow", SlowTool)
