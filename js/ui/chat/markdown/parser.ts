// The parser of Markdown, with what the chat reads in another way than CommonMark. Needs no document.
//
// It is Marked and not markdown-it with its plugin for CJK, which was measured beside it: 15 against 38 kB compressed, for our own
// documentation 0.7 to 1.7 times its time, and with HTML off markdown-it shows `<br>`, `<sub>` and `<details>` as text, which
// models use. Unclosed marks cost markdown-it at most 0.3 s where Marked would need half a minute: what `limits.ts` is for.
import { Marked, type TokensList } from "marked";
import { emphasis } from "./emphasis.js";
import { escapeHtml } from "./escape.js";
import { hasTooManyMarks } from "./limits.js";
import { mathSyntax } from "./math-syntax.js";
import { tags } from "./tags.js";

export const marked = new Marked(
  { gfm: true, renderer: { image: ({ href, text }) => `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">` } },
  mathSyntax,
  { tokenizer: emphasis },
  { tokenizer: tags },
);

type Links = TokensList["links"];

/** The blocks of a text, with these explanations of links before it. A paragraph or a cell with too many marks stays as it is. */
export function blocksOf(text: string, links: Links = {}): TokensList {
  const lexer = new marked.Lexer(marked.defaults);
  Object.assign(lexer.tokens.links, links);
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue.splice(0)) {
    if (hasTooManyMarks(src)) tokens.push({ type: "text", raw: src, text: src, escaped: false });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}
