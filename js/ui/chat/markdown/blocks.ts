// Turns Markdown of a model into blocks of DOM.
import { Marked, type Tokens, type TokensList } from "marked";
import { plainParagraph } from "../plain-text.js";
import { addControls } from "./controls.js";
import { escapeHtml } from "./escape.js";
import type { MarkdownHost } from "./host.js";
import { isTooMuch } from "./limits.js";
import { mathSyntax } from "./math-syntax.js";
import { sanitize } from "./sanitize.js";

export interface Block {
  /** The Markdown of the block, which tells whether it has changed. */
  raw: string;
  /** Costs much more than `raw`. */
  render(): Node;
}

const TOP_HEADING = 3;

const marked = new Marked(
  { gfm: true, renderer: { image: ({ href, text }) => `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">` } },
  mathSyntax,
);

/** The top-level blocks of a text. */
export function markdownBlocks(text: string, host: MarkdownHost): Block[] {
  const asOne = [{ raw: text, render: () => plainParagraph(text, host.labels) }];
  if (isTooMuch(text)) return asOne;
  try {
    const tokens = parse(text);
    const render = (token: TokensList[number]): Node => {
      try {
        return addControls(sanitize(marked.parser(Object.assign([token], { links: tokens.links }))), host);
      } catch {
        return plainParagraph(token.raw, host.labels);
      }
    };
    return tokens.filter(({ type }) => type !== "space").map((token) => ({ raw: token.raw, render: () => render(token) }));
  } catch {
    // The parser gave up.
    return asOne;
  }
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
