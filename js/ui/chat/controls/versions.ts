// The arrows between the versions of messages.
import type { Thread, ThreadSnapshot, UIMessage } from "../../thread/index.js";

/** A place with several versions. */
export interface Parting {
  ids: readonly string[];
  /** The version that is shown; behind all others if nothing follows there yet on the active branch. */
  index: number;
  /** How many there are, with the one that is shown. */
  count: number;
  /** Whether nothing follows there yet. */
  isEnd: boolean;
}

/** An arrow that has been pressed: the message that it was at is replaced, and the arrow there gets the focus. */
export interface Pressed {
  /** The first of the versions, which is the same whichever is shown. */
  first: string | undefined;
  /** The version that was shown. */
  at: number;
  verb: "previous" | "next";
  /** The distance from the top of the window, in pixels. */
  top: number;
}

export const pressedOf = new WeakMap<Thread, Pressed>();

/** The partings at this message; behind the last one other branches may go on. */
export function partingsAt(
  { id, versions }: UIMessage,
  { messages, continuations }: Pick<ThreadSnapshot, "messages" | "continuations">,
): Parting[] {
  const own = versions ? [{ ...versions, count: versions.ids.length, isEnd: false }] : [];
  if (continuations.length === 0 || messages.at(-1)?.id !== id) return own;
  return [...own, { ids: continuations, index: continuations.length, count: continuations.length + 1, isEnd: true }];
}
