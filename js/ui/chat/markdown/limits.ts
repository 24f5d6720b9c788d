// Detects Markdown that is too much for its parser, because the text of a model is never trusted: nested quotes overflow the
// stack of a recursive parser, and unclosed marks or endless lists take seconds, because the parser reads them again and
// again.

/** The maximum length in characters. A long answer of a model has a tenth of it. */
const LONGEST_TEXT = 100_000;
const MOST_LINES = 4_000;
/** The maximum nesting of quotes and lists. */
const MAX_DEPTH = 20;
/** The maximum number of opening marks, in total, and in lines that are parsed together. */
const MOST_MARKS = 6_000;
const MOST_MARKS_TOGETHER = 300;
/** The maximum number of lines of one list or table. */
const MOST_LINES_TOGETHER = 400;

const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;
const MARK = /[*_~[!<@]/g;
const ANY_MARK = /[*_~[!<@`&\\$]/g;

/** What has been counted up to the beginning of a line. */
interface Counted {
  /** Where the line begins. */
  at: number;
  lines: number;
  marks: number;
  marksTogether: number;
  linesTogether: number;
  isAfterBlank: boolean;
}

const NOTHING: Counted = { at: 0, lines: 0, marks: 0, marksTogether: 0, linesTogether: 0, isAfterBlank: true };

/** Looks at every character only a few times, whatever the text is and however it grows. */
export class Limits {
  #text = "";
  /** Up to the last line, which may go on. */
  #counted: Counted | "too much" = NOTHING;

  /** Whether the text has to be shown as plain text. It is usually the one before with more at its end. */
  isTooMuch(text: string): boolean {
    if (text.length > LONGEST_TEXT) return true;
    if (!text.startsWith(this.#text)) this.#counted = NOTHING;
    this.#text = text;
    let before = this.#counted;
    if (before === "too much") return true;
    const lines = text.slice(before.at).split("\n");
    for (const [place, line] of lines.entries()) {
      if (place === lines.length - 1) {
        this.#counted = before;
        return line.split("\r").reduce<Counted | "too much">(withLine, before) === "too much";
      }
      const after: Counted | "too much" = line.replace(/\r$/, "").split("\r").reduce<Counted | "too much">(withLine, before);
      if (after === "too much") {
        this.#counted = after;
        return true;
      }
      before = { ...after, at: before.at + line.length + 1 };
    }
    return false;
  }
}

function withLine(before: Counted | "too much", line: string): Counted | "too much" {
  if (before === "too much") return before;
  const start = MARKERS.exec(line)![0];
  const isBlank = line.trim() === "";
  // An item of a list is parsed by itself; the list continues after a blank line.
  const isNewText = isBlank || start.trim() !== "";
  const after: Counted = {
    at: before.at,
    lines: before.lines + 1,
    marks: before.marks + (line.match(ANY_MARK)?.length ?? 0),
    marksTogether: (isNewText ? 0 : before.marksTogether) + (line.match(MARK)?.length ?? 0),
    linesTogether: (before.isAfterBlank && start === "" ? 0 : before.linesTogether) + 1,
    isAfterBlank: isBlank,
  };
  const isTooMuch =
    depthOf(start) > MAX_DEPTH ||
    after.lines > MOST_LINES ||
    after.marks > MOST_MARKS ||
    after.marksTogether > MOST_MARKS_TOGETHER ||
    after.linesTogether > MOST_LINES_TOGETHER;
  return isTooMuch ? "too much" : after;
}

/** The number of markers at the beginning of a line, or the number that its indentation may stand for. */
function depthOf(start: string): number {
  const markers = start.match(/[>\-*+.)]/g)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, start.length / 4);
}
