// What one run may use, and when it counts as going in circles.
import { invalidOptions, optionsOf } from "./errors.js";

/** After how many repetitions a run is stuck. A number of at least 1 each. */
export interface StuckDetectionThresholds {
  /** The same call with the same result. Default 4. */
  actionObservation?: number | undefined;
  /** The same call with an error: at so many the model is told, at one more the run stops. Default 3. */
  actionError?: number | undefined;
  /** Messages of the model to nobody, or requests that do not fit into its context window. Default 3. */
  monologue?: number | undefined;
  /** Calls and results in a pattern of two. Default 6. */
  alternatingPattern?: number | undefined;
}

export interface RunLimits {
  /** Steps that one run may take. Default 500. */
  maxIterationPerRun?: number | undefined;
  /**
   * Dollars that one run may spend, counted by the prices of the LLM (`inputCostPerToken`, `outputCostPerToken`) or
   * what a LiteLLM proxy says that a request cost. Without either nothing is counted. The step that reaches it is the
   * last: the run ends with status `error`.
   */
  maxBudgetPerRun?: number | undefined;
  /** Whether a run ends, with status `stuck`, that goes in circles. Default: as stored, in a new conversation `true`. */
  stuckDetection?: boolean | StuckDetectionThresholds | undefined;
}

/** As the core takes them. */
export function limitsOf({ maxIterationPerRun, maxBudgetPerRun, stuckDetection }: RunLimits): object {
  atLeastOne("maxIterationPerRun", maxIterationPerRun);
  if (maxBudgetPerRun !== undefined && !(Number.isFinite(maxBudgetPerRun) && maxBudgetPerRun > 0)) {
    throw invalidOptions("maxBudgetPerRun must be a number of dollars above 0");
  }
  if (stuckDetection === undefined || typeof stuckDetection === "boolean") return { maxIterations: maxIterationPerRun, maxBudgetPerRun, stuckDetection };
  const thresholds = optionsOf("stuckDetection", stuckDetection, "actionObservation actionError monologue alternatingPattern");
  for (const [name, value] of Object.entries(thresholds)) atLeastOne(`stuckDetection.${name}`, value);
  return { maxIterations: maxIterationPerRun, maxBudgetPerRun, stuckDetection: thresholds };
}

function atLeastOne(name: string, value: unknown): void {
  if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1)) throw invalidOptions(`${name} must be a whole number of at least 1`);
}
