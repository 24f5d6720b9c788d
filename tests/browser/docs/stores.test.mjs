// The store of one's own in examples/own-store: it passes the suite, and an agent works on it in a worker.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { createModel } from "../../support/model.mjs";
import { appOf } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const files = Object.fromEntries(
  ["opfs-store.js", "worker.js", "page.js", "suite.js"].map((name) => [
    name,
    readFileSync(path.join(root, "examples/own-store", name), "utf8"),
  ]),
);
const html = `<!doctype html><meta charset="utf-8"><title>store</title><script type="module" src="/app/page.js"></script>`;

let server;
let model;
before(async () => {
  const reporting = files["suite.js"].replace(/for \(const .*\n/, "postMessage(reports);\n");
  const app = await appOf({ ...files, "suite.js": reporting }, ["page.js", "worker.js", "suite.js"]);
  model = createModel(({ messages }) => ({ text: messages.length > 3 ? "Hello again." : "Hello from the worker." }));
  server = await startServer({
    model,
    mounts: { "/app/": app, "/chat": (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true) },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the store passes the suite`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const reports = await browser.evaluate(
        () =>
          new Promise((resolve, reject) => {
            const worker = new Worker("/app/suite.js", { type: "module" });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = (event) => reject(new Error(event.message));
          }),
      );
      assert.ok(reports.length > 40);
      assert.deepEqual(
        reports.filter(({ failure }) => failure !== undefined),
        [],
      );
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: a conversation in a worker goes on after a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/chat`);
      await untilIn(tab, "the address has the conversation", () => location.hash.length > 1);
      assert.equal(await browser.evaluate(() => document.body.textContent), "Hello from the worker.");
      await tab.reload();
      await untilIn(tab, "it says hello again", () => document.body?.textContent === "Hello again.");
      assert.equal(model.requests.at(-1).body.messages.filter(({ role }) => role === "user").length, 2);
    } finally {
      await browser.close();
    }
  });
}
