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
    yield line(`${steps} steps`, times, steps, "ai", 1);
  }
  const bare = "a bare loop";
  for (const pieces of [1_000, 5_000, 20_000]) {
    const fetch = tellingFetch(pieces);
    const work = (name) => async () => assert.ok((await readings[name](fetch)).endsWith(` word${pieces - 1}`));
    // The others would take minutes for all of them.
    const names = pieces === 20_000 ? Object.keys(readings) : [bare, "threadkeep"];
    // The conversation is opened and closed in this time, which is most of it for a short answer.
    yield line(`${pieces} pieces`, await inTurns(names, work, rounds * 3), 1, bare, pieces === 1_000 ? undefined : 1.5);
  }
  // The arguments of one call, in pieces of twenty characters and of five, and the call itself: parsed, stored and executed.
  for (const [characters, pieces] of [
    [20_000, 1_000],
    [100_000, 5_000],
    [400_000, 20_000],
    [100_000, 20_000],
  ]) {
    const { fetch, json } = writingFetch(characters, pieces);
    const ways = { [bare]: writtenArguments, threadkeep: readArguments };
    const read = (name) => async () => assert.equal(await ways[name](fetch), json);
    const times = await inTurns(Object.keys(ways), read, rounds * 3);
    yield line(`arguments of ${characters / 1_000} kB in ${pieces} pieces`, times, 1, bare, pieces === 1_000 ? undefined : 1.5);
  }
}

/** As much as a bare loop has to do for a call: its arguments, parsed. */
async function writtenArguments(fetch) {
  const text = await readings["a bare loop"](fetch);
  assert.ok(JSON.parse(text).message);
  return text;
}

/** The times of each function after warming up, measured alternately. */
async function inTurns(names, work, rounds) {
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const begun = performance.now();
      await work(name)();
      if (round >= 0) times[name].push(performance.now() - begun);
    }
  }
  return times;
}

/** The medians, and that of the ratios within each round: what else the machine does affects neighbours alike. */
function line(label, times, divisor, other, goal) {
  const columns = Object.entries(times).map(([name, all]) => [name, (median(all) / divisor).toFixed(2)]);
  const ratio = median(times["threadkeep"].map((time, round) => time / times[other][round]));
  return { label, columns: Object.fromEntries(columns), ratio, ...(goal !== undefined && { goal: { node: goal } }) };
}
