// A run under way: a promise of its outcome and a stream of what happens.
import type { ConversationEvent, LiveEvent } from "./events.js";
import type { ExecutionStatus } from "./events.js";

export interface RunOptions {
  /** Stops the run. */
  signal?: AbortSignal | undefined;
  /** The ids of the actions that are approved, if not all that wait. */
  approve?: readonly string[] | undefined;
}

/** How a run ended. */
export interface RunResult {
  status: ExecutionStatus;
  /** The message of `finish`, or the model's last text; null where there is none. */
  finalResponse: string | null;
}

/**
 * `await` it for the outcome, or `for await` it for events and token deltas as they happen. The run goes on
 * whether or not anybody looks; leaving a `for await` early does not stop it, `interrupt()` does.
 */
export class Run implements PromiseLike<RunResult>, AsyncIterable<ConversationEvent | LiveEvent> {
  readonly #outcome: Promise<RunResult>;
  readonly #subscribe: (listener: (event: ConversationEvent | LiveEvent) => void) => () => void;

  /** @internal */
  constructor(outcome: Promise<RunResult>, subscribe: (listener: (event: ConversationEvent | LiveEvent) => void) => () => void) {
    this.#outcome = outcome;
    this.#subscribe = subscribe;
    // A failure is in the log and in the status; that nobody awaits the run is not a failure of its own.
    outcome.catch(() => {});
  }

  then<A = RunResult, B = never>(
    fulfilled?: ((result: RunResult) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#outcome.then(fulfilled, rejected);
  }

  /** As a promise's. */
  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<RunResult | B> {
    return this.#outcome.catch(rejected);
  }

  /** As a promise's. */
  finally(settled?: (() => void) | null): Promise<RunResult> {
    return this.#outcome.finally(settled);
  }

  /** What happens from now on; ends with the run, and throws what the run rejects with. */
  [Symbol.asyncIterator](): AsyncIterator<ConversationEvent | LiveEvent, undefined> {
    // What has come, and before it, last first, what is next.
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
