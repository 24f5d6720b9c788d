// The rows of the list: a message of the user is one row, and so is each part of an answer, because an answer may have thousands.
import type { MessagePart, ReasoningPart, ToolPart, UIMessage } from "../../thread/index.js";

/** What a line of several steps may stand for. */
export type Step = ReasoningPart | ToolPart;

export interface Row {
  /** The same while the message streams and after it. */
  key: string;
  message: UIMessage;
  /** `null` for a message of the user, which is shown as a whole. */
  part: MessagePart | null;
  /** The first text of its message, which names the speaker. */
  isFirstText: boolean;
  /** The last row of its message, which has its actions. */
  isLast: boolean;
  /** Of a line that stands for several steps: these. Otherwise `null`. */
  steps: readonly Step[] | null;
  /** The key of the line that this row is folded into; `null` for other rows. */
  line: string | null;
}

/** How many messages at the end wait to be read. Each is one row. */
export function queuedIn(messages: readonly UIMessage[]): number {
  let count = 0;
  while (messages[messages.length - 1 - count]?.state === "queued") count += 1;
  return count;
}

const known = new WeakMap<UIMessage, readonly Row[]>();

/** A message that has not changed has the same rows. */
export function rowsOf(messages: readonly UIMessage[]): Row[] {
  return messages.flatMap((message) => {
    const rows = known.get(message) ?? rowsOfMessage(message);
    known.set(message, rows);
    return rows;
  });
}

function rowsOfMessage(message: UIMessage): readonly Row[] {
  const { id, role, parts } = message;
  if (role === "user") return [{ key: id, message, part: null, isFirstText: true, isLast: true, steps: null, line: null }];
  const firstText = parts.findIndex(({ type }) => type === "text");
  return parts.map((part, index) => ({
    key: part.type === "tool" ? keyOfCall(part, `${id}/${index}`) : `${id}/${index}`,
    message,
    part,
    isFirstText: index === firstText,
    isLast: index === parts.length - 1,
    steps: null,
    line: null,
  }));
}

/** The places of calls that are or were being written. */
const written = new Set<string>();
/** The keys of calls that were written before the reader, by their actions. */
const keys = new Map<string, string>();

/** A model may give two calls the same id, an action never. A call that was written at this place keeps the row of its place. */
function keyOfCall({ actionId }: ToolPart, place: string): string {
  if (actionId === null) {
    written.add(place);
    return place;
  }
  if (written.delete(place)) keys.set(actionId, place);
  return keys.get(actionId) ?? actionId;
}

/** The number of the row that shows this event; -1 if there is none. What has no row of its own is shown by its message. */
export function rowOfEvent(rows: readonly Row[], eventId: string): number {
  const own = rows.findIndex(({ part, steps }) => steps === null && part?.type === "tool" && part.actionId === eventId);
  if (own >= 0) return own;
  const isLast = (message: UIMessage) => message.id !== eventId && message.eventIds.at(-1) === eventId;
  return rows.findIndex((row) => row.message.eventIds.includes(eventId) && (!isLast(row.message) || row.isLast));
}

const estimates = new WeakMap<Row, number>();

/** A guess of a row's height in pixels, until it is drawn. The list asks for all of them again and again. */
export function estimatedHeight(row: Row, width: number): number {
  const known = estimates.get(row) ?? estimate(row, width);
  estimates.set(row, known);
  return known;
}

function estimate({ part, message, isLast, steps }: Row, width: number): number {
  if (steps !== null) return 38;
  const parts = part === null ? message.parts : [part];
  const perLine = Math.max(20, width / 8.5);
  const height = parts.reduce((sum, each) => {
    if (each.type === "text")
      return sum + each.text.split("\n", 200).reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / perLine)), 0) * 27;
    return sum + (each.type === "image" ? 200 : 0);
  }, 0);
  const frame = part === null ? 78 : part.type === "text" ? 12 : part.type === "tool" ? 48 : 38;
  return height + frame + (isLast && part !== null ? 30 : 0);
}
