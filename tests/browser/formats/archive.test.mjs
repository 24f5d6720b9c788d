// Zip archives in a page, with IndexedDB, under a policy that allows no workers and no evaluated code.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { conversation, eventPath, folder, id } from "../../support/archive-entries.mjs";
import { unzip, zip } from "../../support/zip-bytes.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a conversation goes through IndexedDB and leaves with the same event files`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/strict.html`);
      const entries = [...conversation(150), { name: `${folder}/observations/terminal_output_1a2b3c4d.txt`, content: "out" }];
      const damaged = zip(entries.map((one) => (one.name === eventPath(70) ? { ...one, crc: 7 } : one)));
      const result = await browser.evaluate(importAndExport, {
        id,
        good: zip(entries).toString("base64"),
        damaged: damaged.toString("base64"),
      });
      assert.match(result.refused, /^archive_invalid entry .*event-00070-.* cannot be unpacked/);
      assert.deepEqual(result.afterRefusal, []);
      assert.deepEqual(result.imported, [{ id, outcome: "created", eventCount: 150, warnings: [] }]);
      assert.equal(result.again, "up_to_date");
      assert.equal(result.access, "writer");
      const exported = new Map(
        (await unzip(Buffer.from(result.exported, "base64"))).map(({ name, content }) => [name, content.toString()]),
      );
      for (const { name, content } of entries) {
        if (!name.endsWith("base_state.json")) assert.equal(exported.get(name), content ?? "", name);
      }
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: many further files leave complete, in groups that are read at once`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/strict.html`);
      const { exported, withWorkspace, stored, transactions } = await browser.evaluate(exportFiles);
      const files = async (base64) => {
        const entries = await unzip(Buffer.from(base64, "base64"));
        return new Map(
          entries.filter(({ name }) => !/\/$|base_state|events/.test(name)).map(({ name, content }) => [name.slice(33), content]),
        );
      };
      const found = await files(exported);
      // One that was removed after the export had begun is left out, and those around it are not mixed up.
      const paths = stored.filter((path) => path !== "notes/20.txt" && !path.startsWith("workspace/"));
      assert.deepEqual([...found.keys()].sort(), paths.sort());
      for (const path of paths.filter((path) => !path.endsWith(".bin"))) assert.equal(found.get(path).toString(), path);
      assert.equal(found.get("large.bin").length, 3 << 20);
      assert.deepEqual([...(await files(withWorkspace)).keys()].sort(), [...paths, "workspace/a/1.txt", "workspace/a/2.txt"].sort());
      assert.ok(transactions < 30, `${transactions} transactions for ${stored.length} files`);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Exports a conversation with files in every order: names of which the database sorts some otherwise than the library, and a large file. */
async function exportFiles() {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const store = indexedDBStore("many-files");
  const agent = new Agent({ llm: new LLM({ model: "openai/none" }) });
  const { id, state } = await Conversation.open({ agent, store });
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  // Not compressible, so that the first block is full and the export stands still after it.
  const block = numbers.flatMap(() => Array.from(crypto.getRandomValues(new Uint8Array(600))));
  const paths = [
    "large.bin",
    "uff\uff5e.txt",
    "uff\u{1f600}.txt",
    "workspace/a/1.txt",
    "workspace/a/2.txt",
    "zz.txt",
    ...numbers.map((n) => `notes/${n}.txt`),
  ];
  const files = paths.map((path) => ({ path, content: path === "large.bin" ? new Uint8Array(3 << 20) : new TextEncoder().encode(path) }));
  const baseState = JSON.stringify(state);
  const commit = (files) => store.commit(id, { expectedLength: 0, events: [], baseState, files, at: Date.now(), durability: "relaxed" });
  await commit([...files, { path: "first.bin", content: new Uint8Array(block) }]);
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  let transactions = 0;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...args) {
    transactions++;
    return transaction.apply(this, args);
  };
  const reader = conversation.exportZipStream().getReader();
  const blocks = [(await reader.read()).value];
  await commit([{ path: "notes/20.txt", content: null }]);
  for (let next = await reader.read(); !next.done; next = await reader.read()) blocks.push(next.value);
  IDBDatabase.prototype.transaction = transaction;
  const base64 = async (blob) => btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
  const exported = await base64(new Blob(blocks));
  const withWorkspace = await base64(await conversation.exportZip({ workspace: true }));
  await conversation.close();
  return { exported, withWorkspace, stored: [...paths, "first.bin"], transactions };
}

async function importAndExport({ id, good, damaged }) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const store = indexedDBStore("archives");
  const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const refused = await Conversation.importZip(bytes(damaged), { store }).then(
    () => "imported",
    (error) => `${error.code} ${error.message}`,
  );
  const afterRefusal = await Conversation.list({ store });
  const imported = await Conversation.importZip(new Blob([bytes(good)]), { store });
  const [{ outcome: again }] = await Conversation.importZip(bytes(good), { store });
  const opened = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/none" }) }), conversationId: id, store });
  const { access } = opened;
  const blob = await opened.exportZip();
  await opened.close();
  const binary = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
  return { refused, afterRefusal, imported, again, access, exported: btoa(binary) };
}
