// Turns Markdown of a model into DOM with marked and DOMPurify. The text of a model is never trusted: no script, style, form
// or frame, no id or class of the page, no image from elsewhere (loading it would tell its server who reads what), and only
// web and mail links, which open in a tab that cannot reach this one.

import DOMPurify, { type Config } from "dompurify";
import { Marked, type Tokens, type TokensList } from "marked";
import { copyButton } from "./copy-button.ts";
import { el } from "../shell/dom.ts";
import { isTooMuch } from "./markdown-limits.ts";
import { plainText } from "./plain-text.ts";

const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=\s]+$/i;

const TOP_HEADING = 3;

const marked = new Marked({
  gfm: true,
  renderer: {
    image({ href, text }) {
      if (EMBEDDED_IMAGE.test(href)) return `<img src="${href}" alt="${escape(text)}">`;
      return `<a href="${escape(href)}">Image not loaded: ${escape(text || href)}</a>`;
    },
  },
});

const ALLOWED: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i u s del ins mark sub sup kbd abbr a img".split(" "),
    ..."table thead tbody tfoot tr th td caption details summary dl dt dd input".split(" "),
  ],
  ALLOWED_ATTR: ["href", "title", "src", "alt", "class", "align", "start", "type", "checked", "disabled", "open"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const purifier = DOMPurify(window);

purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "CODE" || !/^language-[\w+#.-]+$/.test(node.className)) node.removeAttribute("class");
  if (node.tagName === "A" && node.hasAttribute("href")) {
    if (!/^(?:https?|mailto):/i.test(node.getAttribute("href") ?? "")) return node.removeAttribute("href");
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "IMG" && !EMBEDDED_IMAGE.test(node.getAttribute("src") ?? "")) node.remove();
  if (node.tagName === "INPUT" && (node.getAttribute("type") !== "checkbox" || !node.hasAttribute("disabled"))) node.remove();
});

export function renderMarkdown(text: string): DocumentFragment {
  return isTooMuch(text) ? asPlainText(text) : orPlain(text, () => toDom(parse(text)));
}

/** The top-level blocks of a text. `raw` tells whether a block has changed; `render` costs more. */
export function markdownBlocks(text: string): Array<{ raw: string; render: () => DocumentFragment }> {
  const asOne = [{ raw: text, render: () => renderMarkdown(text) }];
  if (isTooMuch(text)) return asOne;
  try {
    const tokens = parse(text);
    return tokens
      .filter((token) => token.type !== "space")
      .map((token) => ({ raw: token.raw, render: () => orPlain(token.raw, () => toDom(Object.assign([token], { links: tokens.links }))) }));
  } catch {
    return asOne;
  }
}

/** If the parser fails, the text is shown as it is. */
function orPlain(text: string, render: () => DocumentFragment): DocumentFragment {
  try {
    return render();
  } catch {
    return asPlainText(text);
  }
}

function asPlainText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(el("p", { class: "plain-text" }, plainText(text)));
  return fragment;
}

/** Shifts headings, so that the highest of a message is one level below the page's own. */
function parse(text: string): TokensList {
  const tokens = marked.lexer(text);
  const headings: Tokens.Heading[] = [];
  marked.walkTokens(tokens, (token) => void (token.type === "heading" && headings.push(token as Tokens.Heading)));
  const highest = Math.min(...headings.map(({ depth }) => depth));
  for (const heading of headings) heading.depth = Math.min(heading.depth - highest + TOP_HEADING, 6);
  return tokens;
}

const toDom = (tokens: TokensList): DocumentFragment => addControls(purifier.sanitize(marked.parser(tokens), ALLOWED));

/** Adds a copy button to code, and scrolling by keyboard to elements that may be wider than the page. */
function addControls(fragment: DocumentFragment): DocumentFragment {
  for (const pre of fragment.querySelectorAll("pre")) {
    const code = pre.querySelector("code");
    const language = /language-(\S+)/.exec(code?.className ?? "")?.[1] ?? "";
    const figure = el("div", { class: "code-block" });
    pre.replaceWith(figure);
    pre.tabIndex = 0;
    figure.append(
      el("div", { class: "code-head" }, el("span", {}, language), copyButton(() => pre.textContent ?? "", "Copy code")),
      pre,
    );
  }
  for (const table of fragment.querySelectorAll("table")) {
    const frame = el("div", { class: "table-frame", tabindex: 0, role: "group", "aria-label": "Table" });
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const box of fragment.querySelectorAll("input")) box.setAttribute("aria-label", box.checked ? "done" : "to do");
  return fragment;
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
