// Which of the loaded events the conversation has left behind. A call that was changed before it ran is written once
// more on a branch of its own; the first writing stays in the log, and did not happen.

import type { StoredEvent } from "./event-shapes.ts";

/** The ids of loaded events that are not on the way from the first event to `leaf`. None where that is not known. */
export function leftBehind(events: readonly StoredEvent[], leaf: string | undefined): Set<string> {
  const places = new Map(events.map(({ id }, index) => [id, index]));
  let at = leaf === undefined ? undefined : places.get(leaf);
  const left = new Set<string>();
  if (at === undefined) return left;
  // What comes after the leaf is being written in this moment, or is bookkeeping beside the branch.
  for (const { id } of events.slice(0, at)) left.add(id);
  while (at !== undefined) {
    const event: StoredEvent = events[at]!;
    left.delete(event.id);
    // Older writers name no parent: it is the event before.
    at = typeof event.parent_id === "string" ? places.get(event.parent_id) : at > 0 ? at - 1 : undefined;
  }
  return left;
}
