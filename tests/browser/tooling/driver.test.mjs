// The driver of the page tests: pages run in each browser, and what goes wrong in them is noticed. How it kills a
// browser and starts it again is tested by tests/kills.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a page imports the library and runs its wasm`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const loaded = await browser.evaluate(async () => (await import("/threadkeep/index.js")).load().then(() => "loaded"));
      assert.equal(loaded, "loaded");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: an uncaught error of a page is a problem of the browser`, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const seen = new Promise((resolve) => page.once("pageerror", resolve));
      // A text, because WebKit keeps quiet about errors of functions that its driver brings in.
      await browser.evaluate(() => void setTimeout('throw new Error("on purpose")'));
      await seen;
      assert.match(browser.problems.join("\n"), /on purpose/);
    } finally {
      await browser.close();
    }
  });
}
