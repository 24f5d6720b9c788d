// The parser of Markdown, with what the chat reads in another way than CommonMark. Needs no document.
//
// It is Marked and not markdown-it with its plugin for CJK, which was measured beside it: 14 against 38 kB compressed, half the time
// to the same HTML, and with HTML off markdown-it shows `<br>`, `<sub>` and `<details>` as text, which models use. Both need limits:
// of unclosed marks markdown-it takes a second for 60 kB, too.
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
