// Form controls with a label and a help text that screen readers find.

import { el } from "../shell/dom.ts";

/** `help` becomes the control's description; its text may change. */
export function field(name: string | Node, control: HTMLElement, help?: HTMLElement): HTMLElement {
  if (help) control.setAttribute("aria-describedby", help.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, name), control, help);
}

export function check(name: string, box: HTMLInputElement, help: HTMLElement): HTMLElement {
  box.setAttribute("aria-describedby", help.id);
  return el("div", { class: "check" }, box, el("label", { for: box.id }, name), help);
}

export const help = (id: string, text = ""): HTMLElement => el("p", { class: "quiet", id }, text);

export const options = (texts: Readonly<Record<string, string>>): HTMLElement[] =>
  Object.entries(texts).map(([value, text]) => el("option", { value }, text));

export const textField = (id: string, attributes: Record<string, unknown> = {}): HTMLInputElement =>
  el("input", { id, type: "text", spellcheck: "false", autocomplete: "off", ...attributes });

export const checkbox = (id: string): HTMLInputElement => el("input", { id, type: "checkbox" });
