// The options of critics: checked, and turned into the form that the wasm takes.
import { invalidOptions, optionsOf, reading, textOf } from "../../input/errors.js";
import type { ConversationEvent } from "../../events/events.js";
import type { CoreCritic, Critic, CriticSettings, Rating } from "../types.js";

type Evaluate = (events: ConversationEvent[]) => Rating | Promise<Rating>;

const kinds = ["AgentFinishedCritic", "PassCritic"];

/** @throws ThreadkeepError `invalid_options` */
export function coreCritic(critic: Critic): CoreCritic {
  const {
    kind,
    evaluate,
    mode = "finish_and_message",
    iterativeRefinement,
  } = reading("critic", () => {
    const given = optionsOf("critic", critic, "kind evaluate mode iterativeRefinement") as CriticSettings & {
      kind?: string;
      evaluate?: Evaluate;
    };
    // A method of a class is not among an object's own properties.
    return { ...given, evaluate: (critic as { evaluate?: Evaluate }).evaluate?.bind(critic) };
  });
  if (kind === undefined ? !evaluate : evaluate || !kinds.includes(kind))
    throw invalidOptions(`critic must have evaluate(), or one of the kinds ${kinds.join(" and ")}`);
  if (mode !== "finish_and_message" && mode !== "all_actions")
    throw invalidOptions('mode of critic must be "finish_and_message" or "all_actions"');
  const { successThreshold = 0.6, maxIterations = 3 } = iterativeRefinement
    ? optionsOf("iterativeRefinement", iterativeRefinement, "successThreshold maxIterations")
    : {};
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
