// Limits of tokens and thinking in real browsers, with IndexedDB: the same conversations as in tests/agent/token-limits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { goesOn, overTheLimit } from "../../support/token-limits.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

async function converse() {
  const library = await import("/threadkeep/index.js");
  const { instructionsOverTheLimit, notCounted, rejectedCallOfAnother } = await import("/support/token-limits.mjs");
  const store = library.indexedDBStore("token-limits");
  return {
    over: await instructionsOverTheLimit(library, store),
    estimated: await notCounted(library, store, { model: "openai/gpt-4o", usage: null, stream: true }),
    rejected: await rejectedCallOfAnother(library, store),
  };
}

for (const kind of availableBrowsers) {
  test(`${kind}: condensing ends, what is not counted is estimated, and Claude goes on after a rejected call`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const { over, estimated, rejected } = await browser.evaluate(converse);
      assert.deepEqual(over, { runs: Array(5).fill(overTheLimit), requests: 0 });
      assert.deepEqual(estimated.wrong, []);
      assert.ok(estimated.summaries > 0);
      assert.deepEqual(rejected, goesOn);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
