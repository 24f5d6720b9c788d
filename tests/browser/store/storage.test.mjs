// The storage of an origin in real browsers: their own numbers, their promise to keep it, and where neither is to be had.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, noPlainHost, plainHost } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: stores a conversation of some bytes in events and in a file. */
async function store(title, bytes) {
  const { indexedDBStore } = await import("/threadkeep/index.js");
  const id = crypto.randomUUID();
  const content = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(content.subarray(at, Math.min(bytes, at + 65_536)));
  await indexedDBStore().commit(id, {
    expectedLength: 0,
    events: Array.from({ length: 100 }, () => ({ id: crypto.randomUUID(), json: `{"kind":"X","text":"${"ü".repeat(1000)}"}` })),
    baseState: JSON.stringify({ id, tags: { title } }),
    files: [
      { path: "workspace/large", content },
      { path: "workspace/small", content: content.slice(0, 1) },
    ],
    at: Date.now(),
    durability: "strict",
  });
  return id;
}

const status = async (options) => (await import("/threadkeep/index.js")).storageStatus(options);
const request = async () => (await import("/threadkeep/index.js")).requestPersistence();

for (const kind of availableBrowsers) {
  test(`${kind}: the storage of an origin has the numbers of the browser and its promise to keep it`, async (context) => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);

      await context.test("the conversations of the database, with their sizes and the browser's numbers", async () => {
        const [small, large] = [await page.evaluate(store, "Small", 1_000), await page.evaluate(store, "Large", 3_000_000)];
        const { persisted, usage, quota, conversations } = await page.evaluate(status);
        assert.equal(persisted, false);
        assert.ok(usage > 3_000_000, `${usage} bytes`);
        assert.ok(quota > usage, `${quota} bytes`);
        const [baseStateBytes, eventBytes] = [JSON.stringify({ id: small, tags: { title: "Small" } }).length, 100 * 2_022];
        const size = (id, title, fileBytes) => {
          return { id, title, bytes: baseStateBytes + eventBytes + fileBytes, eventBytes, fileBytes, baseStateBytes };
        };
        assert.deepEqual(conversations, [size(large, "Large", 3_000_001), size(small, "Small", 1_001)]);
      });

      await context.test("a worker is told the same, and can ask for nothing", async () => {
        const told = await page.evaluate(
          () =>
            new Promise((resolve, reject) => {
              const code = `
                const { requestPersistence, storageStatus } = await import("${location.origin}/threadkeep/index.js");
                postMessage({ isKept: await requestPersistence(), status: await storageStatus() });`;
              const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
              worker.onmessage = ({ data }) => resolve(data);
              worker.onerror = ({ message }) => reject(new Error(message));
            }),
        );
        assert.deepEqual([told.isKept, told.status.persisted, told.status.conversations.length], [false, false, 2]);
      });

      await context.test("the browser is asked to keep it, and says what it has answered", async () => {
        if (kind === "chromium") {
          // Chromium decides by how often the user has come, also in a browser with other tests.
          assert.equal(typeof (await page.evaluate(request)), "boolean");
          await page.browserContext().overridePermissions(server.origin, ["persistent-storage"]);
        }
        // WebKit decides alone, and keeps no site that nobody has come to before.
        const answer = kind !== "webkit";
        assert.equal(await page.evaluate(request), answer);
        assert.equal((await page.evaluate(status, { conversations: false })).persisted, answer);
        assert.equal(await page.evaluate(request), answer);
      });

      const skip = noPlainHost(kind);
      await context.test("a page that is no secure context gets the sizes without the browser's numbers", { skip }, async () => {
        const plain = await browser.page(`http://${plainHost}:${new URL(server.origin).port}/pages/blank.html`);
        assert.equal(await plain.evaluate(request), false);
        const { conversations, ...numbers } = await plain.evaluate(status);
        assert.deepEqual([conversations, numbers], [[], { persisted: null, usage: null, quota: null }]);
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
