// Imports and exports that are stopped by a signal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, event, id } from "../support/archive-entries.mjs";
import { archiveLibrary } from "./library.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, exportZipStream, memoryStore } = await archiveLibrary();

test("an import that is aborted, wherever it is, leaves the store as it was", async () => {
  const entries = conversation(40).map((one, n) => (n < 3 ? one : { ...one, content: event(n - 3, "x".repeat(300_000)) }));
  const archive = new Blob([zip(entries)]);
  const store = memoryStore();
  let reports = 0;
  await importZip(archive, memoryStore(), { onProgress: () => reports++ });
  assert(reports > 10);
  const why = new Error("changed my mind");
  for (let at = 0; at < reports; at++) {
    const controller = new AbortController();
    let count = 0;
    const onProgress = () => count++ === at && controller.abort(why);
    const imported = await importZip(archive, store, { onProgress, signal: controller.signal }).catch((error) => error);
    if (Array.isArray(imported)) {
      // Everything was stored before the last report.
      assert.equal(at, reports - 1);
      await store.delete(id);
    } else {
      assert.deepEqual([imported.code, imported.cause], ["aborted", why]);
    }
    assert.deepEqual(await store.list(), []);
    assert.deepEqual(await store.events(id, 0, 99), []);
  }
  await assert.rejects(importZip(archive, store, { signal: AbortSignal.abort() }), { name: "ThreadkeepError", code: "aborted" });
  // Nobody holds it any more.
  assert.equal((await importZip(archive, store))[0].outcome, "created");
});

test("an export that is aborted fails, also while it is read", async () => {
  const store = memoryStore();
  await importZip(zip(conversation(30)), store);
  const controller = new AbortController();
  const onProgress = ({ done }) => done === 10 && controller.abort();
  await assert.rejects(exportZip(store, id, { onProgress, signal: controller.signal }), { code: "aborted" });
  await assert.rejects(exportZipStream(store, id, { signal: controller.signal }).getReader().read(), { code: "aborted" });
  assert.throws(() => exportZipStream(store, id, { signal: 7 }), { code: "invalid_options" });
  assert.equal((await unzip(await (await exportZip(store, id)).arrayBuffer())).length, 33);
});
