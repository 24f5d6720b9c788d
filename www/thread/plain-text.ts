// Plain text with its line breaks. A very long text is shown in parts, because laying out megabytes takes seconds.

import { el } from "../shell/dom.ts";

const PIECE = 50_000;

/** The text, or its beginning with a button that shows more. */
export function plainText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  // Not between the halves of a surrogate pair.
  const end = text.length <= PIECE ? text.length : PIECE + (/[\uD800-\uDBFF]/.test(text[PIECE - 1]!) ? 1 : 0);
  fragment.append(text.slice(0, end));
  if (end < text.length) {
    const left = (text.length - end).toLocaleString();
    const more = el("button", { type: "button", class: "button small more-text", onclick: () => more.replaceWith(plainText(text.slice(end))) }, `Show more (${left} characters left)`);
    fragment.append(more);
  }
  return fragment;
}
