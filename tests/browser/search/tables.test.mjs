// The tables of the index, when calls of one page overtake each other.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { textFromSource } from "../../support/bundled.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { startServer } from "../../support/server.mjs";

let server;
before(async () => {
  // No page can import it.
  const tables = await textFromSource(["search/index/tables.ts"]);
  const send = (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(tables);
  server = await startServer({ mounts: { "/tables.js": (...args) => (send(...args), true) } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a call with an old state takes the new one from nobody`, async () => {
    const browser = await launch(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const found = await browser.evaluate(async () => {
        const { IndexTables } = await import("/tables.js");
        const tables = new IndexTables("overtaken");
        const old = await tables.current();
        await tables.change(old, { nextBlock: 1 });
        const late = tables.current();
        const error = await tables.pages(old, []).catch((error) => error.constructor.name);
        return { error, blocks: [(await late).nextBlock, (await tables.known()).nextBlock] };
      });
      assert.deepEqual(found, { error: "Overtaken", blocks: [1, 1] });
    } finally {
      await browser.close();
    }
  });
}
