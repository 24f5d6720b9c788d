// Colours code. The library for it and the languages are loaded when code is first shown.
import { lazy } from "../lazy.js";

/** Longer code stays plain: colouring it would block the page. In characters. */
const LONGEST = 50_000;

const languages = lazy(() => import("./languages.js"));

/** Colours the text of `code` if its language is known, at once or later. */
export function highlight(code: HTMLElement, language: string): void {
  const text = code.textContent ?? "";
  if (text.length > LONGEST) return;
  languages.use(({ highlightToHtml }) => {
    const html = highlightToHtml(text, language);
    if (html !== null) code.replaceChildren(...nodesOf(html));
  });
}

/** The library writes only spans with a class and escaped text, so no HTML parser is needed, which would have to be trusted. */
function nodesOf(html: string): ChildNode[] {
  const root = document.createElement("code");
  let parent: HTMLElement = root;
  for (const [, start, end, text] of html.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (start !== undefined) {
      const span = document.createElement("span");
      span.className = start;
      parent.append(span);
      parent = span;
    } else if (end !== undefined) {
      parent = parent.parentElement ?? root;
    } else {
      parent.append(text!.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name]!));
    }
  }
  return [...root.childNodes];
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
