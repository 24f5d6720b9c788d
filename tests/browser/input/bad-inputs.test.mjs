// Bad inputs to every function of the API: each promise settles with a documented code, and everything works afterwards.
// A trap of the wasm would show as the code "internal", which no row allows.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: each bad input to the API settles with a documented code in a page`, async (context) => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const { found, count, unhandled } = await browser.evaluate(async () => {
        const unhandled = [];
        addEventListener("unhandledrejection", (event) => unhandled.push(String(event.reason?.stack ?? "no error")));
        const [library, { rows }, { World, tryAll }] = await Promise.all(
          ["/threadkeep/index.js", "/support/bad-inputs/rows.mjs", "/support/bad-inputs/world.mjs"].map((url) => import(url)),
        );
        return { found: await tryAll(new World(library), rows), count: rows.length, unhandled };
      });
      context.diagnostic(`${count} rows`);
      assert.deepEqual(found, []);
      assert.deepEqual(unhandled, []);
    } finally {
      await browser.close();
    }
  });
}
