// The parts of the list: rows under a heading, and those that can be folded. They are made once and filled anew.

import { el } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";

export interface Section {
  element: HTMLElement;
  show(rows: readonly HTMLElement[]): void;
}

export interface FoldedSection {
  element: HTMLElement;
  /** `count` is that of all its conversations, of which some rows may not be drawn. */
  show(rows: readonly HTMLElement[], count: number, isOpen: boolean): void;
}

let made = 0;

export function createSection(name: string): Section {
  const id = `conversation-group-${(made += 1)}`;
  const list = el("ul", { "aria-labelledby": id });
  const element = el("div", { class: "conversation-group" }, el("h3", { id, class: "eyebrow" }, name), list);
  return { element, show: (rows) => place(list, rows) };
}

/** `before` is shown above the rows. */
export function createFoldedSection(name: string, key: string, before: readonly HTMLElement[] = []): FoldedSection {
  const id = `conversation-group-${(made += 1)}`;
  const list = el("ul", { "aria-labelledby": id });
  const more = createMore(key);
  const content = el("div", { id: `${id}-content` }, ...before, list, more.element);
  const count = el("span", { class: "conversation-count" });
  const attributes = { type: "button", class: "fold", "aria-controls": content.id, "data-fold": key, "data-focus": `${key} fold` };
  const opener = el("button", attributes, icon("next"), el("span", { id }, name), count);
  const element = el("div", { class: "conversation-group" }, el("h3", { class: "eyebrow" }, opener), content);
  return {
    element,
    show(rows, total, isOpen) {
      count.textContent = `${total}`;
      opener.setAttribute("aria-expanded", String(isOpen));
      content.hidden = !isOpen;
      place(list, rows);
      more.show(total - rows.length);
    },
  };
}

/** The button that shows more rows. */
export function createMore(key: string): { element: HTMLElement; show: (hidden: number) => void } {
  const element = el(
    "button",
    { type: "button", class: "button plain small show-more", "data-more": key, "data-focus": `${key} more` },
    "Show more",
  );
  const about = el("span", { class: "visually-hidden" });
  element.append(about);
  return {
    element,
    show(hidden) {
      element.hidden = hidden <= 0;
      about.textContent = `, ${hidden} are not shown`;
    },
  };
}

/** Makes these the children. Those that stay are not taken out in between, which would take the focus from them. */
export function place(parent: HTMLElement, children: readonly HTMLElement[]): void {
  const wanted = new Set<Element>(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}
