// Large values on a full disk: Firefox stores them as files of their own, and completed transactions without those that had no room.
// Chromium refuses every new row then, also the notes of a deletion.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";

const megabytes = 24;

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a commit with a large file is stored whole or not at all, and room can be made`, async () => {
    const browser = await launch(kind, { preferences: { "dom.quotaManager.temporaryStorage.fixedLimit": megabytes << 10 } });
    try {
      const url = `${server.origin}/pages/blank.html`;
      const page = await browser.page(url);
      if (kind === "chromium") {
        const session = await page.createCDPSession();
        await session.send("Storage.overrideQuotaForOrigin", { origin: server.origin, quotaSize: megabytes << 20 });
        // The protocol has a say from the next page on.
        await page.goto(url);
      }
      const { code, stored, files, length, content } = await page.evaluate(fillWithFiles);
      assert.equal(code, "store_quota");
      assert.ok(stored > 3, `${stored} commits`);
      assert.deepEqual([files, length, content], [stored, stored, true]);
      assert.deepEqual(await page.evaluate(makeRoom, kind === "chromium"), []);
    } finally {
      await browser.close();
    }
  });
}

/** Commits an event and a file of a mebibyte at a time, until there is no room. */
async function fillWithFiles() {
  const { indexedDBStore } = await import("/threadkeep/index.js");
  const store = indexedDBStore("large");
  const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const noise = new Uint8Array(1 << 20);
  for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
  let stored = 0;
  let code;
  while (code === undefined) {
    const event = { id: `${String(stored).padStart(8, "0")}-0000-4000-8000-000000000000`, json: "{}" };
    const content = noise.slice();
    content[0] = stored;
    const commit = {
      expectedLength: stored,
      events: [event],
      files: [{ path: `workspace/${stored}`, content }],
      at: stored,
      durability: "relaxed",
    };
    await store.commit(id, { ...commit, baseState: JSON.stringify({ id, n: stored }) }).then(
      () => stored++,
      (error) => (code = error.code),
    );
  }
  const paths = await store.files(id);
  const contents = await Promise.all(paths.map((path) => store.readFile(id, path)));
  const { length, baseState } = await store.load(id);
  const isWhole = contents.every((content, n) => content?.length === 1 << 20 && content[0] === Number(paths[n].slice(10)));
  return { code, stored, files: paths.length, length, content: isWhole && JSON.parse(baseState).n === stored - 1 };
}

/** Deletes the conversation; `fillsUp` leaves no room for a row before. */
async function makeRoom(fillsUp) {
  const { Conversation, indexedDBStore } = await import("/threadkeep/index.js");
  const store = indexedDBStore("large");
  const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const other = indexedDBStore("other");
  const noise = (size) => Uint8Array.from({ length: size }, () => Math.random() * 256);
  for (let size = 1 << 19, n = 0; fillsUp && size >= 512; n++) {
    const commit = { expectedLength: 0, events: [], files: [{ path: `${n}`, content: noise(size) }], at: 0, durability: "relaxed" };
    await other.commit("1f8fad5b-d9cb-469f-a165-70867728950e", commit).catch(() => (size /= 2));
  }
  await Conversation.delete(id, { store });
  const left = (await store.list()).map(({ conversation }) => conversation);
  // Room comes a moment later.
  const { until } = await import("/support/until.mjs");
  const commit = { expectedLength: 0, events: [], baseState: JSON.stringify({ id }), files: [], at: 0, durability: "relaxed" };
  let failure;
  const isStored = () =>
    store.commit(id, commit).then(
      () => true,
      ({ code }) => void (failure = code),
    );
  await until(isStored, "there is room again", { seen: () => failure });
  return left;
}
