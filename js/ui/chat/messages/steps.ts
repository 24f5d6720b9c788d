// Several small steps in a row, thoughts and calls that have gone well, are one line that opens: which rows it stands for.
import type { MessagePart, UIMessage } from "../../thread/index.js";
import type { ConversationVisualizer } from "../visualizer.js";
import { changesOf, imagesOf } from "./results.js";
import { type Row, rowsOf, type Step } from "./rows.js";

/** Fewer steps are as calm as their line would be. */
const FEWEST = 3;

type Views = WeakMap<MessagePart, "own" | "none" | "default">;
const known = new WeakMap<ConversationVisualizer, { rows: WeakMap<UIMessage, readonly Row[]>; views: Views }>();

/** The rows of messages, with a line before those that it stands for. A message that has not changed has the same rows. */
export function rowsWithSteps(messages: readonly UIMessage[], visualizer: ConversationVisualizer): Row[] {
  const { rows, views } = known.get(visualizer) ?? { rows: new WeakMap(), views: new WeakMap() };
  known.set(visualizer, { rows, views });
  return messages.flatMap((message) => {
    const found = rows.get(message) ?? withLines(rowsOf([message]), visualizer, views);
    rows.set(message, found);
    return found;
  });
}

/** The last row of a message stays: it is what happens now, or where the answer has ended. */
function withLines(rows: readonly Row[], visualizer: ConversationVisualizer, views: Views): readonly Row[] {
  const all: Row[] = [];
  let folded: Row[] = [];
  const end = (): void => {
    const steps = folded.map(({ part }) => part as Step).filter((part) => views.get(part) !== "none");
    if (steps.length < FEWEST) all.push(...folded);
    else {
      const line: Row = { ...folded[0]!, key: `${folded[0]!.key}/steps`, steps };
      all.push(line, ...folded.map((row) => ({ ...row, line: line.key })));
    }
    folded = [];
  };
  for (const row of rows) {
    if (!row.isLast && isStep(row, visualizer, views)) folded.push(row);
    else {
      end();
      all.push(row);
    }
  }
  end();
  return all;
}

function isStep({ part, message }: Row, visualizer: ConversationVisualizer, views: Views): boolean {
  if (!isSmall(part)) return false;
  const view = views.get(part) ?? viewOf(part, message, visualizer);
  views.set(part, view);
  return view !== "own";
}

/** What waits, failed, changed a file, shows an image or is the work of a sub-agent is never folded away. */
function isSmall(part: MessagePart | null): part is Step {
  if (part?.type === "reasoning") return part.state === "done";
  if (part?.type !== "tool" || part.state !== "done" || part.subagent.length > 0) return false;
  return imagesOf(part).length === 0 && changesOf(part.result ?? {}).length === 0;
}

function viewOf(part: Step, message: UIMessage, { visualize }: ConversationVisualizer): "own" | "none" | "default" {
  try {
    const view = visualize?.(part, message);
    return view === undefined ? "default" : view === null ? "none" : "own";
  } catch {
    // It is reported when the part is drawn.
    return "default";
  }
}

/** The rows that are shown. A step that is unfolded, or has the focus, opens its line: it stays where the reader is. */
export function shownRows(rows: readonly Row[], open: Set<string>, focused: string | null): readonly Row[] {
  for (const { key, line } of rows) if (line !== null && (open.has(key) || key === focused)) open.add(line);
  return rows.filter(({ line }) => line === null || open.has(line));
}

/** Opens a line, or folds its steps and their details away. */
export function toggleSteps(line: Row, rows: readonly Row[], open: Set<string>): void {
  if (!open.delete(line.key)) return void open.add(line.key);
  for (const row of rows) if (row.line === line.key) open.delete(row.key);
}
