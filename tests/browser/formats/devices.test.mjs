// Conversations that have gone on on several devices, in pages: random histories, each device a database of its own. Hundreds are in
// tests/conversation/merging.rs, and tests/interop opens such conversations in Python.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { amount } from "../../support/explored.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/tests/": "tests" } })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: devices that hand each other archives get the same tree`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const outcomes = await browser.evaluate(playHistories, amount(10));
      assert.deepEqual(Object.keys(outcomes).sort(), ["continued", "created", "merged", "up_to_date"]);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

async function playHistories(count) {
  const library = await import("/threadkeep/index.js");
  const { playHistory } = await import("/tests/support/devices.mjs");
  const all = {};
  for (let seed = 1; seed <= count; seed++) {
    const names = [];
    const makeStore = (number) => {
      names.push(`device-${seed}-${number}`);
      return library.indexedDBStore(names.at(-1));
    };
    const { outcomes } = await playHistory(library, { seed: 1000 + seed, makeStore, steps: 8 });
    for (const [outcome, times] of Object.entries(outcomes)) all[outcome] = (all[outcome] ?? 0) + times;
  }
  return all;
}
