// Formulas in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on their own. As in Pandoc, a `$` that is followed by
// a space, or closed before a digit, is money. Before a letter, an underscore or a brace it is the name of a variable: `$PATH:$HOME`.
import type { MarkedExtension, TokenizerAndRendererExtension, Tokens } from "marked";
import { escapeHtml } from "./escape.js";

/** The maximum length of a formula in characters; a longer one stays text. */
const LONGEST = 2_000;

const INLINE: ReadonlyArray<[RegExp, isDisplay: boolean]> = [
  [new RegExp(String.raw`^\$\$([^$]{1,${LONGEST}}?)\$\$`), true],
  [new RegExp(String.raw`^\$(?!\s)((?:\\[^\n]|[^\\$\n]){1,${LONGEST}}?)(?<!\s)\$(?![\w{])`), false],
  [new RegExp(String.raw`^\\\(([^]{1,${LONGEST}}?)\\\)`), false],
  [new RegExp(String.raw`^\\\[([^]{1,${LONGEST}}?)\\\]`), true],
];

const BLOCK: readonly RegExp[] = [
  new RegExp(String.raw`^ {0,3}\$\$([^$]{1,${LONGEST}}?)\$\$[ \t]*(?:\n|$)`),
  new RegExp(String.raw`^ {0,3}\\\[([^]{1,${LONGEST}}?)\\\][ \t]*(?:\n|$)`),
];

/** A formula is marked by its class until it is drawn. */
export const mathClass = { inline: "language-math-inline", display: "language-math-display" };

interface MathToken extends Tokens.Generic {
  tex: string;
  isDisplay: boolean;
}

const html = ({ tex, isDisplay }: MathToken): string =>
  `<code class="${isDisplay ? mathClass.display : mathClass.inline}">${escapeHtml(tex)}</code>`;

const inlineMath: TokenizerAndRendererExtension = {
  name: "inlineMath",
  level: "inline",
  start: (source) => startOf(source, /\$|\\[([]/),
  tokenizer(source) {
    for (const [pattern, isDisplay] of INLINE) {
      const match = pattern.exec(source);
      if (match?.[1]?.trim()) return { type: "inlineMath", raw: match[0], tex: match[1].trim(), isDisplay };
    }
    return undefined;
  },
  renderer: (token) => html(token as MathToken),
};

const blockMath: TokenizerAndRendererExtension = {
  name: "blockMath",
  level: "block",
  start: (source) => startOf(source, /^ {0,3}(?:\$\$|\\\[)/m),
  tokenizer(source) {
    for (const pattern of BLOCK) {
      const match = pattern.exec(source);
      if (match?.[1]?.trim()) return { type: "blockMath", raw: match[0], tex: match[1].trim(), isDisplay: true };
    }
    return undefined;
  },
  renderer: (token) => `<p>${html(token as MathToken)}</p>`,
};

export const mathSyntax: MarkedExtension = { extensions: [inlineMath, blockMath] };

function startOf(source: string, pattern: RegExp): number | undefined {
  const index = source.search(pattern);
  return index < 0 ? undefined : index;
}
