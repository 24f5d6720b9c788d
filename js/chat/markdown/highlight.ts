// Colours code. The library for it and the languages are loaded when code is first shown.

/** Longer code stays plain: colouring it would block the page. In characters. */
const LONGEST = 50_000;

type Highlighter = typeof import("./languages.js");

let loaded: Highlighter | undefined;
let loading: Promise<Highlighter> | undefined;

/** Colours the text of `code` if its language is known: at once if the library is there. Never fails; without the library, code stays plain. */
export function highlight(code: HTMLElement, language: string): Promise<void> | void {
  if ((code.textContent ?? "").length > LONGEST) return;
  if (loaded !== undefined) return colour(code, language, loaded);
  loading ??= import("./languages.js");
  return loading.then(
    (highlighter) => {
      loaded = highlighter;
      colour(code, language, highlighter);
    },
    // The next code tries again.
    () => void (loading = undefined),
  );
}

function colour(code: HTMLElement, language: string, { highlightToHtml }: Highlighter): void {
  const html = highlightToHtml(code.textContent ?? "", language);
  if (html !== null) code.replaceChildren(...nodesOf(html));
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
