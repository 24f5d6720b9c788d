// The conversation behind the thread that assistant-ui shows, for everything that assistant-ui has no place for.
import { useAuiState } from "@assistant-ui/react";
import { ThreadkeepError } from "threadkeep";
import { canGoOn } from "../thread/fields.js";
import type { Thread, ThreadSnapshot } from "../thread/types.js";

/** See {@link useThreadkeepThread}. */
export interface ThreadkeepThread {
  /** The methods of the conversation, such as `resume()`, `loadEarlier()` and `retryNow()`; `null` until it has a message. */
  thread: Thread | null;
  /** All that is known about it, such as `approvals`, `waiting` and `home`. */
  snapshot: ThreadSnapshot;
  /** The failure of the last action of the user; `null` after the next one that works. */
  error: ThreadkeepError | null;
  /** Whether the agent has not finished and does nothing: the page died, the run was stopped or failed, or its answer was too long. `thread.resume()` carries on. */
  canContinue: boolean;
}

/** The value of assistant-ui's `extras`. @internal */
export class Extras implements ThreadkeepThread {
  readonly thread: Thread | null;
  readonly snapshot: ThreadSnapshot;
  readonly error: ThreadkeepError | null;
  readonly canContinue: boolean;

  constructor(thread: Thread | null, snapshot: ThreadSnapshot, error: ThreadkeepError | null) {
    this.thread = thread;
    this.snapshot = snapshot;
    this.error = error ?? snapshot.error;
    this.canContinue = isUnfinished(snapshot);
  }
}

function isUnfinished({ phase, isRunning, approvals, messages, status }: ThreadSnapshot): boolean {
  if (phase !== "open" || isRunning || approvals.length > 0) return false;
  const last = messages.at(-1);
  if (last === undefined) return false;
  const end = last.parts.at(-1);
  if (end?.type === "text" && canGoOn(end.reason)) return true;
  if (last.role === "user" || status === "error" || status === "paused") return true;
  return last.parts.some((part) => part.type === "tool" && (part.state === "ready" || part.state === "interrupted"));
}

/**
 * The conversation of the thread around this component.
 * @throws ThreadkeepError `invalid_state` if the runtime is not that of `useThreadkeepRuntime()`
 */
export function useThreadkeepThread(): ThreadkeepThread {
  const extras = useAuiState(({ thread }) => thread.extras);
  if (extras instanceof Extras) return extras;
  throw new ThreadkeepError(
    "invalid_state",
    "useThreadkeepThread() needs an AssistantRuntimeProvider with the runtime of useThreadkeepRuntime()",
  );
}
