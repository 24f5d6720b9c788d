// How tests wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/until.mjs";

test("a wait ends with what its condition gives, also when that takes its time", async () => {
  let looks = 0;
  assert.equal(await until(() => ++looks === 3 && "found"), "found");
  assert.equal(await until(async () => ++looks === 6 && looks), 6);
  await assert.rejects(
    until(() => {
      throw new Error("on purpose");
    }),
    { message: "on purpose" },
  );
});

test("a wait looks again at once when what it watches tells of something, and leaves it afterwards", async () => {
  const listeners = new Set();
  const of = { subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)) };
  let isSo = false;
  const waiting = until(() => isSo, "it is told", { of, every: 60_000 });
  await new Promise(setImmediate);
  isSo = true;
  for (const tell of listeners) tell();
  assert.equal(await waiting, true);
  assert.equal(listeners.size, 0);
});

test("a wait in vain says what it waited for, and what it saw last", async () => {
  const message = (waiting) => waiting.catch((error) => error.message);
  const never = () => false;
  assert.equal(await message(until(never, undefined, { limit: 0 })), "waited in vain until () => false");
  const seen = async () => ({ length: 2 });
  const last = 'waited in vain until there are three; the last that was seen: {"length":2}';
  assert.equal(await message(until(never, "there are three", { limit: 20, seen })), last);
});
