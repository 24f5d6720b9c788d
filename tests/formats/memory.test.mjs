// Memory is bounded by the largest event, not by the conversation: 200 MB go in and out with a small heap.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { conversation, eventId, eventPath, id } from "../support/archive-entries.mjs";
import { measuredImport, withTemporaryFolder } from "./measured.mjs";
import { zip } from "../support/zip-bytes.mjs";

const megabyte = 1 << 20;

test("a conversation of 200 MB goes in and out with little more than the store's own copy in memory", async () => {
  await withTemporaryFolder(async (directory) => {
    const file = path.join(directory, "large.zip");
    await writeLarge(file, 100, 2 * megabyte);
    const to = path.join(directory, "exported.zip");
    const { imported, refused, peak, held } = await measuredImport(file, id, to);
    assert.equal(refused, undefined);
    assert.equal(imported[0].eventCount, 100);
    assert.deepEqual((await readFile(to)).subarray(0, 4), Buffer.from("PK\x03\x04"));
    // The memory store keeps the text once in the wasm.
    assert(held < 260 * megabyte, `the wasm has ${held / megabyte} MB`);
    // Less than a second copy; a busy machine collects garbage late.
    assert(peak - held < 200 * megabyte, `${(peak - held) / megabyte} MB beside the store`);
  });
});

test("one event of 120 MB goes in with four copies of it in memory at most", async () => {
  await withTemporaryFolder(async (directory) => {
    const file = path.join(directory, "one.zip");
    await writeLarge(file, 1, 120 * megabyte);
    const { imported, refused, peak } = await measuredImport(file);
    assert.equal(refused, undefined);
    assert.equal(imported[0].eventCount, 1);
    // Node itself has some sixty. A string of it would be one copy more.
    assert(peak < 560 * megabyte, `${peak / megabyte} MB`);
  });
});

/** An archive of `count` events of `size` bytes each, half of each packing badly. */
async function writeLarge(file, count, size) {
  const events = Array.from({ length: count }, (_, index) => {
    const text = randomBytes(size / 8).toString("hex") + " ".repeat(size - size / 4);
    const content = `{"id":"${eventId(index)}","kind":"MessageEvent","text":"${text}"}`;
    // Packed here, so that only the packed bytes are held for all of them.
    return { name: eventPath(index), packed: deflateRawSync(content, { level: 1 }), size: content.length, crc: crc32(content) };
  });
  const handle = await open(file, "w");
  await handle.writeFile(zip([...conversation(0), ...events]));
  await handle.close();
}
