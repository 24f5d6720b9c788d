// Imports and exports beside what else a page does: its locks, its stores, and crashes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, id } from "../support/archive-entries.mjs";
import { storeWith } from "../support/store-with.mjs";
import { archiveLibrary } from "./library.mjs";
import { zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, written, memoryStore, coreStore, lockConversation, importArchive, loadChunk } = await archiveLibrary();

/** A store that does as `store`, but calls `before` ahead of each commit. */
function watched(store, before) {
  return storeWith(store, { commit: (...args) => Promise.resolve(before()).then(() => store.commit(...args)) });
}

async function isFree(store) {
  const lock = await lockConversation(id, await coreStore(store));
  await lock?.release();
  return lock !== undefined;
}

test("a locked conversation is not changed by an import, and can be imported once it is released", async () => {
  const store = memoryStore();
  await importZip(zip(conversation(3)), store);
  const lock = await lockConversation(id, await coreStore(store));
  await assert.rejects(importZip(zip(conversation(5)), store), { code: "locked_elsewhere", message: /is open elsewhere/ });
  assert.equal((await importZip(zip(conversation(2)), store))[0].outcome, "up_to_date");
  await lock.release();
  assert.equal((await importZip(zip(conversation(5)), store))[0].outcome, "continued");
});

test("an import locks the conversation, and releases it at its end and when it fails", async () => {
  const held = [];
  const store = watched(memoryStore(), async () => held.push(!(await isFree(store))));
  await importZip(zip(conversation(3)), store);
  assert(held.length > 0 && held.every(Boolean));
  assert(await isFree(store));
  const failing = watched(memoryStore(), () => Promise.reject(Object.assign(new Error("full"), { code: "store_quota" })));
  await assert.rejects(importZip(zip(conversation(3)), failing), { code: "store_quota" });
  assert(await isFree(failing));
});

test("an error of a host's store is reported once", async () => {
  const corrupt = watched(memoryStore(), () =>
    Promise.reject(Object.assign(new Error("the store cannot be read: row 7"), { code: "store_corrupt" })),
  );
  await assert.rejects(importZip(zip(conversation(3)), corrupt), { code: "store_corrupt", message: "the store cannot be read: row 7" });
  const closed = memoryStore();
  closed.close();
  await assert.rejects(importZip(zip(conversation(3)), closed), { code: "invalid_state" });
});

// Last, because nothing can be done after it.
test("a crash rejects every open promise, of archives too, because all chunks share one memory", async () => {
  await loadChunk("formats");
  const hostile = {
    size: 1,
    nextEntries: async () => ({
      get numbers() {
        throw new Error("a crash on purpose");
      },
    }),
  };
  const crash = () => importArchive({ source: hostile, store: {}, claim: () => true, now: 0, onProgress: () => {} }).catch(() => {});
  const store = memoryStore();
  const dying = watched(store, () => {
    void crash();
    return new Promise(() => {});
  });
  const crashed = { code: "internal", message: /threadkeep crashed; reload the page/ };
  await assert.rejects(importZip(zip(conversation(3)), dying), crashed);
  await assert.rejects(exportZip(store, id), crashed);
  await assert.rejects(written(store, id, "message"), crashed);
  await assert.rejects(store.list(), crashed);
});
