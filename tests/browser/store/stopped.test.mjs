// A page that is stopped by a synchronous request, as alert() and print() stop it, while the database answers: Firefox delivers
// the answers meanwhile, but lets whoever awaits them go on only afterwards, when their transactions have committed by themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deferred } from "../../support/deferred.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

/** What ends the synchronous request of each stop. The end may arrive here before the request does. */
const stops = new Map();
const stop = (number) => stops.get(number) ?? stops.set(number, deferred()).get(number);
const numberOf = ({ url }) => url.split("?")[1];
let server;
before(async () => {
  server = await startServer({
    mounts: {
      "/stop": (request, response) => {
        stop(numberOf(request)).promise.then(() => response.end());
        return true;
      },
      // Nothing arrives from a page that is really stopped.
      "/pass": (_, response) => {
        response.end();
        return true;
      },
      "/answered": (request, response) => {
        stop(numberOf(request)).resolve();
        response.end();
        return true;
      },
    },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a call is done that a stop of the page has cut in two`, async () => {
    const browser = await tabs(kind);
    stops.clear();
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
