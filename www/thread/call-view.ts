// A tool call: one line with its purpose and result, and all details when opened.

import type { Call } from "./timeline.ts";
import { append, el } from "../shell/dom.ts";
import { changesOf } from "../files/changes.ts";
import { icon } from "../shell/icons.ts";
import { specialResult } from "./result-views.ts";
import { lookOf, summaryOf, titleWith } from "../agent/tools/index.ts";

const STATE_TEXT = {
  running: "running",
  waiting: "waits for you",
  interrupted: "not finished",
  done: "done",
  failed: "failed",
  stopped: "stopped",
  "broken-off": "broke off",
  rejected: "skipped",
} as const;

export interface CallContext {
  /** The state of a call without a result. */
  open: "running" | "waiting" | "interrupted";
  progress: string | undefined;
}

export function callView(call: Call, { open, progress }: CallContext): HTMLElement {
  const { title, icon: iconName } = lookOf(call.toolName);
  const summary = summaryOf(call.toolName, call.action?.summary) ?? titleWith(call.toolName, call.args);
  const glance = (call.state === "done" && oneLine(call.result)) || (summary === null && oneLine(firstText(call.args)));
  const state = call.state === "open" ? open : call.state;
  const refused = state === "rejected" && call.answer?.rejection_source === "hook";
  const stateText = state === "running" ? (progress ?? STATE_TEXT.running) : refused ? "not allowed" : STATE_TEXT[state];

  const body = el("div", { class: "call-body" });
  const details = el(
    "details",
    { class: "call", "data-state": state },
    el(
      "summary",
      {},
      icon(iconName),
      el("span", { class: "call-title" }, summary ?? title),
      glance ? el("span", { class: "call-glance" }, glance) : null,
      el("span", { class: "call-state" }, stateText),
    ),
    body,
  );
  // A comparison of long files takes time, so it waits until somebody looks.
  if (changesOf(call.answer?.observation).length === 0) append(body, bodyOf(call));
  else details.addEventListener("toggle", () => body.childElementCount === 0 && append(body, bodyOf(call)));
  return details;
}

function bodyOf(call: Call): Array<HTMLElement | null> {
  const tool = el("p", { class: "quiet" }, "Tool ", el("code", {}, call.toolName), call.action === null ? " (the call is on an earlier page)" : "");
  const special = specialResult(call);
  return special ? [tool, special] : [tool, argumentsView(call.args), call.answer ? resultView(call) : null];
}

function argumentsView(args: Record<string, unknown>): HTMLElement | null {
  const entries = Object.entries(args);
  if (entries.length === 0) return null;
  return el(
    "div",
    { role: "group", "aria-label": "Arguments" },
    el("h3", { class: "eyebrow" }, "Arguments"),
    el(
      "dl",
      { class: "arguments" },
      ...entries.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "string" ? value : JSON.stringify(value, null, 1))]),
    ),
  );
}

const RESULT_NAME = {
  open: "Result",
  done: "Result",
  failed: "Error",
  stopped: "Message to the agent",
  "broken-off": "Message to the agent",
  rejected: "Message to the agent",
} as const;

function resultView(call: Call): HTMLElement {
  const name = RESULT_NAME[call.state];
  return el(
    "div",
    { role: "group", "aria-label": name },
    el("h3", { class: "eyebrow" }, name),
    el("pre", { class: "result", tabindex: 0 }, call.result || "(no text)"),
    ...call.images.map(imageView),
  );
}

/** Shows only images that are part of the conversation; loading others would tell their server who reads. */
export function imageView(url: string): HTMLElement {
  if (/^data:image\/(png|jpeg|gif|webp);base64,/i.test(url)) return el("img", { src: url, alt: "Attached image", class: "attached" });
  if (!/^https?:/i.test(url)) return el("p", { class: "quiet" }, "An image that cannot be shown");
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, `Image not loaded: ${url}`);
}

/** The most telling argument of a call without a summary. */
function firstText(args: Record<string, unknown>): string {
  return Object.values(args).find((value) => typeof value === "string") ?? "";
}

function oneLine(text: string): string {
  const line = text.trim();
  return line.length <= 80 && !line.includes("\n") ? line : "";
}
