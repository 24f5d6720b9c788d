/** @jsxImportSource preact */
// The differences between two versions of a text, line by line. The library that finds them is loaded when it is used.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { visibleText } from "../../thread/index.js";
import { useLabels } from "../context.js";
import type { ChatLabels } from "../labels.js";

/** Comparing longer texts takes seconds. In characters. */
const LONGEST = 1_000_000;
const MOST_DIFFERENCES = 4_000;
const MOST_LINES = 2_000;

/** The two versions of a text. One is `null` if there is no file. */
export interface DiffProps {
  before: string | null;
  after: string | null;
}

/** The lines that differ, with their surroundings. */
export function Diff({ before, after }: DiffProps) {
  const labels = useLabels();
  const [lines, setLines] = useState<ComponentChildren>(<Note>{labels.comparing}</Note>);
  useEffect(() => {
    let isCurrent = true;
    linesOf(before ?? "", after ?? "", labels).then(
      (found) => isCurrent && setLines(found),
      () => isCurrent && setLines(<Note>{labels.notCompared}</Note>),
    );
    return () => void (isCurrent = false);
  }, [before, after, labels]);
  return (
    <div class="diff" role="group" aria-label={labels.changedLines} tabIndex={0} dir="ltr">
      <div class="diff-lines">{lines}</div>
    </div>
  );
}

async function linesOf(before: string, after: string, labels: ChatLabels): Promise<ComponentChildren> {
  if (before.length + after.length > LONGEST) return <Note>{labels.tooDifferent}</Note>;
  const { structuredPatch } = await import("../asked-for.js");
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MOST_DIFFERENCES });
  if (patch === undefined) return <Note>{labels.tooDifferent}</Note>;
  if (patch.hunks.length === 0) return <Note>{after === "" ? labels.emptyFile : labels.nothingChanged}</Note>;
  // Only a difference in the line break at the end is worth a note.
  const isNoted = before !== "" && before.endsWith("\n") !== after.endsWith("\n");
  const drawn = patch.hunks.flatMap(({ oldStart, newStart, lines }) => [
    <div class="diff-place">{labels.line(Math.max(1, newStart || oldStart))}</div>,
    ...lines.filter((line) => isNoted || line[0] !== "\\").map((line) => lineView(line, labels)),
  ]);
  if (drawn.length <= MOST_LINES) return drawn;
  return [...drawn.slice(0, MOST_LINES), <Note>{labels.moreLines((drawn.length - MOST_LINES).toLocaleString())}</Note>];
}

/** Screen readers announce insertions and deletions, others see the sign and the colour. */
function lineView(line: string, labels: ChatLabels) {
  const [sign, text] = [line[0], visibleText(line.slice(1)) || " "];
  if (sign === "\\") return <Note>{labels.noBreakAtEnd}</Note>;
  if (sign === "+") return <ins>{text}</ins>;
  return sign === "-" ? <del>{text}</del> : <div>{text}</div>;
}

const Note = ({ children }: { children: ComponentChildren }) => <p class="quiet">{children}</p>;
