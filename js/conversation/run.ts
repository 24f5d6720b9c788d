// A run: a promise of its result and a stream of its events.
import { actionIds } from "../control/control.js";
import type { ConversationEvent, LiveEvent } from "../events/events.js";
import { signalOf } from "../input/arguments.js";
import { ask, optionsOf, ThreadkeepError } from "../input/errors.js";
import { WAITED } from "../llm/network.js";
import type { Acting, RunResult } from "./types.js";
import { pendingActions } from "./waiting-calls.js";

export type { FinishReason, RunResult } from "./types.js";

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

/** See `Conversation.run()`. @internal */
export function run(on: Acting, options: RunOptions): Promise<RunResult> {
  return begun(on, async () => {
    const given = optionsOf("run()", options, "signal approve");
    const approved = actionIds("approve", given.approve);
    return perform(on, signalOf(given.signal), async ({ core, session }) => {
      const { tasks } = session;
      if (!tasks) return ask(core, "run", approved);
      const approving = pendingActions(core).then((pending) => tasks.approve(approved, pending));
      session.approving = approving.catch(() => {});
      try {
        return await ask(core, "run", await approving);
      } finally {
        session.approving = undefined;
      }
    });
  });
}

/** See `Conversation.pause()` and `interrupt()`. A run that is about to begin was asked for before. @internal */
export async function stop({ core, session }: Acting, verb: "pause" | "interrupt"): Promise<void> {
  if (session.approving) await session.approving;
  await ask(core, verb);
}

/** See `Conversation.regenerate()`. @internal */
export function regenerate(on: Acting, options: { signal?: AbortSignal | undefined }): Promise<RunResult> {
  return begun(on, async () => {
    const { signal } = optionsOf("regenerate()", options, "signal");
    return perform(on, signalOf(signal), ({ core }) => ask(core, "regenerate"));
  });
}

function begun(on: Acting, begin: () => Promise<RunResult>): Promise<RunResult> {
  const outcome = begin();
  on.session.began(outcome);
  return outcome;
}

async function perform(on: Acting, signal: AbortSignal | undefined, begin: (on: Acting) => Promise<RunResult>): Promise<RunResult> {
  const { session } = on;
  const { network } = session;
  if (signal?.aborted) throw aborted(signal);
  const interrupt = () => void stop(on, "interrupt").catch(() => {});
  signal?.addEventListener("abort", interrupt);
  network.begin(session.state().agent_state?.[WAITED]);
  try {
    const result = await begin(on);
    if (signal?.aborted && result.status === "paused") throw aborted(signal);
    return result;
  } finally {
    network.over();
    signal?.removeEventListener("abort", interrupt);
  }
}

/** The error of a run that its signal has stopped. @internal */
export function aborted(signal: AbortSignal): ThreadkeepError {
  return new ThreadkeepError("aborted", "the run was stopped by its signal; call run() to continue", { cause: signal.reason });
}
