// Markdown that may still be streaming. Only changed blocks are drawn again, so that the text before them keeps its selection and
// scroll position, and a long answer does not become slower.
import type { Chat } from "../context.js";
import { el } from "../dom.js";
import { lazy } from "../lazy.js";
import { plainParagraph } from "../plain-text.js";
import type { Block } from "./blocks.js";

/** A chunk of its own: a page shows the field to write in before it has a message to show. */
const parser = lazy(() => import("./blocks.js"));

/** Loads the parser, so that it is there when the first message comes. */
export const loadMarkdown = (): void => parser.use(() => {});

export class MarkdownView {
  readonly #element: HTMLElement;
  readonly #chat: Chat;
  #shown: Array<{ raw: string; element: HTMLElement }> = [];
  #text = "";

  /** Draws into `element`, whose content belongs to this view. */
  constructor(element: HTMLElement, chat: Chat) {
    this.#element = element;
    this.#chat = chat;
  }

  /** Shows the text; until the parser is loaded as it is written. */
  update(text: string): void {
    this.#text = text;
    let isParsed = false;
    parser.use(({ markdownBlocks }) => {
      isParsed = true;
      if (this.#text === text) this.#draw(markdownBlocks(text, this.#chat));
    });
    // Its `raw` differs from that of every block, so that it is replaced.
    if (!isParsed) this.#draw([{ raw: `\n${text}`, render: () => plainParagraph(text, this.#chat.labels) }]);
  }

  #draw(blocks: readonly Block[]): void {
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
