// The list of stored conversations, newest first, as links.

import type { ConversationInfo } from "threadkeep";
import { conversationList, visibleText } from "threadkeep/thread";
import { nameOf } from "../settings/agent-server.ts";
import { byId, el } from "./dom.ts";
import { icon } from "./icons.ts";
import { report } from "./notices.ts";
import { currentRoute, hrefOf } from "./router.ts";

const UNTITLED = "Untitled conversation";
const list = byId("conversation-list");
const search = byId("conversation-search") as HTMLInputElement;
const stored = conversationList();

export function startConversationList(): void {
  stored.subscribe(draw);
  addEventListener("hashchange", markCurrent);
  list.addEventListener("keydown", moveFocus);
  search.addEventListener("input", draw);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    // Otherwise the key would also follow the link.
    event.preventDefault();
    list.querySelector("a")?.focus();
  });
  // The times in it are relative.
  document.addEventListener("visibilitychange", () => document.hidden || draw());
}

/** Moves the focus to the field in which titles are sought; on a narrow screen it is in the drawer. */
export function searchConversations(): void {
  const opener = byId("open-sidebar");
  if (getComputedStyle(opener).display !== "none" && opener.getAttribute("aria-expanded") === "false") opener.click();
  search.focus();
  search.select();
}

function draw(): void {
  const { phase, conversations, error } = stored.getSnapshot();
  if (phase === "failed") report(error, { title: "Your conversations could not be listed", retry: () => void stored.refresh() });
  const focused = (document.activeElement as HTMLAnchorElement | null)?.getAttribute("href");
  const sought = search.value.trim().toLocaleLowerCase();
  const found = conversations.filter(({ title }) => (title ?? UNTITLED).toLocaleLowerCase().includes(sought));
  list.replaceChildren(...found.map(row));
  search.hidden = conversations.length === 0;
  byId("conversation-list-empty").hidden = phase === "loading" || conversations.length > 0;
  byId("conversation-search-empty").hidden = conversations.length === 0 || found.length > 0;
  markCurrent();
  if (focused) list.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
  rove();
}

const WAITS: Partial<Record<ConversationInfo["executionStatus"], string>> = {
  waiting_for_confirmation: "waits for you",
  paused: "paused",
  error: "ended with an error",
  stuck: "stuck",
};

function row({ id, title, updatedAt, executionStatus, server }: ConversationInfo): HTMLElement {
  return el(
    "li",
    {},
    el(
      "a",
      { href: hrefOf(id), class: "conversation" },
      el("span", { class: "conversation-title" }, visibleText(title ?? UNTITLED)),
      el(
        "span",
        { class: "conversation-about" },
        server !== null && serverMark(server),
        [howLongAgo(updatedAt), WAITS[executionStatus]].filter(Boolean).join(" · "),
      ),
    ),
  );
}

/** Of a copy of a conversation on an agent server. */
function serverMark(server: string): HTMLElement {
  const text = `on the server ${visibleText(nameOf(server))}`;
  return el("span", { class: "conversation-server", title: text }, icon("server"), el("span", { class: "visually-hidden" }, `${text}, `));
}

/** One stop for Tab, at the open conversation or the first; the arrows lead to the others. */
function rove(): void {
  const links = [...list.querySelectorAll("a")];
  const stop = links.find((link) => link === document.activeElement) ?? links.find((link) => link.hasAttribute("aria-current")) ?? links[0];
  for (const link of links) link.tabIndex = link === stop ? 0 : -1;
}

function moveFocus(event: KeyboardEvent): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  links[Math.max(0, Math.min(next, links.length - 1))]!.focus();
  rove();
}

function markCurrent(): void {
  const route = currentRoute();
  for (const link of list.querySelectorAll("a")) {
    if (route !== null && link.getAttribute("href") === hrefOf(route.conversationId)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  rove();
}

const STEPS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

function howLongAgo(time: Date): string {
  const seconds = (Date.now() - time.getTime()) / 1000;
  if (seconds > 7 * 86_400) return absolute.format(time);
  for (const [unit, length] of STEPS) if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  return "just now";
}
