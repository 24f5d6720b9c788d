// The work of sub-agents, folded under the calls that have started them. Each view keeps its element while its call is drawn
// again, so that it stays unfolded.

import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Subagents } from "./subagents.ts";
import { type Call, type Item, timeline } from "./timeline.ts";

interface View {
  call: Call;
  taskId: string;
  details: HTMLDetailsElement;
  items: HTMLElement;
  /** The state that the drawn items show. */
  drawn: string;
}

export class SubagentViews {
  #subagents: Subagents;
  #viewOf: (item: Item) => HTMLElement;
  #views = new Map<string, View>();

  constructor(subagents: Subagents, viewOf: (item: Item) => HTMLElement) {
    this.#subagents = subagents;
    this.#viewOf = viewOf;
  }

  /** Null for other calls, and before the task is recorded. */
  of(call: Call): HTMLElement | null {
    const taskId = this.taskOf(call);
    if (taskId === undefined) return null;
    const view = this.#views.get(call.key) ?? this.#create(call, taskId);
    view.call = call;
    this.#views.set(call.key, view);
    return view.details;
  }

  taskOf({ action, toolName }: Call): string | undefined {
    return toolName === "task" && action !== null ? this.#subagents.taskOf(action) : undefined;
  }

  /** Draws what has happened since, where it is unfolded. */
  update(): void {
    for (const view of this.#views.values()) if (view.details.open) void this.#draw(view);
  }

  #create(call: Call, taskId: string): View {
    const items = el("div", { class: "subagent-items" });
    const name = String(call.action!.action?.["subagent_type"] ?? "a sub-agent");
    const details = el("details", { class: "folded subagent" }, el("summary", {}, `The work of ${name}`), items);
    const view = { call, taskId, details, items, drawn: "" };
    details.addEventListener("toggle", () => details.open && void this.#draw(view));
    return view;
  }

  async #draw(view: View): Promise<void> {
    const { call, taskId, items } = view;
    const state = `${call.state} ${this.#subagents.seen(taskId)}`;
    if (state === view.drawn) return;
    view.drawn = state;
    try {
      const events = await this.#subagents.events(taskId, call.state === "open");
      if (view.drawn !== state) return;
      items.replaceChildren(...(events.length === 0 ? [el("p", { class: "quiet" }, "Nothing is known of its work yet.")] : timeline(events).map(this.#viewOf)));
    } catch (error) {
      view.drawn = "";
      items.replaceChildren(el("p", { class: "quiet" }, explain(error).text));
    }
  }
}
