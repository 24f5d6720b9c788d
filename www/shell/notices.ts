// Notices about the page, shown above the conversation until they are dismissed. An error is announced at once.

import { el, byId } from "./dom.ts";
import { explain, type Failure, type Recovery } from "./failures.ts";
import { icon } from "./icons.ts";
import { runRecovery } from "./recoveries.ts";

interface NoticeAction {
  name: string;
  act: () => unknown;
}

const SHORT_LIFE = 6000;
const PATIENCE = 400;

/** A success: disappears by itself, and is replaced by the next one. */
export function notify(text: string): void {
  for (const earlier of byId("notices").querySelectorAll(".notice-news")) earlier.remove();
  const notice = show({ title: "", text, kind: "news", actions: [] });
  setTimeout(() => notice.contains(document.activeElement) || notice.remove(), SHORT_LIFE);
}

/** An offer: stays until it is accepted or dismissed. `act` returns whether it was accepted. */
export function offer(text: string, name: string, act: () => boolean): void {
  const notice = show({ title: "", text, kind: "news", actions: [] });
  notice.classList.replace("notice-news", "notice-offer");
  notice.querySelector(".icon-button")!.before(el("button", { type: "button", class: "button small", onclick: () => act() && notice.remove() }, name));
}

/** Long work: stays until `end`, and shows the progress. Short work ends before the notice appears. */
export function showWork(name: string): { onProgress: (progress: { done: number; total: number }) => void; end: () => void } {
  const bar = el("progress", { "aria-label": name });
  const notice = el("div", { class: "notice notice-work" }, el("p", { class: "notice-text" }, name), bar);
  const timer = setTimeout(() => byId("notices").append(notice), PATIENCE);
  return {
    onProgress: ({ done, total }) => void (bar.value = total === 0 ? 1 : done / total),
    end: () => {
      clearTimeout(timer);
      notice.remove();
    },
  };
}

interface Reported {
  title?: string;
  /** Replaces the actions of the failure itself. */
  recoveries?: Recovery[];
  retry?: () => unknown;
  retryName?: string;
}

/** A failure: stays, with the possible actions. `retry` replaces the generic action of that name. */
export function report(error: unknown, { title, recoveries, retry, retryName = "Try again" }: Reported = {}): void {
  const failure = { ...explain(error), ...(recoveries && { recoveries }) };
  show({ title: title ?? failure.title, text: failure.text, kind: "failure", actions: actionsFor(failure, retry ? { name: retryName, act: retry } : null) });
}

const RECOVERY_NAMES: Record<Exclude<Recovery, "retry">, string> = { settings: "Open settings", export: "Export a copy", reload: "Reload the page" };

function actionsFor(failure: Failure, retry: NoticeAction | null): NoticeAction[] {
  const actions: NoticeAction[] = retry ? [retry] : [];
  for (const recovery of failure.recoveries) if (recovery !== "retry") actions.push({ name: RECOVERY_NAMES[recovery], act: () => runRecovery(recovery) });
  return actions;
}

function show({ title, text, kind, actions }: { title: string; text: string; kind: "news" | "failure"; actions: NoticeAction[] }): HTMLElement {
  const notice: HTMLElement = el(
    "div",
    { class: `notice notice-${kind}`, role: kind === "failure" ? "alert" : "status" },
    el("div", { class: "notice-text" }, title ? el("strong", {}, title) : null, el("p", {}, text)),
    ...actions.map(({ name, act }) =>
      el("button", { type: "button", class: "button small", onclick: () => (notice.remove(), act()) }, name),
    ),
    el("button", { type: "button", class: "icon-button", "aria-label": "Dismiss", onclick: () => notice.remove() }, icon("close")),
  );
  const notices = byId("notices");
  // A repeated failure replaces the earlier notice.
  for (const other of [...notices.children]) if (other.textContent === notice.textContent) other.remove();
  notices.append(notice);
  return notice;
}
