// The answer while it streams. Only changed blocks are drawn again, so that the text before them keeps its selection and scroll
// position, and a long answer does not become slower.

import { el } from "../shell/dom.ts";
import { markdownBlocks } from "./markdown.ts";

export class LiveAnswer {
  readonly element = el("div", { class: "prose" });
  #shown: Array<{ raw: string; element: HTMLElement }> = [];

  update(text: string): void {
    const blocks = markdownBlocks(text);
    for (const [index, block] of blocks.entries()) {
      const shown = this.#shown[index];
      if (shown?.raw === block.raw) continue;
      const element = el("div", { class: "block" }, block.render());
      if (shown) shown.element.replaceWith(element);
      else this.element.append(element);
      this.#shown[index] = { raw: block.raw, element };
    }
    for (const { element } of this.#shown.splice(blocks.length)) element.remove();
  }
}
