// The first example of docs/stores.md, as it is written there: after it the directory has the files of the conversation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../support/model.mjs";
import { appOf, blocks } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [first] = blocks("docs/stores.md");
const html = `<!doctype html><meta charset="utf-8"><title>folders</title><link rel="icon" href="data:,"><script type="module" src="/app/page.js"></script>`;

let server;
before(async () => {
  const app = await appOf({ "page.js": `${first}\ndocument.title = conversation.id;` }, ["page.js"]);
  server = await startServer({
    model: createModel(() => ({ text: "Hello, you." })),
    mounts: { "/app/": app, "/chat": (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true) },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a conversation is in the folder, as files`, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/chat`);
      await untilIn(page, "its title is an id", () => document.title.length === 36);
      const files = await browser.evaluate(async () => {
        const { directory, filesIn } = await import("/pages/opfs.mjs");
        return filesIn(await directory(`conversations/${document.title.replaceAll("-", "")}`));
      });
      const events = Object.keys(files).filter((name) => /^events\/event-0000\d-[0-9a-f-]{36}\.json$/.test(name));
      assert.equal(events.length, 3);
      assert.match(files[events.sort().at(-1)], /Hello, you\./);
      assert.equal(JSON.parse(files["base_state.json"]).execution_status, "finished");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
