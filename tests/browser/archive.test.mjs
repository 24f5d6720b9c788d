// Zip archives in a page, with IndexedDB, under a policy that allows no workers and no evaluated code.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { conversation, eventPath, folder, id } from "../archive/conversation.mjs";
import { unzip, zip } from "../archive/zip-bytes.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers } from "./driver.mjs";
import { tabs } from "./shared.mjs";

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
      const result = await browser.evaluate(importAndExport, { id, good: zip(entries).toString("base64"), damaged: damaged.toString("base64") });
      assert.match(result.refused, /^archive_invalid entry .*event-00070-.* cannot be unpacked/);
      assert.deepEqual(result.afterRefusal, []);
      assert.deepEqual(result.imported, [{ id, outcome: "created", eventCount: 150, warnings: [] }]);
      assert.equal(result.again, "up_to_date");
      assert.equal(result.access, "writer");
      const exported = new Map((await unzip(Buffer.from(result.exported, "base64"))).map(({ name, content }) => [name, content.toString()]));
      for (const { name, content } of entries) {
        if (!name.endsWith("base_state.json")) assert.equal(exported.get(name), content ?? "", name);
      }
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

async function importAndExport({ id, good, damaged }) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const store = indexedDBStore("archives");
  const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const refused = await Conversation.importZip(bytes(damaged), { store }).then(() => "imported", (error) => `${error.code} ${error.message}`);
  const afterRefusal = await Conversation.list(store);
  const imported = await Conversation.importZip(new Blob([bytes(good)]), { store });
  const [{ outcome: again }] = await Conversation.importZip(bytes(good), { store });
  const opened = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/none" }) }), conversationId: id, store });
  const { access } = opened;
  const blob = await opened.exportZip();
  await opened.close();
  const binary = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join("");
  return { refused, afterRefusal, imported, again, access, exported: btoa(binary) };
}
