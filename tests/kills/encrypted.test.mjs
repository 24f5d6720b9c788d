// A browser is killed at random moments while it writes an encrypted store: it opens again, and nothing that was reported as stored is
// missing. What is stored does not depend on the browser, and what may be lost by its death is in kills.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, seed } from "../support/explored.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { live } from "./lives.mjs";

const killsOf = (kind) => amount({ chromium: 4, firefox: 2 }[kind]);

for (const kind of availableBrowsers) {
  const kills = killsOf(kind);
  test(`${kind} writes an encrypted store, ${kills} times, seed ${seed}`, async (context) => {
    const { complaints, seen } = await live(kind, { kills, seed, seals: true });
    for (const [what, count] of Object.entries(seen)) context.diagnostic(`${count} ${what}`);
    assert.deepEqual(complaints, []);
    assert.equal(seen.kills, kills);
    // How many is chance.
    assert.ok(seen.events > kills);
  });
}
