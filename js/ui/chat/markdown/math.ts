// Draws formulas as MathML. The library for it is loaded with the first formula.
import { el } from "../dom.js";
import { lazy } from "../lazy.js";
import type { MarkdownHost } from "./host.js";

const library = lazy(() => import("./temml.js"));

/** Replaces `code`, which has the TeX, by the formula, at once or later. A formula that cannot be drawn stays as it is written. */
export function drawMath(code: HTMLElement, isDisplay: boolean, { labels }: Pick<MarkdownHost, "labels">): void {
  code.className = "math-source";
  library.use(({ default: temml }) => {
    const place = el(
      "span",
      isDisplay ? { class: "math math-display", tabindex: 0, role: "group", "aria-label": labels.formula } : { class: "math" },
    );
    try {
      // Limits: the steps of macros, and the size of a space in em, since a model may write anything. No links, images or classes.
      temml.render(code.textContent ?? "", place, {
        displayMode: isDisplay,
        throwOnError: true,
        trust: false,
        maxExpand: 200,
        maxSize: [20, 20],
      });
      code.replaceWith(place);
    } catch {
      // The TeX stays.
    }
  });
}
