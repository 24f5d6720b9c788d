// The buttons at a message that begin another branch, and the arrows between versions where branches part.

import type { Parting } from "./branches.ts";
import { el } from "../shell/dom.ts";
import { textOf } from "./event-shapes.ts";
import { icon, type IconName } from "../shell/icons.ts";
import type { Message } from "./timeline.ts";
import { titleOf } from "../agent/tools/index.ts";

export interface Verbs {
  edit(message: Message): unknown;
  answerAgain(): unknown;
  /** Copies the conversation up to this event. */
  fork(eventId: string): unknown;
  /** Shows the version that ends with this event. */
  show(parting: Parting, eventId: string): unknown;
}

/** The user may edit a message, and copy the conversation or ask again at the end of an answer. */
export function messageVerbs(message: Message, verbs: Verbs): HTMLElement | null {
  const { from, end, isLast, text } = message;
  const what = excerpt(text || "a message without text", from);
  const buttons = [
    from === "user" && button("edit", "rename", "Edit", `Edit ${what}`, () => verbs.edit(message)),
    end !== undefined && button("fork", "fork", "Fork", `Fork after ${what}`, () => verbs.fork(end)),
    isLast && button("again", "again", "Answer again", `Answer again, in place of ${what}`, () => verbs.answerAgain()),
  ].filter((button) => button instanceof HTMLElement);
  return buttons.length === 0 ? null : el("div", { class: "verbs" }, ...buttons);
}

/** Such as “‹ 2 / 3 ›”. An arrow without a version behind it stays, so that the focus does too. */
export function partingView(parting: Parting, verbs: Verbs): HTMLElement {
  const { versions, shown } = parting;
  const at = versions.indexOf(null);
  const what = shown === null ? "what follows" : excerpt(shown.kind === "MessageEvent" ? textOf(shown.llm_message?.content) : titleOf(shown), shown.source);
  const arrow = (verb: "previous" | "next", step: 1 | -1): HTMLElement => {
    const leaf = versions[at + step];
    const name = leaf ? `Show version ${at + step + 1} of ${versions.length} of ${what}` : `No ${verb} version of ${what}`;
    const arrow = button(verb, verb, "", name, () => leaf && verbs.show(parting, leaf));
    if (!leaf) arrow.setAttribute("aria-disabled", "true");
    return arrow;
  };
  const count = el("span", {}, el("span", { class: "visually-hidden" }, "Version "), `${at + 1} / ${versions.length}`);
  return el("div", { class: "parting verbs", role: "group", "aria-label": `Versions of ${what}` }, arrow("previous", -1), count, arrow("next", 1));
}

function button(verb: string, iconName: IconName, text: string, name: string, onclick: () => unknown): HTMLElement {
  return el("button", { type: "button", class: "button plain small", "data-verb": verb, "aria-label": name, title: text || name, onclick }, icon(iconName), text);
}

const EXCERPT = 40;

/** The beginning of a text, in quotes. Only the agent writes Markdown. */
function excerpt(text: string, from: string | undefined): string {
  const line = (from === "agent" ? text.replace(/[*_`#>~|]+/g, "") : text).replace(/\s+/g, " ").trim();
  return line.length <= EXCERPT ? `“${line}”` : `“${line.slice(0, EXCERPT).replace(/\s+\S*$/, "")}…”`;
}
