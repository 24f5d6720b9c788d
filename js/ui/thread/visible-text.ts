// Texts of a model as somebody has to read them who decides by them: a call must not look like another one.

import { ThreadkeepError } from "threadkeep";

/** Emoji that are joined or coloured, and joiners in the scripts that need them: these characters do what they are for. */
const harmless = String.raw`\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)+|\p{Emoji}\ufe0f|(?<=[\p{sc=Arab}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}])[\u200c\u200d]`;
/** Controls except for tab and line feed, characters without a look, those that change the order of others, and halves of characters. */
const unseen = String.raw`[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffc\p{Default_Ignorable_Code_Point}\p{Surrogate}]`;
const hiding = new RegExp(`${harmless}|(${unseen})`, "gu");
/** Spaces and empty lines that push what follows out of sight. */
const spaces = /[^\S\n]{80,}/g;
const emptyLines = /\n(?:[^\S\n]*\n){5,}/g;

/**
 * A text with everything that hides something shown by its number: invisible characters and those that turn the direction
 * of a text become `⟨U+202E⟩`, long runs of spaces and of empty lines `⟨U+000A × 400⟩`. For the purposes, names and
 * arguments of calls that a model writes, wherever a user reads them. Markup is not touched.
 */
export function visibleText(text: string): string {
  if (typeof text !== "string") throw new ThreadkeepError("invalid_options", "visibleText() takes a text");
  return text
    .replaceAll("\r\n", "\n")
    .replace(hiding, (found, hidden?: string) => (hidden === undefined ? found : `⟨${numberOf(hidden)}⟩`))
    .replace(spaces, (run) => `⟨${numberOf(run)} × ${run.length}⟩`)
    .replace(emptyLines, (run) => `\n⟨U+000A × ${run.split("\n").length - 1}⟩\n`);
}

const numberOf = (text: string): string => `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
