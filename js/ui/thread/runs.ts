// Runs that a view shows as one: a message that has come too late for a run is answered by another.
import type { RunResult } from "threadkeep";

/** The usage of a run in which nothing was to be done. */
export const nothingRan: Omit<RunResult, "status" | "finalResponse"> = {
  finishReason: null,
  steps: 0,
  tokenUsage: { reasoning_tokens: 0, completion_tokens: 0, prompt_tokens: 0, cache_write_tokens: 0, cache_read_tokens: 0 },
  cost: 0,
  durationMs: 0,
};

/** The result of the later run, with what both have taken. */
export function withEarlier(earlier: RunResult, later: RunResult): RunResult {
  const tokenUsage = { ...later.tokenUsage };
  for (const name of Object.keys(tokenUsage) as Array<keyof typeof tokenUsage>) tokenUsage[name] += earlier.tokenUsage[name];
  return {
    ...later,
    steps: earlier.steps + later.steps,
    tokenUsage,
    cost: earlier.cost + later.cost,
    durationMs: earlier.durationMs + later.durationMs,
  };
}
