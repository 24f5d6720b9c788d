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
    const waiting: Array<ConversationEvent | LiveEvent> = [];
    let wake: (() => void) | undefined;
    let isOver = false;
    const unsubscribe = this.#subscribe((event) => {
      waiting.push(event);
      wake?.();
    });
    const end = () => {
      isOver = true;
      unsubscribe();
      wake?.();
    };
    this.#outcome.then(end, end);
    return {
      next: async () => {
        while (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
        const value = waiting.shift();
        if (value !== undefined) return { done: false, value };
        await this.#outcome;
        return { done: true, value: undefined };
      },
      return: async () => {
        end();
        waiting.length = 0;
        return { done: true, value: undefined };
      },
    };
  }
}
