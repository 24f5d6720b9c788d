// The list of stored conversations, newest first, as links. Read again after a change, and when the tab becomes visible.

import { Conversation, type ConversationInfo } from "threadkeep";
import { byId, el } from "./dom.ts";
import { report } from "./notices.ts";
import { currentRoute, hrefOf } from "./router.ts";
import { onOtherTab } from "./tabs.ts";

const list = byId("conversation-list");

export function startConversationList(): void {
  document.addEventListener("visibilitychange", () => document.hidden || void refreshList());
  addEventListener("hashchange", markCurrent);
  onOtherTab(refreshSoon);
  void refreshList();
}

let soon: ReturnType<typeof setTimeout> | undefined;

/** Another tab may store many events in a row, so the list is updated with a delay. */
function refreshSoon(): void {
  soon ??= setTimeout(() => {
    soon = undefined;
    void refreshList();
  }, 500);
}

export async function refreshList(): Promise<void> {
  let conversations: ConversationInfo[];
  try {
    conversations = await Conversation.list();
  } catch (error) {
    return report(error, { title: "Your conversations could not be listed", retry: refreshList });
  }
  const focused = (document.activeElement as HTMLAnchorElement | null)?.getAttribute("href");
  list.replaceChildren(...conversations.map(row));
  byId("conversation-list-empty").hidden = conversations.length > 0;
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
      el("span", { class: "conversation-title" }, title ?? "Untitled conversation"),
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
