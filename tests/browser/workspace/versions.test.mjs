// The files of earlier events, on the rows of a real database.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { amount, seed } from "../../support/explored.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/workspace/": "tests/workspace" } })));
after(() => server.close());

/** Makes random changes and moves; returns the faults. */
async function random(seed) {
  const library = await import("/threadkeep/index.js");
  const { randomVersions } = await import("/workspace/random-versions.mjs");
  return randomVersions(library, library.indexedDBStore(`versions ${seed}`), seed, 14).catch((error) => [error.stack ?? String(error)]);
}

for (const kind of availableBrowsers) {
  test(`${kind}: random changes and moves: the files of each event are those of then`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      for (let n = seed; n < seed + amount(5, 20); n++) assert.deepEqual(await browser.evaluate(random, n), []);
    } finally {
      await browser.close();
    }
  });
}
