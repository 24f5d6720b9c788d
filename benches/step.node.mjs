// The cost of a step without the model's time, and of a piece of an answer, compared with other libraries. Runs in Node.
import assert from "node:assert/strict";
import { load } from "../dist/index.js";
import { readArguments, readings, runs } from "./libraries.mjs";
import { median } from "./measure.js";
import { callingFetch, tellingFetch, writingFetch } from "./scripted-fetch.mjs";

export const title = "Milliseconds a step, one call of a tool each, and milliseconds of an answer";

export async function* run({ rounds = 3 }) {
  await load();
  for (const steps of [20, 100, 300, 1_000]) {
    const work = (name) => async () => assert.equal(await runs[name](callingFetch(steps), steps), "Done.");
    const times = await inTurns(Object.keys(runs), work, steps < 300 ? rounds * 3 : rounds);
    yield line(`${steps} steps`, times, steps, times["threadkeep"] / times["ai"], 1);
  }
  const deltas = 20_000;
  const fetch = tellingFetch(deltas);
  const work = (name) => async () => assert.ok((await readings[name](fetch)).endsWith(` word${deltas - 1}`));
  const times = await inTurns(Object.keys(readings), work, rounds);
  yield line(`${deltas} pieces`, times, 1, times["threadkeep"] / times["a bare loop"], 2);
  // The arguments of one call: four times as many cost four times as much.
  for (const pieces of [5_000, 20_000]) {
    const { fetch, json } = writingFetch(pieces * 20, pieces);
    const ways = { "a bare loop": readings["a bare loop"], threadkeep: readArguments };
    const read = (name) => async () => assert.equal(await ways[name](fetch), json);
    const found = await inTurns(Object.keys(ways), read, rounds);
    yield line(`arguments in ${pieces} pieces`, found, 1, found["threadkeep"] / found["a bare loop"], 1.5);
  }
}

/** The median time of each function after warming up, measured alternately. */
async function inTurns(names, work, rounds) {
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const begun = performance.now();
      await work(name)();
      if (round >= 0) times[name].push(performance.now() - begun);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
}

function line(label, times, divisor, ratio, goal) {
  const columns = Object.entries(times).map(([name, time]) => [name, (time / divisor).toFixed(2)]);
  return { label, columns: Object.fromEntries(columns), ratio, goal: { node: goal } };
}
