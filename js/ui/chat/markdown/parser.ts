// The parser of Markdown, with what the chat reads in another way than CommonMark. Needs no document.
//
// It is Marked and not markdown-it with its plugin for CJK, which was measured beside it: 15 against 38 kB compressed, for our own
// documentation 0.7 to 1.7 times its time, and with HTML off markdown-it shows `<br>`, `<sub>` and `<details>` as text, which
// models use. Unclosed marks cost markdown-it at most 0.3 s where Marked would need half a minute: what `limits.ts` is for.
import { Marked } from "marked";
import { emphasis } from "./emphasis.js";
import { escapeHtml } from "./escape.js";
import { mathSyntax } from "./math-syntax.js";
import { tags } from "./tags.js";

export const marked = new Marked(
  { gfm: true, renderer: { image: ({ href, text }) => `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">` } },
  mathSyntax,
  { tokenizer: emphasis },
  { tokenizer: tags },
);
