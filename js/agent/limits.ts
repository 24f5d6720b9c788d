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

export interface RunLimits {
  /** The maximum number of steps of one run. Default 500. */
  maxIterationPerRun?: number | undefined;
  /**
   * The maximum cost of one run in US dollars, by the prices of the LLM (`inputCostPerToken`, `outputCostPerToken`, or its
   * metadata) or as a LiteLLM proxy reports it. Without these no cost is counted. The step that reaches the limit is the
   * last: the run ends with status `error`.
   */
  maxBudgetPerRun?: number | undefined;
  /** Whether a run that repeats itself ends with status `stuck`. Default: as stored; in a new conversation `true`. */
  stuckDetection?: boolean | StuckDetectionThresholds | undefined;
}

/** The limits as the wasm takes them. */
export function limitsOf({ maxIterationPerRun, maxBudgetPerRun, stuckDetection }: RunLimits): object {
  atLeastOne("maxIterationPerRun", maxIterationPerRun);
  if (maxBudgetPerRun !== undefined && !(Number.isFinite(maxBudgetPerRun) && maxBudgetPerRun > 0)) {
    throw invalidOptions("maxBudgetPerRun must be a number of dollars above 0");
  }
  if (stuckDetection === undefined || typeof stuckDetection === "boolean")
    return { maxIterations: maxIterationPerRun, maxBudgetPerRun, stuckDetection };
  const thresholds = optionsOf("stuckDetection", stuckDetection, "actionObservation actionError monologue alternatingPattern");
  for (const [name, value] of Object.entries(thresholds)) atLeastOne(`stuckDetection.${name}`, value);
  return { maxIterations: maxIterationPerRun, maxBudgetPerRun, stuckDetection: thresholds };
}

function atLeastOne(name: string, value: unknown): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1))
    throw invalidOptions(`${name} must be a whole number of at least 1`);
}
