"""What threadkeep says about skills, put in the place of what the SDK says: see our_words.py."""

from __future__ import annotations

from types import CodeType, FunctionType

from openhands.sdk.context import agent_context
from openhands.sdk.skills import skill
from openhands.sdk.tool.builtins.invoke_skill import InvokeSkillExecutor


def say_of_skills() -> None:
    render = agent_context.render_template
    agent_context.render_template = lambda prompt_dir, template_name, **given: (
        activated(given["triggered_agents"]) if template_name == "skill_knowledge_info.j2" else render(prompt_dir, template_name, **given)
    )
    asks = skill.Skill._append_missing_variables_prompt
    assert any(isinstance(constant, str) and constant.startswith("\n\nIf the user didn't") for constant in asks.__code__.co_consts)
    # The model holds the function itself, so its code is replaced.
    asks.__code__ = asks_for_inputs.__code__
    reword(skill.to_prompt, {" characters truncated.": ' characters more: read them with invoke_skill(name="', '") to load': '")]'})
    reword(agent_context.AgentContext.get_tool_use_suffix, {
        "<EXTRA_INFO>\nThe following rule": '<EXTRA_INFO>\nA rule for files like "', '". Follow it': '", such as this one.\n', "Rule location: ": "The rule's file: ",
    })
    reword(InvokeSkillExecutor.__call__, {
        "Unknown skill '": "There is no skill '", "'. Available skills: ": "'. These can be opened: ", "<none>": "none",
        "Skill '": "The skill '", "' cannot be invoked": "' cannot be opened: it is added by itself where it applies.",
    })


def asks_for_inputs(self):
    """Runs in the place of the SDK's function, among the names of its module. What Python has written keeps its sentence."""
    ours = "\n\nIf the request leaves one of these variables open, ask for it before you begin."
    is_asked = ours in self.content or "\n\nIf the user didn't" in self.content
    if isinstance(self.trigger, TaskTrigger) and (self.requires_user_input() or self.inputs) and self.content and not is_asked:  # noqa: F821
        self.content += ours
    return self


def activated(skills: list) -> str:
    text = ""
    for each in skills:
        text += f'\n<EXTRA_INFO>\nA skill that is added to messages with "{each.trigger}". Use it if it helps.\n'
        if each.location:
            text += f"\nThe skill is from {each.location}; paths in it are relative to that.\n"
        text += f"\n\n{each.content}\n</EXTRA_INFO>\n"
    return text.strip()


def reword(function: FunctionType, words: dict[str, str]) -> None:
    """The texts of a function that begin with a key are replaced by its value. Each must be there once."""
    found: list[str] = []

    def reworded(constant):
        if isinstance(constant, CodeType):
            return constant.replace(co_consts=tuple(map(reworded, constant.co_consts)))
        key = next((key for key in words if isinstance(constant, str) and constant.startswith(key)), None)
        if key is None:
            return constant
        found.append(key)
        return words[key]

    function.__code__ = reworded(function.__code__)
    assert sorted(found) == sorted(words), f"{function.__qualname__}: {found} of {list(words)}"
