// A conversation with more files than the short form of a zip directory can count: see leaving.test.mjs.
import assert from "node:assert/strict";
import { conversation, folder, id } from "./conversation.mjs";
import { archiveLibrary } from "./library.mjs";
import { zip } from "./zip-bytes.mjs";

const { importZip, exportZip, memoryStore } = await archiveLibrary();

/** Imports, exports and imports a conversation with `count` files beside its events. */
export async function goInAndOut(count) {
  const tiny = Array.from({ length: count }, (_, n) => ({ name: `${folder}/observations/${n}.txt`, content: String(n), method: 0 }));
  const archive = zip([...conversation(1), ...tiny], { zip64: true });
  const store = memoryStore();
  await importZip(archive, store);
  const again = await (await exportZip(store, id)).arrayBuffer();
  const copy = memoryStore();
  await importZip(again, copy);
  // More than the short form can count.
  assert.equal(Buffer.from(again).readUInt16LE(again.byteLength - 12), 0xffff);
  assert.equal((await copy.files(id)).length, count);
  assert.equal(new TextDecoder().decode(await copy.readFile(id, `observations/${count - 1}.txt`)), `${count - 1}`);
}
