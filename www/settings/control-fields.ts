// The settings of control: the approval policy of new conversations, the maximum cost of a run, and a forbidden tool.

import { el } from "../shell/dom.ts";
import { check, checkbox, help } from "./fields.ts";
import { POLICIES, type PolicyChoice } from "../control/policy.ts";
import { settings, type Settings } from "./settings.ts";
import { hasSharedWorkers } from "../agent/background.ts";
import { allTools } from "../agent/tools.ts";

type ControlSettings = Pick<Settings, "policy" | "budget" | "forbidden" | "files" | "terminal" | "subagents" | "inBackground">;

export function controlSettings(): { element: HTMLElement; read: () => ControlSettings } {
  const now = settings();
  const policy = el(
    "select",
    { id: "new-policy" },
    ...POLICIES.map(({ id, label }) => el("option", { value: id, selected: id === now.policy }, label)),
  );
  const budget = el("input", {
    id: "budget",
    type: "number",
    inputmode: "decimal",
    min: "0.0001",
    step: "any",
    value: now.budget ?? "",
    "aria-describedby": "budget-help",
  });
  const forbidden = el(
    "select",
    { id: "forbidden", "aria-describedby": "forbidden-help" },
    el("option", { value: "" }, "Nothing is forbidden"),
    ...allTools.map(({ name }) => el("option", { value: name, selected: name === now.forbidden }, name)),
  );
  const files = checkbox("agent-files");
  files.checked = now.files;
  const terminal = checkbox("agent-terminal");
  terminal.checked = now.terminal;
  const subagents = checkbox("agent-subagents");
  subagents.checked = now.subagents;
  const background = checkbox("in-background");
  background.checked = now.inBackground && hasSharedWorkers;
  background.disabled = !hasSharedWorkers;
  const element = el(
    "fieldset",
    {},
    el("legend", {}, "Control"),
    el(
      "div",
      { class: "fields" },
      check(
        "The agent works on files",
        files,
        help(
          "agent-files-help",
          "It edits and searches the files of the conversation, and keeps a list of tasks. These files are stored in this browser only.",
        ),
      ),
      check(
        "The agent uses a terminal",
        terminal,
        help(
          "agent-terminal-help",
          "A shell inside this page with the usual text and file commands. It reaches the same files, no other programs and no network. Its code, a third of a megabyte, is loaded with the first command.",
        ),
      ),
      check(
        "The agent may start sub-agents",
        subagents,
        help(
          "agent-subagents-help",
          "Each works on a task in a conversation of its own, with the same tools and the same approvals. They ask the model by themselves, which costs.",
        ),
      ),
      check(
        "Chats go on when their tab is closed",
        background,
        help(
          "in-background-help",
          hasSharedWorkers
            ? "They run beside the tabs of this page, as long as one of them is open. A chat that uses MCP servers or a locked key runs in its own tab."
            : "This browser cannot run chats beside the tabs of a page.",
        ),
      ),
      el("div", { class: "field" }, el("label", { for: "new-policy" }, "New conversations"), policy),
      el(
        "div",
        { class: "field" },
        el("label", { for: "budget" }, "Budget of a run, in dollars"),
        budget,
        el(
          "p",
          { class: "quiet", id: "budget-help" },
          "The step that reaches it is the last of its run. Empty: no limit. The stand-in and models on this computer cost nothing.",
        ),
      ),
      el(
        "div",
        { class: "field" },
        el("label", { for: "forbidden" }, "Never let the agent use"),
        forbidden,
        el("p", { class: "quiet", id: "forbidden-help" }, "When the agent tries to use this tool, the page refuses and tells it why."),
      ),
    ),
  );
  const read = (): ControlSettings => ({
    policy: policy.value as PolicyChoice,
    budget: budget.value === "" ? null : budget.valueAsNumber,
    forbidden: forbidden.value,
    files: files.checked,
    terminal: terminal.checked,
    subagents: subagents.checked,
    inBackground: background.checked,
  });
  return { element, read };
}
