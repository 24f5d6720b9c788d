// Critics: they rate the answers of an agent, and can demand another attempt at its task. Their options are checked by code
// that is loaded when an agent has a critic; the rating itself is a chunk of the wasm.
import type { ConversationEvent, CriticResult } from "./events.js";
import { part } from "./wasm.js";

/** The settings of every critic. */
export interface CriticSettings {
  /** `"finish_and_message"`, the default: rates calls of `finish`, and messages. `"all_actions"`: rates every call, and no messages. */
  mode?: "finish_and_message" | "all_actions" | undefined;
  /**
   * Demands another attempt after a call of `finish` with a score below `successThreshold` (default 0.6), at most
   * `maxIterations` times (default 3) in a conversation.
   */
  iterativeRefinement?: { successThreshold?: number | undefined; maxIterations?: number | undefined } | undefined;
}

/** A score from 0 to 1: the probability that the agent has succeeded. If another attempt is demanded, the agent reads the message. */
export type Rating = Pick<CriticResult, "score"> & { [K in "message" | "metadata"]?: CriticResult[K] | undefined };

/**
 * A critic of the SDK, which is stored with the conversation, or a function of the host. `PassCritic` rates every answer
 * with 1, `AgentFinishedCritic` whether the last call was one of `finish`.
 *
 * `evaluate` rates the last of the given events; those before it are what the model has seen. If it fails, the answer has no
 * rating, and the error is reported like an uncaught one.
 */
export type Critic = CriticSettings &
  ({ kind: "AgentFinishedCritic" | "PassCritic" } | { evaluate(events: ConversationEvent[]): Rating | Promise<Rating> });

/** A critic in the form that the wasm takes. @internal */
export interface CoreCritic {
  kind: string | undefined;
  ratesAllActions: boolean;
  successThreshold?: number;
  maxIterations?: number;
  evaluate(events: string[]): Promise<string | undefined>;
}

/** @internal @throws ThreadkeepError `invalid_options`, `network` */
export async function coreCritic(critic: Critic): Promise<CoreCritic> {
  return (await part(import("./critics/options.js"))).coreCritic(critic);
}
