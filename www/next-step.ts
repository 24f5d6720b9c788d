// What stands at the end of the thread when nothing is running: what happened, and the ways on.

import { el } from "./dom.ts";
import type { StoredEvent } from "./event-shapes.ts";
import { entry } from "./event-views.ts";
import { explain, explainEvent, type Way } from "./failures.ts";
import { takeWay } from "./ways.ts";
import type { Session } from "./session.ts";
import { isUnfinished, newest } from "./timeline.ts";
import { lookOf } from "./tools/index.ts";

export type NextStep =
  | { kind: "nothing" }
  | { kind: "following" }
  | { kind: "approve" }
  | { kind: "interrupted" }
  | { kind: "failed"; title: string; text: string; ways: Way[] }
  | { kind: "stuck" }
  | { kind: "continue" };

export function nextStep(session: Session): NextStep {
  const status = session.conversation.executionStatus;
  if (session.running) return { kind: "nothing" };
  if (session.conversation.access === "follower") return { kind: "following" };
  if (session.failure !== null) return { kind: "failed", ...explain(session.failure) };
  if (session.pending.length > 0) return { kind: status === "waiting_for_confirmation" ? "approve" : "interrupted" };
  const last = newest(session.events);
  if (last?.kind === "ConversationErrorEvent") return { kind: "failed", ...explainEvent(last), title: "", text: "" };
  if (status === "stuck") return { kind: "stuck" };
  return isUnfinished(session.events) ? { kind: "continue" } : { kind: "nothing" };
}

export function nextStepView(session: Session): HTMLElement | null {
  const step = nextStep(session);
  switch (step.kind) {
    case "nothing":
      return null;
    case "following":
      return panel("Open in another tab", "You can read along here. To write, close the other tab and reload this one.", [
        wayButton(session, "reload", true),
      ]);
    case "approve":
      return panel("Waiting for your approval", `The agent asks before it goes on: ${namesOf(session.pending)}.`, [
        button("Approve", true, () => session.run()),
        button("Reject", false, () => session.skipPending("The user rejected this action.")),
      ]);
    case "interrupted":
      return panel(
        "The thread broke off here",
        `The page closed during ${namesOf(session.pending)}. Whether that got to its end is not known, so nothing runs a second time unless you say so.`,
        [
          button("Run again", true, () => session.run()),
          button("Skip and continue", false, () =>
            session.skipPending("This call was interrupted when the page closed. Its outcome is unknown, and the user chose not to run it again."),
          ),
        ],
      );
    case "failed":
      return panel(step.title, step.text, step.ways.map((way, index) => wayButton(session, way, index === 0)));
    case "stuck":
      return panel("The agent repeats itself", "It was stopped because it did the same thing over and over. Tell it what to do instead, or let it go on.", [
        button("Continue", true, () => session.run()),
      ]);
    case "continue":
      return panel("", "The agent has not finished.", [button("Continue", true, () => session.run())]);
  }
}

function panel(title: string, text: string, buttons: HTMLElement[]): HTMLElement {
  const view = entry(
    "next",
    title ? el("h2", { class: "next-title" }, title) : null,
    text ? el("p", {}, text) : null,
    buttons.length > 0 ? el("div", { class: "buttons" }, ...buttons) : null,
  );
  view.setAttribute("role", "group");
  view.setAttribute("aria-label", title || "How to go on");
  return view;
}

function namesOf(actions: StoredEvent[]): string {
  const names = actions.map((action) => `“${action.summary ?? lookOf(action.tool_name ?? "tool").title}”`);
  return new Intl.ListFormat("en").format(names);
}

function wayButton(session: Session, way: Way, primary: boolean): HTMLElement {
  const names: Record<Way, string> = { retry: "Try again", settings: "Open settings", export: "Export a copy", reload: "Reload the page" };
  return button(names[way], primary, () => (way === "retry" ? session.run() : takeWay(way)));
}

function button(name: string, primary: boolean, act: () => unknown): HTMLElement {
  return el("button", { type: "button", class: primary ? "button primary" : "button", onclick: () => void act() }, name);
}
