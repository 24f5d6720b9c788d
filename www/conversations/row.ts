// A row of the list: a link to the conversation with its menu, a checkbox while several are selected, or an entry of the trash.
// A change of the conversation is shown in the same elements, so that the focus stays where it is.

import type { ConversationInfo } from "threadkeep";
import { visibleText } from "threadkeep/thread";
import { nameOf } from "../settings/agent-server.ts";
import { el } from "../shell/dom.ts";
import { icon, type IconName } from "../shell/icons.ts";
import { hrefOf } from "../shell/router.ts";
import { isSelected } from "./selection.ts";
import { howLongAgo } from "./when.ts";

export type RowKind = "link" | "check" | "trash";
/** The buttons in a row. */
export type RowAct = "menu" | "restore" | "forever";

export interface Row {
  element: HTMLElement;
  show(info: ConversationInfo): void;
}

export const titleOf = ({ title }: Pick<ConversationInfo, "title">): string => visibleText(title ?? "Untitled conversation");

/**
 * The row has `data-id`, its buttons have `data-act`, and what the arrows lead to has `data-stop`. Everything that takes the focus has
 * a `data-focus`, by which it is found again.
 */
export function createRow(id: string, kind: RowKind): Row {
  const title = el("span", { class: "conversation-title" });
  const about = el("span", { class: "conversation-about" });
  const stop = { "data-stop": true, "data-focus": `${id} stop` };
  const box = kind === "check" && el("input", { type: "checkbox", ...stop });
  const main = box
    ? el("label", { class: "conversation" }, box, el("span", { class: "conversation-text" }, title, about))
    : el("a", { href: hrefOf(id), class: "conversation", ...stop }, title, about);
  const buttons = BUTTONS[kind].map(([act, name, look]) => {
    const popup = act !== "restore" && "dialog";
    const attributes = { type: "button", class: "icon-button", title: name, "data-act": act, "data-focus": `${id} ${act}` };
    return [name, el("button", { ...attributes, "aria-haspopup": popup }, icon(look))] as const;
  });
  const tools = buttons.length > 0 && el("span", { class: "conversation-tools" }, ...buttons.map(([, button]) => button));
  const element = el("li", { class: `conversation-row of-${kind}`, "data-id": id }, main, tools);
  return {
    element,
    show(info) {
      const name = titleOf(info);
      setText(title, name);
      const mark = info.server === null ? [] : [serverMark(info.server)];
      const words = aboutOf(info);
      if (about.dataset["words"] !== `${words}${info.server}`) about.replaceChildren(...mark, words);
      about.dataset["words"] = `${words}${info.server}`;
      for (const [verb, button] of buttons) button.setAttribute("aria-label", `${verb}: “${name}”`);
      if (!box) return;
      // The list of a server's conversations is the server's.
      box.disabled = info.server !== null;
      box.checked = isSelected(id);
    },
  };
}

const BUTTONS: Record<RowKind, ReadonlyArray<readonly [act: RowAct, name: string, look: IconName]>> = {
  link: [["menu", "More", "more"]],
  check: [],
  trash: [
    ["restore", "Restore", "restore"],
    ["forever", "Delete for ever", "delete"],
  ],
};

const WAITS: Partial<Record<ConversationInfo["executionStatus"], string>> = {
  waiting_for_confirmation: "waits for you",
  paused: "paused",
  error: "ended with an error",
  stuck: "stuck",
};

const aboutOf = ({ updatedAt, trashedAt, executionStatus }: ConversationInfo): string =>
  trashedAt !== null ? `deleted ${howLongAgo(trashedAt)}` : [howLongAgo(updatedAt), WAITS[executionStatus]].filter(Boolean).join(" · ");

function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Of a copy of a conversation on an agent server. */
function serverMark(server: string): HTMLElement {
  const text = `on the server ${visibleText(nameOf(server))}`;
  return el("span", { class: "conversation-server", title: text }, icon("server"), el("span", { class: "visually-hidden" }, `${text}, `));
}
