// The limits of a run, and when it counts as stuck.
import { invalidOptions, optionsOf } from "../input/errors.js";

/** Numbers of repetitions after which a run is stuck. Integers of at least 1. */
export interface StuckDetectionThresholds {
  /** The same call with the same result. Default 4. */
  actionObservation?: number | undefined;
  /** The same call with an error: at this number the model is warned, at the next one the run stops. Default 3. */
  actionError?: number | undefined;
  /** Consecutive messages of the model without a user message, or requests that exceed its context window. Default 3. */
  monologue?: number | undefined;
  /** Calls and results that alternate between two patterns. Default 6. */
  alternatingPattern?: number | undefined;
}

/** The limits of a run that a sub-agent may have of its own. */
export interface OwnLimits {
  /** The maximum number of steps of one run. Default 500; of a sub-agent, the limit of the conversation that starts it. */
  maxIterationPerRun?: number | undefined;
  /**
   * The maximum cost of one run in US dollars, by the prices of the LLM (`inputCostPerToken`, `outputCostPerToken`, or its
   * metadata) or as a LiteLLM proxy reports it. Without these no cost is counted. The step that reaches the limit is the
   * last: the run ends with status `error`. Default: none; of a sub-agent, the limit of the conversation that starts it.
   */
  maxBudgetPerRun?: number | undefined;
}

export interface RunLimits extends OwnLimits {
  /** Whether a run that repeats itself ends with status `stuck`. Default: as stored; in a new conversation `true`. */
  stuckDetection?: boolean | StuckDetectionThresholds | undefined;
}

/** Whether a value is one for this limit, and the end of a sentence about one that is not. */
const own: Record<keyof OwnLimits, [isValid: (value: number) => boolean, what: string]> = {
  maxIterationPerRun: [isCount, "a whole number of at least 1"],
  maxBudgetPerRun: [(value) => Number.isFinite(value) && value > 0, "a number of dollars above 0"],
};

/** The names of a sub-agent's own limits, and of all, as `optionsOf()` takes them. */
export const ownLimits = "maxIterationPerRun maxBudgetPerRun";
export const limitNames = `${ownLimits} stuckDetection` as const;

/** The limits that are given, in the form that the wasm takes. `invalid` makes the error about one that is not valid. */
export function limitsOf(given: RunLimits, invalid: (message: string) => Error = invalidOptions): RunLimits {
  const limits: RunLimits = {};
  for (const name of Object.keys(own) as Array<keyof OwnLimits>) {
    const value = given[name];
    if (value === undefined) continue;
    const [isValid, what] = own[name];
    if (!isValid(value)) throw invalid(`${name} must be ${what}`);
    limits[name] = value;
  }
  const { stuckDetection } = given;
  if (stuckDetection === undefined) return limits;
  if (typeof stuckDetection === "boolean") return { ...limits, stuckDetection };
  const thresholds = optionsOf("stuckDetection", stuckDetection, "actionObservation actionError monologue alternatingPattern");
  for (const [name, value] of Object.entries(thresholds))
    if (value !== undefined && !isCount(value)) throw invalid(`stuckDetection.${name} must be a whole number of at least 1`);
  return { ...limits, stuckDetection: thresholds };
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1;
}
