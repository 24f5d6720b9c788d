// Finds the loaded events that are not on the active branch. A call that was edited is written again on a branch of its own;
// the original stays in the log.

import type { StoredEvent } from "./event-shapes.ts";

/** The ids of loaded events that are not ancestors of `leaf`; none if that is unknown. */
export function leftBehind(events: readonly StoredEvent[], leaf: string | undefined): Set<string> {
  const places = new Map(events.map(({ id }, index) => [id, index]));
  let at = leaf === undefined ? undefined : places.get(leaf);
  const left = new Set<string>();
  if (at === undefined) return left;
  // If the first event is loaded, all others are too, so a parent that is not among them does not exist.
  const isWhole = typeof events[0]!.parent_id !== "string";
  // Events after the leaf were just written, or are bookkeeping beside the branch.
  for (const { id } of events.slice(0, at)) left.add(id);
  const passed = new Set<number>();
  while (at !== undefined && at >= 0) {
    const event: StoredEvent = events[at]!;
    left.delete(event.id);
    passed.add(at);
    // Old logs have no parent ids: then the parent is the event before. The same applies to a parent that does not exist.
    const parent: number | undefined = typeof event.parent_id === "string" ? places.get(event.parent_id) : at - 1;
    let before: number = at - 1;
    while (passed.has(before)) before -= 1;
    at = parent === undefined ? (isWhole ? before : undefined) : passed.has(parent) ? before : parent;
  }
  return left;
}
