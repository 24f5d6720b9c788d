// The waiting calls: what each would do, its risk, and the buttons to decide.

import { append, el } from "../shell/dom.ts";
import { askArguments, askReason } from "./approval-dialogs.ts";
import { argumentsOf, type StoredEvent } from "./event-shapes.ts";
import { entry } from "./event-views.ts";
import { icon } from "../shell/icons.ts";
import { report } from "../shell/notices.ts";
import type { Session } from "./session.ts";
import { lookOf, titleOf } from "../agent/tools/index.ts";

const RISKS: Record<string, string> = { LOW: "low risk", MEDIUM: "medium risk", HIGH: "high risk", UNKNOWN: "risk unknown" };

/** A key that changes when the view has to be drawn again; otherwise it stays, and keeps the focus. */
export const approvalKey = ({ pending, conversation }: Session): string => JSON.stringify([pending.map(({ id }) => id), conversation.securityRisks]);

export function approvalView(session: Session): HTMLElement {
  const calls = session.pending;
  const heading = calls.length === 1 ? "A call waits for you" : `${calls.length} calls wait for you`;
  const view = entry(
    "next",
    el("h2", { class: "next-title", id: "approval-heading", tabindex: -1 }, heading),
    el("p", {}, `The agent asks before it continues. ${calls.length === 1 ? "It waits" : "They wait"} as long as you like, also while the page is closed.`),
    ...calls.map((call) => callCard(session, call)),
  );
  if (calls.length > 1) {
    append(view, [
      el(
        "div",
        { class: "buttons" },
        button("Approve all", "primary", () => session.run()),
        button("Reject all…", "", () => reject(session, "all of these calls", undefined)),
      ),
    ]);
  }
  view.setAttribute("role", "group");
  view.setAttribute("aria-labelledby", "approval-heading");
  return view;
}

function callCard(session: Session, call: StoredEvent): HTMLElement {
  const { id, tool_name: toolName = "tool" } = call;
  const title = titleOf(call);
  const risk = session.conversation.securityRisks[id] ?? call.security_risk ?? "UNKNOWN";
  const heading = `approve-${id}`;
  return el(
    "section",
    { class: "ask", role: "group", "aria-labelledby": heading },
    el(
      "div",
      { class: "ask-head" },
      icon(lookOf(toolName).icon),
      el("h3", { id: heading }, title),
      el("span", { class: "risk", "data-risk": risk }, RISKS[risk] ?? risk),
      el("p", { class: "quiet" }, "Tool ", el("code", {}, toolName)),
    ),
    el("pre", { class: "result ask-arguments", tabindex: 0, role: "group", "aria-label": `Arguments of ${title}` }, JSON.stringify(argumentsOf(call), null, 2)),
    el(
      "div",
      { class: "buttons" },
      button("Approve", session.pending.length === 1 ? "primary" : "", () => session.run({ approve: [id] })),
      button("Edit…", "", () => askArguments(title, argumentsOf(call), (args) => session.edit(id, args))),
      button("Reject…", "", () => reject(session, `“${title}”`, [id])),
      button(`Always allow ${toolName} here`, "", () => session.alwaysAllow(toolName)),
    ),
  );
}

async function reject(session: Session, what: string, actionIds: string[] | undefined): Promise<void> {
  const reason = await askReason(what);
  if (reason !== null) await session.reject(reason || "The user rejected this action.", actionIds);
}

function button(name: string, look: string, act: () => Promise<unknown>): HTMLElement {
  const onclick = (): void => void act().catch((error: unknown) => report(error, { title: "That could not be done" }));
  return el("button", { type: "button", class: `button ${look}`, onclick }, name);
}
