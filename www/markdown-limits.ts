// What of Markdown is too much for its parser. What a model writes is never trusted: quotes in quotes overflow the stack
// of a parser that calls itself, and marks that are never closed, or lists without an end, are gone through again and
// again, for seconds.

/** In characters. A long answer of a model has a tenth of it. */
const LONGEST_TEXT = 100_000;
const MOST_LINES = 4_000;
/** Quotes and lists in each other. */
const DEEPEST = 20;
/** Marks that open what another may close, in all, and in lines that are read together. */
const MOST_MARKS = 6_000;
const MOST_MARKS_TOGETHER = 300;
/** Lines without an end of their list or table. */
const MOST_LINES_TOGETHER = 400;

const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/;
const MARK = /[*_~[!<@]/g;
const ANY_MARK = /[*_~[!<@`&\\]/g;

/** Whether the text is to be shown as it is. Looks at every character a few times, however it is made. */
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
    if (depthOf(start) > DEEPEST) return true;
    const isBlank = line.trim() === "";
    // An item of a list is read by itself; the list goes on behind a blank line.
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

/** How many markers a line begins with, or how many its indentation has room for. */
function depthOf(start: string): number {
  const markers = start.match(/[>\-*+.)]/g)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, start.length / 4);
}
