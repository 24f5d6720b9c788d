// A run: a promise of its result and a stream of its events.
import { actionIds } from "../control/control.js";
import type { ConversationEvent, ExecutionStatus, LiveEvent } from "../events/events.js";
import { signalOf } from "../input/arguments.js";
import { ask, optionsOf, ThreadkeepError } from "../input/errors.js";
import { WAITED } from "../llm/network.js";
import type { Acting, RunResult } from "./types.js";
export type { RunResult };
import { pendingActions } from "./waiting-calls.js";

export interface RunOptions {
  /** Stops the run when it is aborted. */
  signal?: AbortSignal | undefined;
  /** The ids of the approved actions. Default: all that wait. */
  approve?: readonly string[] | undefined;
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

type Five = [number, number, number, number, number];
type CoreResult = [status: ExecutionStatus, finalResponse: string | null, steps: number, cost: number, durationMs: number, ...Five];

/** See `Conversation.run()`. @internal */
export function run(on: Acting, options: RunOptions): Promise<RunResult> {
  const outcome = begin(on, options);
  on.session.began(outcome);
  return outcome;
}

async function begin({ core, session }: Acting, options: RunOptions): Promise<RunResult> {
  const { network, tasks } = session;
  const given = optionsOf("run()", options, "signal approve");
  const approved = actionIds("approve", given.approve);
  const signal = signalOf(given.signal);
  if (signal?.aborted) throw aborted(signal);
  const own = tasks ? await tasks.approve(approved, await pendingActions(core)) : approved;
  const interrupt = () => void ask(core, "interrupt").catch(() => {});
  signal?.addEventListener("abort", interrupt);
  network.begin(session.state().agent_state?.[WAITED]);
  try {
    const [status, finalResponse, steps, cost, durationMs, ...tokens] = (await ask(core, "run", own)) as CoreResult;
    if (signal?.aborted && status === "paused") throw aborted(signal);
    const [prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens] = tokens;
    const tokenUsage = { prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens };
    return { status, finalResponse, steps, tokenUsage, cost, durationMs };
  } finally {
    network.over();
    signal?.removeEventListener("abort", interrupt);
  }
}

/** See `Conversation.regenerate()`. @internal */
export async function regenerate(on: Acting, options: { signal?: AbortSignal | undefined }): Promise<RunResult> {
  const given = optionsOf("regenerate()", options, "signal");
  const signal = signalOf(given.signal);
  if (signal?.aborted) throw aborted(signal);
  await ask(on.core, "regenerate");
  return run(on, given);
}

/** The error of a run that its signal has stopped. @internal */
export function aborted(signal: AbortSignal): ThreadkeepError {
  return new ThreadkeepError("aborted", "the run was stopped by its signal; call run() to continue", { cause: signal.reason });
}
