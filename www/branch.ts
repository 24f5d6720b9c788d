// Which of the loaded events the conversation has left behind. A call that was changed before it ran is written once
// more on a branch of its own; the first writing stays in the log, and did not happen.

import type { StoredEvent } from "./event-shapes.ts";

/** The ids of loaded events that are not on the way from the first event to `leaf`. None where that is not known. */
export function leftBehind(events: readonly StoredEvent[], leaf: string | undefined): Set<string> {
  const places = new Map(events.map(({ id }, index) => [id, index]));
  let at = leaf === undefined ? undefined : places.get(leaf);
  const left = new Set<string>();
  if (at === undefined) return left;
  // Where the first event is loaded, all are that lie between; a parent that is none of them is nowhere.
  const isWhole = typeof events[0]!.parent_id !== "string";
  // What comes after the leaf is being written in this moment, or is bookkeeping beside the branch.
  for (const { id } of events.slice(0, at)) left.add(id);
  const passed = new Set<number>();
  while (at !== undefined && at >= 0) {
    const event: StoredEvent = events[at]!;
    left.delete(event.id);
    passed.add(at);
    // Older writers name no parent: it is the event before. So it is for a parent that cannot be followed.
    const parent: number | undefined = typeof event.parent_id === "string" ? places.get(event.parent_id) : at - 1;
    let before: number = at - 1;
    while (passed.has(before)) before -= 1;
    at = parent === undefined ? (isWhole ? before : undefined) : passed.has(parent) ? before : parent;
  }
  return left;
}
