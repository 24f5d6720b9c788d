// Markdown that may still be streaming. Only changed blocks are drawn again, so that the text before them keeps its selection and
// scroll position, and a long answer does not become slower.
import type { Chat } from "../context.js";
import { el } from "../dom.js";
import { lazy } from "../lazy.js";
import { plainParagraph } from "../plain-text.js";
import type { Block, GrowingMarkdown } from "./blocks.js";
import { Paced } from "./paced.js";

/** A chunk of its own: a page shows the field to write in before it has a message to show. */
const parser = lazy(() => import("./blocks.js"));

/** Loads the parser, so that it is there when the first message comes. */
export const loadMarkdown = (): void => parser.use(() => {});

export class MarkdownView {
  readonly #element: HTMLElement;
  readonly #chat: Chat;
  #shown: Array<{ key: string; element: HTMLElement }> = [];
  #text = "";
  readonly #paced = new Paced((text, isLate) => {
    this.#show(text);
    if (isLate) this.#chat.list.current?.grown();
  });
  #parsed: GrowingMarkdown | undefined;

  /** Draws into `element`, whose content belongs to this view. */
  constructor(element: HTMLElement, chat: Chat) {
    this.#element = element;
    this.#chat = chat;
  }

  /** Shows the text; until the parser is loaded as it is written. */
  update(text: string): void {
    this.#paced.update(text);
  }

  #show(text: string): void {
    this.#text = text;
    let isParsed = false;
    parser.use(({ GrowingMarkdown }) => {
      isParsed = true;
      if (this.#text === text) this.#draw((this.#parsed ??= new GrowingMarkdown(this.#chat)).blocks(text));
    });
    // Its key differs from that of every block, so that it is replaced.
    if (!isParsed) this.#draw([{ key: `\n${text}`, render: () => plainParagraph(text, this.#chat.labels) }]);
  }

  #draw(blocks: readonly Block[]): void {
    for (const [index, block] of blocks.entries()) {
      const shown = this.#shown[index];
      if (shown?.key === block.key) continue;
      const element = el("div", { class: "block" });
      element.append(block.render());
      if (shown) shown.element.replaceWith(element);
      else this.#element.append(element);
      this.#shown[index] = { key: block.key, element };
    }
    for (const { element } of this.#shown.splice(blocks.length)) element.remove();
  }
}
