// Markdown that may still be streaming. Only changed blocks are drawn again, so that the text before them keeps its selection and
// scroll position, and a long answer does not become slower.
import { el } from "../dom.js";
import { type MarkdownHost, markdownBlocks } from "./blocks.js";

export class MarkdownView {
  readonly #element: HTMLElement;
  readonly #host: MarkdownHost;
  #shown: Array<{ raw: string; element: HTMLElement }> = [];

  /** Draws into `element`, whose content belongs to this view. */
  constructor(element: HTMLElement, host: MarkdownHost) {
    this.#element = element;
    this.#host = host;
  }

  update(text: string): void {
    const blocks = markdownBlocks(text, this.#host);
    for (const [index, block] of blocks.entries()) {
      const shown = this.#shown[index];
      if (shown?.raw === block.raw) continue;
      const element = el("div", { class: "block" });
      element.append(block.render());
      if (shown) shown.element.replaceWith(element);
      else this.#element.append(element);
      this.#shown[index] = { raw: block.raw, element };
    }
    for (const { element } of this.#shown.splice(blocks.length)) element.remove();
  }
}
