// The end of the thread while nothing runs: what happened, and the actions for it.

import { approvalKey, approvalView } from "./approval-view.ts";
import { el } from "../shell/dom.ts";
import type { StoredEvent } from "./event-shapes.ts";
import { entry } from "./event-views.ts";
import { explain, explainEvent, type Recovery } from "../shell/failures.ts";
import { runRecovery } from "../shell/recoveries.ts";
import type { Session } from "./session.ts";
import { isUnfinished, newest } from "./timeline.ts";
import { titleOf } from "../agent/tools/index.ts";

type NextStep =
  | { kind: "nothing" }
  | { kind: "following" }
  | { kind: "approve" }
  | { kind: "interrupted"; calls: StoredEvent[] }
  | { kind: "waiting"; paused: boolean }
  | { kind: "failed"; title: string; text: string; recoveries: Recovery[] }
  | { kind: "stuck" }
  | { kind: "stopped" }
  | { kind: "broken-off" };

function nextStep(session: Session): NextStep {
  const status = session.conversation.executionStatus;
  if (session.running) return { kind: "nothing" };
  if (session.failure !== null) return { kind: "failed", ...explain(session.failure) };
  if (session.isFollower) return { kind: "following" };
  if (session.pending.length > 0) {
    if (session.interruptedCalls.length > 0) return { kind: "interrupted", calls: session.interruptedCalls };
    return status === "waiting_for_confirmation" ? { kind: "approve" } : { kind: "waiting", paused: status === "paused" };
  }
  const last = newest(session.events);
  if (last?.kind === "ConversationErrorEvent") return { kind: "failed", title: "", text: "", recoveries: explainEvent(last).recoveries };
  if (status === "stuck") return { kind: "stuck" };
  const hasMessages = session.hasEarlier || session.events.some(({ kind }) => kind === "MessageEvent");
  if (!hasMessages || !isUnfinished(session.events)) return { kind: "nothing" };
  return { kind: last?.kind === "InterruptEvent" || last?.kind === "PauseEvent" ? "stopped" : "broken-off" };
}

/** A key of the view, which stays the same element while the key does. */
export const nextStepKey = (session: Session): string | null => (nextStep(session).kind === "approve" ? approvalKey(session) : null);

export function nextStepView(session: Session): HTMLElement | null {
  const step = nextStep(session);
  switch (step.kind) {
    case "nothing":
      return null;
    case "following":
      return panel(
        "Open in another tab",
        "You can read along here while that tab writes. Close the conversation there, and you can go on here.",
        [],
      );
    case "approve":
      return approvalView(session);
    case "interrupted":
      return panel(
        BROKEN_OFF,
        `It stopped during ${namesOf(step.calls)}. Nobody knows how far that got, so nothing runs a second time unless you say so.`,
        [
          button("Run again", true, () => session.run()),
          button("Skip and continue", false, () => session.reject(SKIPPED)),
        ],
      );
    case "waiting":
      return panel(step.paused ? "Paused" : BROKEN_OFF, `It stopped before ${namesOf(session.pending)} began.`, [
        button("Continue", true, () => session.run()),
        button("Skip and continue", false, () => session.reject(SKIPPED)),
      ]);
    case "failed":
      return panel(step.title, step.text, step.recoveries.map((recovery, index) => recoveryButton(session, recovery, index === 0)));
    case "stuck":
      return panel("The agent repeats itself", "It was stopped because it did the same thing over and over. Tell it what to do instead, or let it continue.", [
        button("Continue", true, () => session.run()),
      ]);
    case "stopped":
      return panel("", "Write what to do instead, or let the agent continue.", [button("Continue", true, () => session.run())]);
    case "broken-off":
      return panel(
        session.hasRun ? "" : BROKEN_OFF,
        session.hasRun ? "The agent has not finished." : `It ${session.waited ? "was waiting for the network" : "stopped before the agent had answered"}. Everything up to here was stored.`,
        [button("Continue", true, () => session.run())],
      );
  }
}

const BROKEN_OFF = "The thread broke off here";
const SKIPPED = "The user chose not to run this call again.";

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

const listOf = (names: string[]): string => new Intl.ListFormat("en").format(names.map((name) => `“${name}”`));

const namesOf = (actions: StoredEvent[]): string => listOf(actions.map(titleOf));

function recoveryButton(session: Session, recovery: Recovery, primary: boolean): HTMLElement {
  const names: Record<Recovery, string> = { retry: "Try again", settings: "Open settings", export: "Export a copy", reload: "Reload the page" };
  return button(names[recovery], primary, () => (recovery === "retry" ? session.run() : runRecovery(recovery)));
}

function button(name: string, primary: boolean, act: () => unknown): HTMLElement {
  return el("button", { type: "button", class: primary ? "button primary" : "button", onclick: () => void act() }, name);
}
