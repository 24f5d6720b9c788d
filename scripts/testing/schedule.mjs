// Schedules the steps of `npm test`: each after the steps it needs, one at a time per lane, and as many lanes at once as the
// machine has processors for. A step is { name, needs, lane, … }; the caller runs it.
import { availableParallelism } from "node:os";

/** The named steps and all that they need, in the order of the table. */
export function select(steps, names) {
  const wanted = new Set();
  const add = (name) => {
    const step = steps.find((candidate) => candidate.name === name);
    if (!step) throw new Error(`there is no step "${name}": choose from ${steps.map((each) => each.name).join(", ")}`);
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const need of step.needs ?? []) add(need);
  };
  for (const name of names) add(name);
  return steps.filter((step) => wanted.has(step.name));
}

/**
 * Runs all steps and returns a result { name, outcome, reason, … } for each, in the order of the table. `perform(step)`
 * resolves to { outcome: "ok" | "failed" | "skipped", reason }; steps that need a step that was not ok are not started.
 * Steps without a lane wait for the network rather than for a processor, and are not limited. `slots`: how many lanes there are at
 * once; one more than processors, because pages wait for their browsers much of the time.
 */
export function schedule(steps, perform, slots = availableParallelism() + 1) {
  const results = new Map();
  const running = new Map();

  return new Promise((resolve, reject) => {
    const settle = (step, result) => {
      running.delete(step);
      results.set(step.name, { name: step.name, ...result });
    };
    const advance = () => {
      for (const step of steps) {
        if (results.has(step.name) || running.has(step)) continue;
        const needs = (step.needs ?? []).map((need) => results.get(need));
        const broken = needs.find((result) => result && result.outcome !== "ok");
        if (broken) settle(step, { outcome: broken.outcome === "skipped" ? "skipped" : "not run", reason: `needs ${broken.name}` });
        else if (needs.every(Boolean) && hasRoom(step)) begin(step);
      }
      if (results.size === steps.length) resolve(steps.map((step) => results.get(step.name)));
    };
    const hasRoom = (step) => {
      if (!step.lane) return true;
      const lanes = [...running.keys()].map((other) => other.lane).filter(Boolean);
      return lanes.length < slots && !lanes.includes(step.lane);
    };
    const begin = (step) => {
      running.set(step, true);
      perform(step).then((result) => {
        settle(step, result);
        advance();
      }, reject);
    };
    advance();
  });
}

/**
 * Performs once more the files in which nothing has failed but cases of `unsteady` (see unsteady.mjs), one step after the other when nothing
 * else runs any more, and resolves to the results after that. `step.again(files)` is the command for some files of a step. A result of a
 * step that passed then has `repeated`: the failures of the first time.
 */
export async function repeatUnsteady(steps, results, unsteady, perform) {
  const after = [];
  for (const first of results) {
    const step = steps.find(({ name }) => name === first.name);
    const isKnown = ({ file, name }) => unsteady.some((known) => known.file === file && name.endsWith(known.name));
    const { outcome, timedOut, failures = [] } = first;
    if (outcome !== "failed" || timedOut || !step.again || failures.length === 0 || !failures.every(isKnown)) {
      after.push(first);
      continue;
    }
    const second = await perform({ ...step, command: step.again([...new Set(failures.map(({ file }) => file))]) });
    const times = [...first.times, ...second.times];
    after.push({ ...second, name: first.name, times, ...(second.outcome === "ok" && { repeated: failures }) });
  }
  return after;
}

/**
 * The meaning of a result for the whole. In CI nobody reads that something was skipped, so it fails there. An optional step, which gets something
 * that a machine may well not have, never fails: what needs it is then reported as not checked.
 */
export function counted({ optional }, result, inCi) {
  if (optional) return result.outcome === "failed" ? { ...result, outcome: "skipped" } : result;
  if (!inCi) return result;
  if (result.outcome === "skipped") return { ...result, outcome: "failed" };
  if (result.outcome === "ok" && result.gaps.length > 0) return { ...result, outcome: "failed", reason: result.gaps.join("; ") };
  return result;
}
