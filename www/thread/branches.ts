// Branches, without side effects: the loaded part of the active branch after a new event, and the places where other branches
// part from it.

import type { StoredEvent } from "./event-shapes.ts";

/** A branch beside the active one. */
export interface OtherBranch {
  /** The event that it follows; null for the beginning. */
  after: string | null;
  /** Its first message or call, and the calls of the same answer. */
  first: StoredEvent;
  calls: StoredEvent[];
  /** The place of `first` in the log. */
  place: number;
  leaf: string;
}

/** A place where the active branch parts from others. */
export interface Parting {
  /** The event after which they part; null for the beginning. */
  after: string | null;
  /** The message or call of the active branch that has other versions; null if nothing follows there yet. */
  shown: StoredEvent | null;
  /** The last events of all versions, in the order in which they were begun; null for the version that is shown. */
  versions: Array<string | null>;
  /** Calls as they were before the user changed their arguments, which is not a version to return to. */
  changed: StoredEvent[];
}

const ROOT = "__root__";

/** The number of events of the active branch that stay when this one is stored; null if it is on another branch. */
export function lengthBefore(branch: readonly StoredEvent[], { parent_id: parent }: StoredEvent, isKnown: (id: string) => boolean): number | null {
  if (parent === ROOT) return 0;
  // Old logs have no parent ids. A parent that was never seen is an event that cannot be read, or is on an earlier page.
  if (typeof parent !== "string") return branch.length;
  const place = branch.findLastIndex(({ id }) => id === parent);
  if (place < 0) return isKnown(parent) ? null : branch.length;
  return place + 1;
}

/** `isComplete`: the loaded events begin with the first one. `placeOf` returns an event's place in the log. */
export function partings(branch: readonly StoredEvent[], others: readonly OtherBranch[], isComplete: boolean, placeOf: (id: string) => number): Parting[] {
  const byShown = new Map<StoredEvent | null, OtherBranch[]>();
  for (const other of others) {
    const start = other.after === null ? 0 : branch.findIndex(({ id }) => id === other.after) + 1;
    if (other.after === null ? !isComplete : start === 0) continue; // On an earlier page.
    const shown = branch.slice(start).find(({ kind }) => kind === "MessageEvent" || kind === "ActionEvent") ?? null;
    byShown.set(shown, [...(byShown.get(shown) ?? []), other]);
  }
  return [...byShown].map(([shown, alternatives]) => {
    const own = { first: shown, place: shown ? placeOf(shown.id) : Infinity, leaf: null };
    const inOrder = [...alternatives, own].sort((left, right) => left.place - right.place);
    // Of branches that begin with the same message the newest represents them. A changed call is written again, as a part
    // of the same answer.
    const versions = new Map(inOrder.map(({ first, leaf }) => [answerOf(first), leaf]));
    const changed = alternatives.filter(({ first }) => first.kind === "ActionEvent" && answerOf(first) === answerOf(shown));
    return { after: alternatives[0]!.after, shown, versions: [...versions.values()], changed: changed.flatMap(({ calls }) => calls) };
  });
}

const answerOf = (event: StoredEvent | null): string | undefined => (event?.kind === "ActionEvent" && event.llm_response_id) || event?.id;
