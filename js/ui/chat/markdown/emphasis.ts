// Emphasis in Chinese, Japanese and Korean, whose words have no spaces between them, and whose punctuation would keep `**` from
// ending: `**注意：**请`. As proposed for CommonMark (markdown-cjk-friendly): punctuation of these scripts counts as a letter, and beside
// a character of theirs any punctuation may be emphasised. And only `~~` strikes out, as `~` stands for "about", and for ranges.
import type { TokenizerObject } from "marked";

/** Characters of these scripts, and their punctuation alone. */
const PUNCTUATION = String.raw`\u3000-\u3003\u3008-\u3020\u3030\u303d\u30a0\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65`;
const CJK = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}\u3000-\u303f\u30fb\u30fc\uff01-\uffee]`;
const PUNCT = String.raw`(?![~${PUNCTUATION}])[\p{P}\p{S}]`;
const LETTER = String.raw`(?:[^\s\p{P}\p{S}]|[~${PUNCTUATION}])`;

/** The beginning of a run of marks. Marked asks for the groups: punctuation after stars (1) or underscores (3), or anything else (2, 4). */
const begin = new RegExp(String.raw`^(?:\*+(?:((?!\*)${PUNCT})|([^\s*]))?)|^_+(?:((?!_)${PUNCT})|([^\s_]))?`, "u");
/** What a run after punctuation may follow. */
const before = new RegExp(String.raw`^(?![*_])(?:\s|${PUNCT}|${CJK})`, "u");
/** The next run of marks. Marked asks for the groups: one that can only end (1, 2), only begin (3, 4), or do either (5, 6). */
const endOf = (mark: "*" | "_"): RegExp => {
  const escaped = mark === "*" ? String.raw`\*` : "_";
  const [run, no] = [`(${escaped}+)`, `(?!${escaped})`];
  const strong = mark === "*" ? String.raw`^[^_*]*?__[^_*]*?\*[^_*]*?(?=__)` : String.raw`^[^_*]*?\*\*[^_*]*?_[^_*]*?(?=\*\*)`;
  return new RegExp(
    [
      strong,
      `[^${mark}]+(?=[^${mark}])`,
      String.raw`${no}(?:${PUNCT})${run}(?=\s|$)`,
      String.raw`${LETTER}${run}${no}(?=\s|${PUNCT}|$)`,
      String.raw`${no}(?:\s|${PUNCT}(?!${escaped}+${CJK}))${run}(?=${LETTER})`,
      String.raw`\s${run}${no}(?=${PUNCT})`,
      `${no}(?:${PUNCT})${run}${no}(?=${PUNCT}|${CJK})`,
      ...(mark === "_" ? [] : [`${LETTER}${run}(?=${LETTER})`]),
    ].join("|"),
    "gu",
  );
};

const rules = { emStrongLDelim: begin, punctuation: before, emStrongRDelimAst: endOf("*"), emStrongRDelimUnd: endOf("_") };

export const emphasis: TokenizerObject = {
  emStrong() {
    if (this.rules.inline.emStrongLDelim !== begin) this.rules.inline = { ...this.rules.inline, ...rules };
    return false;
  },
  del: (source) => (source.startsWith("~~") ? false : undefined),
};
