// The list of stored conversations, newest first, as links.

import type { ConversationInfo } from "threadkeep";
import { conversationList, visibleText } from "threadkeep/thread";
import { byId, el } from "./dom.ts";
import { report } from "./notices.ts";
import { currentRoute, hrefOf } from "./router.ts";

const list = byId("conversation-list");
const stored = conversationList();

export function startConversationList(): void {
  stored.subscribe(draw);
  addEventListener("hashchange", markCurrent);
  // The times in it are relative.
  document.addEventListener("visibilitychange", () => document.hidden || draw());
}

function draw(): void {
  const { phase, conversations, error } = stored.getSnapshot();
  if (phase === "failed") report(error, { title: "Your conversations could not be listed", retry: () => void stored.refresh() });
  const focused = (document.activeElement as HTMLAnchorElement | null)?.getAttribute("href");
  list.replaceChildren(...conversations.map(row));
  byId("conversation-list-empty").hidden = phase === "loading" || conversations.length > 0;
  markCurrent();
  if (focused) list.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

const WAITS: Partial<Record<ConversationInfo["executionStatus"], string>> = {
  waiting_for_confirmation: "waits for you",
  paused: "paused",
  error: "ended with an error",
  stuck: "stuck",
};

function row({ id, title, updatedAt, executionStatus }: ConversationInfo): HTMLElement {
  return el(
    "li",
    {},
    el(
      "a",
      { href: hrefOf(id), class: "conversation" },
      el("span", { class: "conversation-title" }, visibleText(title ?? "Untitled conversation")),
      el("span", { class: "conversation-about" }, [howLongAgo(updatedAt), WAITS[executionStatus]].filter(Boolean).join(" · ")),
    ),
  );
}

function markCurrent(): void {
  const href = location.hash;
  for (const link of list.querySelectorAll("a")) {
    if (currentRoute() !== null && link.getAttribute("href") === href) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const STEPS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [["day", 86_400], ["hour", 3600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

function howLongAgo(time: Date): string {
  const seconds = (Date.now() - time.getTime()) / 1000;
  if (seconds > 7 * 86_400) return absolute.format(time);
  for (const [unit, length] of STEPS) if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  return "just now";
}
