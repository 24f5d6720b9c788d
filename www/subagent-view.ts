// The work of a sub-agent, folded under the call that has started it.

import { el } from "./dom.ts";
import { explain } from "./failures.ts";
import type { Subagents } from "./subagents.ts";
import { type Call, type Item, timeline } from "./timeline.ts";

/** Null for other calls, and before the task is recorded. */
export function subagentView({ action, toolName, state, answer }: Call, subagents: Subagents, viewOf: (item: Item) => HTMLElement): HTMLElement | null {
  const taskId = toolName === "task" && action !== null ? subagents.taskOf(action) : undefined;
  if (taskId === undefined) return null;
  const inner = el("div", { class: "subagent-items" });
  const draw = async (): Promise<void> => {
    try {
      const events = await subagents.events(taskId, state === "open");
      inner.replaceChildren(...(events.length === 0 ? [el("p", { class: "quiet" }, "Nothing is known of its work yet.")] : timeline(events).map(viewOf)));
    } catch (error) {
      inner.replaceChildren(el("p", { class: "quiet" }, explain(error).text));
    }
  };
  const name = String(answer?.observation?.["subagent"] ?? action!.action?.["subagent_type"] ?? "sub-agent");
  const details = el("details", { class: "folded subagent" }, el("summary", {}, `The work of ${name}`), inner);
  details.addEventListener("toggle", () => details.open && void draw());
  return details;
}
