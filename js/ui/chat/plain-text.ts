// Plain text with its line breaks. A very long text is shown in parts, because laying out megabytes takes seconds.
import { el } from "./dom.js";

const PIECE = 50_000;

/** The text, or its beginning with a button that shows more. */
export function plainText(text: string, labels: { showMore(left: string): string }): DocumentFragment {
  const fragment = document.createDocumentFragment();
  // Not between the halves of a surrogate pair.
  const end = text.length <= PIECE ? text.length : PIECE + (/[\uD800-\uDBFF]/.test(text[PIECE - 1]!) ? 1 : 0);
  fragment.append(text.slice(0, end));
  if (end < text.length) {
    const showMore = (): void => more.replaceWith(plainText(text.slice(end), labels));
    const more = el(
      "button",
      { type: "button", class: "button small more-text", onclick: showMore },
      labels.showMore((text.length - end).toLocaleString()),
    );
    fragment.append(more);
  }
  return fragment;
}

/** A paragraph with the text as it is. */
export function plainParagraph(text: string, labels: { showMore(left: string): string }): HTMLElement {
  return el("p", { class: "plain-text", dir: "auto" }, plainText(text, labels));
}
