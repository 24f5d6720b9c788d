// A run: a promise of its result and a stream of its events.
import { actionIds } from "../control/control.js";
import type { ConversationEvent, ExecutionStatus, LiveEvent } from "../events/events.js";
import type { TokenUsage } from "../events/types.js";
import { signalOf } from "../input/arguments.js";
import { ask, optionsOf, ThreadkeepError } from "../input/errors.js";
import { WAITED } from "../llm/network.js";
import type { ConversationSession } from "./session.js";
import { pendingActions } from "./waiting-calls.js";

export interface RunOptions {
  /** Stops the run when it is aborted. */
  signal?: AbortSignal | undefined;
  /** The ids of the approved actions. Default: all that wait. */
  approve?: readonly string[] | undefined;
}

/**
 * How a run ended, and what it took. Also that of a run that was interrupted, or ended at a limit; a run that rejects has none.
 * The usage is that of the whole conversation while it ran: of its model with failed attempts, condensers, critics and
 * sub-agents, and of questions that were asked beside it.
 */
export interface RunResult {
  status: ExecutionStatus;
  /** The message of `finish`, or the model's last text; `null` if there is neither. */
  finalResponse: string | null;
  /**
   * The steps, as `maxIterationPerRun` counts them: each an answer of the model with its calls, calls that had waited, or a
   * condensation. Those of sub-agents are not among them.
   */
  steps: number;
  tokenUsage: Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens">;
  /** US dollars; 0 for models without known prices. */
  cost: number;
  /** Milliseconds from `run()` to its end, with all waiting. */
  durationMs: number;
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
export async function run(session: ConversationSession, options: RunOptions): Promise<RunResult> {
  const { core, network, tasks } = session;
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
export async function regenerate(session: ConversationSession, options: { signal?: AbortSignal | undefined }): Promise<RunResult> {
  const given = optionsOf("regenerate()", options, "signal");
  const signal = signalOf(given.signal);
  if (signal?.aborted) throw aborted(signal);
  await ask(session.core, "regenerate");
  return run(session, given);
}

function aborted(signal: AbortSignal): ThreadkeepError {
  return new ThreadkeepError("aborted", "the run was stopped by its signal; call run() to continue", { cause: signal.reason });
}
