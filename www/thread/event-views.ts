// The view of each kind of item in the transcript: an element for an item, without side effects.

import { messageVerbs, partingView, type Verbs } from "./branch-views.ts";
import { callView, type CallContext, imageView } from "./call-view.ts";
import { append, el } from "../shell/dom.ts";
import { argumentsOf, imagesOf, type StoredEvent, textOf, timeOf } from "./event-shapes.ts";
import { explainEvent } from "../shell/failures.ts";
import { renderMarkdown } from "./markdown.ts";
import { plainText } from "./plain-text.ts";
import type { Call, Item, Message } from "./timeline.ts";

export interface ItemContext extends CallContext {
  /** Null where messages cannot be edited: in the work of a sub-agent. */
  verbs: Verbs | null;
  /** The view of the work of the sub-agent that a call has started; null for other calls. */
  subagentOf: (call: Call) => HTMLElement | null;
}

/** An item that fails to render is shown as JSON, so that one odd event does not hide all others. */
export function itemView(item: Item, context: ItemContext): HTMLElement {
  try {
    return viewOf(item, context);
  } catch {
    return unknownView("event" in item ? item.event : { kind: item.type, id: item.key });
  }
}

function viewOf(item: Item, context: ItemContext): HTMLElement {
  switch (item.type) {
    case "message":
      return messageView(item, context.verbs && messageVerbs(item, context.verbs));
    case "reasoning":
      return entry("reasoning", reasoningView(item.text));
    case "call":
      return entry("tool", callView(item, context), context.subagentOf(item));
    case "system":
      return entry("aside", systemView(item));
    case "mark":
      return entry("aside", el("p", { class: "mark" }, item.text, timeView(item.event)));
    case "parting":
      return entry("aside", context.verbs && partingView(item.parting, context.verbs));
    case "changed":
      return entry("aside", changedView(item.calls));
    case "condensed":
      return entry("aside", condensedView(item, (inner) => itemView(inner, context)));
    case "error":
      return errorView(item);
    case "unknown":
      return unknownView(item.event);
  }
}

/** One item on the thread. */
export function entry(kind: string, ...children: Array<Node | null>): HTMLElement {
  const element = el("div", { class: `entry entry-${kind}` });
  append(element, children);
  return element;
}

export function reasoningView(text: string, live = false): HTMLElement {
  return el(
    "details",
    { class: "reasoning", open: false },
    el("summary", {}, live ? "Thinking…" : "Thoughts"),
    el("p", { class: "reasoning-text" }, text),
  );
}

const SPEAKERS = { user: "You", agent: "Agent", environment: "Note to the agent" } as const;

function messageView(item: Message, verbs: HTMLElement | null = null): HTMLElement {
  const { from, event } = item;
  const speaker = from === "user" && event.sender ? event.sender : SPEAKERS[from];
  const element = entry(from, el("div", { class: "message-head" }, el("h2", { class: "speaker" }, speaker, timeView(event)), verbs), wordsView(item), ...item.images.map(imageView), skillsView(event));
  element.setAttribute("role", "article");
  element.setAttribute("aria-label", speaker);
  return element;
}

/** The skills that words in the message have activated. */
function skillsView({ activated_skills: names = [] }: StoredEvent): HTMLElement | null {
  if (names.length === 0) return null;
  return el("p", { class: "quiet skills" }, names.length === 1 ? "Skill used: " : "Skills used: ", ...names.map((name) => el("span", { class: "badge" }, name)));
}

/** A stored message that the agent has not read yet. */
export function sentView(event: StoredEvent): HTMLElement {
  const { content } = event.llm_message ?? {};
  const item = { type: "message", key: event.id, event, from: "user", text: textOf(content), images: imagesOf(content) } as const;
  const element = messageView(item);
  element.id = `sent-${event.id}`;
  element.append(el("p", { class: "quiet" }, "Stored. The agent reads it when it is done with this."));
  return element;
}

function wordsView({ from, text, images }: Message): HTMLElement | null {
  if (from === "agent") return el("div", { class: "prose" }, renderMarkdown(text));
  if (text === "" && images.length > 0) return null;
  return el("p", { class: from === "user" ? "message" : "quiet message" }, plainText(text));
}

function systemView(item: Extract<Item, { type: "system" }>): HTMLElement {
  const tools = item.tools.length === 1 ? "1 tool" : `${item.tools.length} tools`;
  return folded(`Instructions and ${tools}`, [item.tools.length > 0 ? `Tools: ${item.tools.join(", ")}` : "", item.text].filter(Boolean).join("\n\n"));
}

/** Calls as they were before the user edited one of them. None of them ran. */
function changedView(calls: StoredEvent[]): HTMLElement {
  const text = calls.map((call) => `${call.tool_name ?? "tool"} ${JSON.stringify(argumentsOf(call), null, 2)}`).join("\n\n");
  return folded(calls.length === 1 ? "Changed by you: the call as it was" : `Changed by you: the ${calls.length} calls as they were`, text);
}

/** A condensation: the events that the model no longer sees, with the summary that it sees instead. The events stay in the log and are drawn when they are unfolded. */
function condensedView({ event, items }: Extract<Item, { type: "condensed" }>, viewOf: (item: Item) => HTMLElement): HTMLElement {
  const count = event.forgotten_event_ids?.length ?? 0;
  const events = count === 1 ? "1 event" : `${count} events`;
  const summary = event.summary ? renderMarkdown(event.summary) : "There is no summary: the model does not see them at all.";
  const inner = el("div", { class: "condensed-items" });
  const details = el("details", { class: "folded" }, el("summary", {}, `Show the ${events}`), inner);
  details.addEventListener("toggle", () => inner.childElementCount === 0 && inner.append(...items.map(viewOf)));
  return el(
    "section",
    { class: "condensed", role: "group", "aria-label": `Condensed: ${events}` },
    el("p", { class: "mark" }, `Condensed: the model now reads this instead of ${events}`, timeView(event)),
    el("div", { class: "prose summary", tabindex: 0, role: "group", "aria-label": "Summary" }, summary),
    items.length > 0 ? details : el("p", { class: "quiet" }, "They are on an earlier page."),
  );
}

function unknownView(event: StoredEvent): HTMLElement {
  const isBroken = event.kind === "UnreadableEvent";
  return entry("aside", folded(isBroken ? "An event that cannot be read" : `${event.kind} (this page has no view for it)`, isBroken ? `${event["file"]}\n${event["why"]}` : JSON.stringify(event, null, 2)));
}

function folded(title: string, text: string): HTMLElement {
  return el("details", { class: "folded" }, el("summary", {}, title), el("pre", { tabindex: 0 }, text));
}

function errorView(item: Extract<Item, { type: "error" }>): HTMLElement {
  const { title, text } = explainEvent(item.event);
  return entry("error", el("p", { class: "error-title" }, title, timeView(item.event)), el("p", {}, text));
}

function timeView(event: { timestamp?: string; id: string; kind: string }): HTMLElement | null {
  const time = timeOf(event);
  if (time === null) return null;
  const sameDay = time.toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = sameDay ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return el("time", { datetime: time.toISOString() }, new Intl.DateTimeFormat(undefined, format).format(time));
}
