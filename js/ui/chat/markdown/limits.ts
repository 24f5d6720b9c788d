// Detects Markdown that is too much for its parser, because the text of a model is never trusted: nested quotes overflow the
// stack of a recursive parser, and unclosed marks take seconds, because the parser reads them again and again.

/** The maximum length in characters. A long answer of a model has a tenth of it. */
const LONGEST_TEXT = 100_000;
const MOST_LINES = 4_000;
/** The maximum nesting of quotes and lists. */
const MAX_DEPTH = 20;
/** The maximum number of marks in one paragraph, heading or cell: of those that may begin something long, and of all. */
const MOST_OPENING_MARKS = 300;
const MOST_MARKS = 6_000;

const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;
const OPENING_MARK = /[*_~[!<@]/g;
const MARK = /[*_~[!<@`&\\$]/g;

/** Whether the marks in a text have to be shown as they are. */
export function hasTooManyMarks(text: string): boolean {
  return (text.match(OPENING_MARK)?.length ?? 0) > MOST_OPENING_MARKS || (text.match(MARK)?.length ?? 0) > MOST_MARKS;
}

/** The limits of a whole text. Looks at every character only a few times, however the text grows. */
export class Limits {
  #text = "";
  /** Up to where the lines are complete, and their number. */
  #at = 0;
  #lines = 0;
  #isTooDeep = false;

  /** Whether the text has to be shown as plain text. It is usually the one before with more at its end. */
  isTooMuch(text: string): boolean {
    if (text.length > LONGEST_TEXT) return true;
    if (!text.startsWith(this.#text)) [this.#at, this.#lines, this.#isTooDeep] = [0, 0, false];
    this.#text = text;
    const lines = text.slice(this.#at).split(/\r\n?|\n/);
    const last = lines.pop()!;
    this.#isTooDeep ||= lines.some(isTooDeep);
    this.#lines += lines.length;
    this.#at = text.length - last.length;
    return this.#isTooDeep || this.#lines >= MOST_LINES || isTooDeep(last);
  }
}

/** Whether a line has too many markers at its beginning, or so much indentation that it may stand for as many. */
function isTooDeep(line: string): boolean {
  const start = MARKERS.exec(line)![0];
  const markers = start.match(/[>\-*+.)]/g)?.length ?? 0;
  return markers > 0 && Math.max(markers, start.length / 4) > MAX_DEPTH;
}
