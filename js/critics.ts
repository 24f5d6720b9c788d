// Critics: they rate the answers of an agent, and can demand another attempt at its task.
import { invalidOptions, optionsOf, reading, textOf } from "./errors.js";
import type { ConversationEvent, CriticResult } from "./events.js";

/** The settings of every critic. */
interface CriticSettings {
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

/** @internal @throws ThreadkeepError `invalid_options` */
export function coreCritic(critic: Critic): CoreCritic {
  const { kind, evaluate, mode = "finish_and_message", iterativeRefinement } = reading("critic", () => {
    const given = optionsOf("critic", critic, "kind evaluate mode iterativeRefinement") as CriticSettings & { kind?: string; evaluate?: Evaluate };
    // A method of a class is not among an object's own properties.
    return { ...given, evaluate: (critic as { evaluate?: Evaluate }).evaluate?.bind(critic) };
  });
  if (kind === undefined ? !evaluate : evaluate || !kinds.includes(kind)) throw invalidOptions(`critic must have evaluate(), or one of the kinds ${kinds.join(" and ")}`);
  if (mode !== "finish_and_message" && mode !== "all_actions") throw invalidOptions('mode of critic must be "finish_and_message" or "all_actions"');
  const { successThreshold = 0.6, maxIterations = 3 } = iterativeRefinement ? optionsOf("iterativeRefinement", iterativeRefinement, "successThreshold maxIterations") : {};
  if (!(successThreshold >= 0 && successThreshold <= 1)) throw invalidOptions("successThreshold must be a number from 0 to 1");
  if (!Number.isInteger(maxIterations) || maxIterations < 1) throw invalidOptions("maxIterations must be a whole number of at least 1");
  return {
    kind,
    ratesAllActions: mode === "all_actions",
    ...(iterativeRefinement && { successThreshold, maxIterations }),
    evaluate: async (events) => {
      try {
        const { score, message, metadata } = await evaluate!(events.map((json) => JSON.parse(json)));
        if (!(score >= 0 && score <= 1)) throw new TypeError(`the score of a critic is a number from 0 to 1, not ${textOf(score)}`);
        return JSON.stringify({ score, message, metadata });
      } catch (error) {
        // Node has no `reportError`, and would end at an uncaught error.
        (globalThis.reportError ?? console.error)(error);
        return undefined;
      }
    },
  };
}

type Evaluate = (events: ConversationEvent[]) => Rating | Promise<Rating>;

const kinds = ["AgentFinishedCritic", "PassCritic"];
