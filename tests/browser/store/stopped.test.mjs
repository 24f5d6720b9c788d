// A page that is stopped by a synchronous request, as alert() and print() stop it, while the database answers: Firefox delivers
// the answers meanwhile, but lets whoever awaits them go on only afterwards, when their transactions have committed by themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

/** Ends the synchronous request that is under way. */
let goOn;
let server;
before(async () => {
  server = await startServer({
    mounts: {
      "/stop": (request, response) => {
        goOn = () => response.end();
        // Nothing arrives from a page that is really stopped.
        if (request.url.endsWith("?at-once")) goOn();
        return true;
      },
      "/answered": (_, response) => {
        goOn?.();
        response.end();
        return true;
      },
    },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a call is done that a stop of the page has cut in two`, { timeout: 240_000 }, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const checked = await page.evaluate(inPage, kind === "firefox");
      for (const { name, differences, stops } of checked) {
        assert.deepEqual(differences, [], name);
        assert.ok(stops > 0, `${name} was not stopped`);
      }
      assert.ok(checked.length > 10);
    } finally {
      await browser.close();
    }
  });
}

async function inPage(delivers) {
  return (await import("/pages/stopped.mjs")).checkStopped(delivers);
}
