// A damaged archive is either imported as a complete conversation or refused, and then nothing is stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, seed } from "../support/explored.mjs";
import { apart } from "../support/apart.mjs";

const count = amount(300, 3000);
const module = new URL("mutations.mjs", import.meta.url).href;

test(`${count} damaged archives (seed ${seed}) are imported completely or refused`, async () => {
  const outcomes = await apart(module, "importDamaged", count, seed);
  assert.equal(outcomes.imported + outcomes.refused, count);
  // Both happen: the mutations reach contents as well as structure.
  assert(outcomes.imported > count / 100 && outcomes.refused > count / 10, JSON.stringify(outcomes));
});

test("an archive cut off at any byte is refused", async () => {
  assert((await apart(module, "importCutOff")) > 500);
});
