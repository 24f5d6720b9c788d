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

/** Whether the text has to be shown as plain text. Looks at every character only a few times, whatever the text is. */
export function isTooMuch(text: string): boolean {
  if (text.length > LONGEST_TEXT) return true;
  const lines = text.split(/\r\n|[\r\n]/);
  if (lines.length > MOST_LINES) return true;
  let all = 0;
  let marksTogether = 0;
  let linesTogether = 0;
  let isAfterBlank = true;
  for (const line of lines) {
    const start = MARKERS.exec(line)![0];
    if (depthOf(start) > MAX_DEPTH) return true;
    const isBlank = line.trim() === "";
    // An item of a list is parsed by itself; the list continues after a blank line.
    if (isBlank || start.trim() !== "") marksTogether = 0;
    if (isAfterBlank && start === "") linesTogether = 0;
    all += line.match(ANY_MARK)?.length ?? 0;
    marksTogether += line.match(MARK)?.length ?? 0;
    linesTogether += 1;
    if (marksTogether > MOST_MARKS_TOGETHER || all > MOST_MARKS || linesTogether > MOST_LINES_TOGETHER) return true;
    isAfterBlank = isBlank;
  }
  return false;
}

/** The number of markers at the beginning of a line, or the number that its indentation may stand for. */
function depthOf(start: string): number {
  const markers = start.match(/[>\-*+.)]/g)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, start.length / 4);
}
