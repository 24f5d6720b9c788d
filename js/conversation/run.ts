// A run: a promise of its result and a stream of its events.
import { ThreadkeepError } from "../input/errors.js";
import type { ConversationEvent, ExecutionStatus, LiveEvent } from "../events/events.js";

export interface RunOptions {
  /** Stops the run when it is aborted. */
  signal?: AbortSignal | undefined;
  /** The ids of the approved actions. Default: all that wait. */
  approve?: readonly string[] | undefined;
}

/** How a run ended. */
export interface RunResult {
  status: ExecutionStatus;
  /** The message of `finish`, or the model's last text; `null` if there is neither. */
  finalResponse: string | null;
}

/**
 * `await` it for the result, or `for await` it for events and pieces of answers as they arrive. The run continues
 * whether or not anybody iterates; leaving a `for await` loop does not stop it, `interrupt()` does.
 */
export class Run implements PromiseLike<RunResult>, AsyncIterable<ConversationEvent | LiveEvent> {
  readonly #outcome: Promise<RunResult>;
  readonly #subscribe: (listener: (event: ConversationEvent | LiveEvent) => void) => () => void;

  /** @internal */
  constructor(outcome: Promise<RunResult>, subscribe: (listener: (event: ConversationEvent | LiveEvent) => void) => () => void) {
    this.#outcome = outcome;
    this.#subscribe = subscribe;
    // A failure is stored in the log and the status, so a run that nobody awaits must not be an unhandled rejection.
    outcome.catch(() => {});
  }

  then<A = RunResult, B = never>(
    fulfilled?: ((result: RunResult) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#outcome.then(fulfilled, rejected);
  }

  /** Like `Promise.prototype.catch`. */
  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<RunResult | B> {
    return this.#outcome.catch(rejected);
  }

  /** Like `Promise.prototype.finally`. */
  finally(settled?: (() => void) | null): Promise<RunResult> {
    return this.#outcome.finally(settled);
  }

  /** The events from now on; ends with the run, and throws what the run rejects with. */
  [Symbol.asyncIterator](): AsyncIterator<ConversationEvent | LiveEvent, undefined> {
    // Arrived events in order, and before them, in reverse order, those that are returned next.
    let came: Array<ConversationEvent | LiveEvent> = [];
    let next: Array<ConversationEvent | LiveEvent> = [];
    let isOver = false;
    let changed: Promise<void> | undefined;
    let wake: (() => void) | undefined;
    const change = () => {
      wake?.();
      changed = wake = undefined;
    };
    const unsubscribe = this.#subscribe((event) => {
      came.push(event);
      change();
    });
    const end = () => {
      isOver = true;
      unsubscribe();
      change();
    };
    this.#outcome.then(end, end);
    return {
      next: async () => {
        for (;;) {
          if (next.length === 0) [next, came] = [came.reverse(), next];
          const value = next.pop();
          if (value !== undefined) return { done: false, value };
          if (isOver) break;
          await (changed ??= new Promise((resolve) => (wake = resolve)));
        }
        await this.#outcome;
        return { done: true, value: undefined };
      },
      return: async () => {
        end();
        came.length = next.length = 0;
        return { done: true, value: undefined };
      },
    };
  }
}

/** @internal */
export function aborted(signal: AbortSignal): ThreadkeepError {
  return new ThreadkeepError("aborted", "the run was stopped by its signal; call run() to continue", { cause: signal.reason });
}
