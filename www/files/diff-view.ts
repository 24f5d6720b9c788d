// The differences between two versions of a text, line by line. The library that finds them is loaded when it is used.

import { el } from "../shell/dom.ts";

/** Comparing longer texts takes seconds. */
const LONGEST = 1_000_000;
const MOST_DIFFERENCES = 4_000;
const MOST_LINES = 2_000;

/** The differences, as soon as they are known. A version is null if there is no file. */
export function diffView(before: string | null, after: string | null): HTMLElement {
  const lines = el("div", { class: "diff-lines" }, el("p", { class: "quiet" }, "Comparing…"));
  const element = el("div", { class: "diff", role: "group", "aria-label": "Changed lines", tabindex: 0 }, lines);
  void draw(lines, before, after);
  return element;
}

async function draw(lines: HTMLElement, before: string | null, after: string | null): Promise<void> {
  try {
    const drawn = await linesOf(before ?? "", after ?? "");
    lines.replaceChildren(...(drawn ?? [note("These versions are too long or too different to be compared here.")]));
  } catch {
    lines.replaceChildren(note("The comparison could not be loaded. Check the connection, and open this again."));
  }
}

/** Null if the texts are too long or too different. */
async function linesOf(before: string, after: string): Promise<HTMLElement[] | null> {
  if (before.length + after.length > LONGEST) return null;
  const { structuredPatch } = await import("./line-diff.ts");
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MOST_DIFFERENCES });
  if (patch === undefined) return null;
  if (patch.hunks.length === 0) return [note(after === "" ? "The file is empty." : "Nothing has changed.")];
  // Only a difference in the line break at the end is worth a note.
  const isNoted = before !== "" && before.endsWith("\n") !== after.endsWith("\n");
  const drawn = patch.hunks.flatMap(({ oldStart, newStart, lines }) => [
    el("div", { class: "diff-place" }, `Line ${Math.max(1, newStart || oldStart)}`),
    ...lines.filter((line) => isNoted || line[0] !== "\\").map(lineView),
  ]);
  return drawn.length > MOST_LINES ? [...drawn.slice(0, MOST_LINES), note(`${(drawn.length - MOST_LINES).toLocaleString()} more lines are not shown.`)] : drawn;
}

/** Screen readers announce insertions and deletions, others see the sign and the colour. */
function lineView(line: string): HTMLElement {
  const [sign, text] = [line[0], line.slice(1) || " "];
  if (sign === "\\") return note("There is no line break at the end.");
  if (sign === "+") return el("ins", {}, text);
  if (sign === "-") return el("del", {}, text);
  return el("div", {}, text);
}

const note = (text: string): HTMLElement => el("p", { class: "quiet" }, text);
