// Imports and exports have these in common: a listener that is told of the progress, and a signal that stops the work.
import { signalOf } from "../../input/arguments.js";
import { ThreadkeepError, fromCore, invalidOptions } from "../../input/errors.js";
import type { Progress } from "../types.js";

/** Does the work. If it fails because the signal was aborted, the error is `aborted`. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  what: "import" | "export" | "verification" | "restoration",
  work: () => Promise<T>,
): Promise<T> {
  signalOf(signal);
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    if (!signal?.aborted) throw fromCore(error);
    const unchanged = what === "import" ? "; nothing was imported" : "";
    throw new ThreadkeepError("aborted", `the ${what} was stopped by its signal${unchanged}`, { cause: signal.reason });
  }
}

/** Wraps the host's listener: if it throws, the work continues, and the error surfaces as an uncaught one. */
export function listener(onProgress: ((progress: Progress) => void) | undefined, unit: Progress["unit"]) {
  if (onProgress !== undefined && typeof onProgress !== "function") throw invalidOptions("onProgress is not a function");
  return (done: number, total: number) => {
    try {
      onProgress?.({ done, total, unit });
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
