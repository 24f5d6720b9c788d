// Archives that somebody built to do harm, or that were damaged on the way: each is refused with a code, an entry
// and a reason, and what is stored stays as it was.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { archiveLibrary } from "./library.mjs";
import { baseState, conversation, entry, event, eventPath, folder, id } from "../support/archive-entries.mjs";
import { measuredImport, withTemporaryFolder } from "./measured.mjs";
import { deflatedZeros, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, memoryStore, ThreadkeepError } = await archiveLibrary();
const remaining = "1f8fad5b-d9cb-469f-a165-70867728950e";

async function refused(bytes, code, pattern) {
  const store = memoryStore();
  await importZip(zip(conversation(2, remaining)), store);
  const before = await exported(store, remaining);
  await assert.rejects(importZip(bytes, store), (error) => {
    assert(error instanceof ThreadkeepError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
  assert.deepEqual(await exported(store, remaining), before);
  await assert.rejects(exportZip(store, id), { code: "not_found" });
}

async function exported(store, id) {
  return Buffer.from(await (await exportZip(store, id)).arrayBuffer());
}

const plain = () => conversation(3);
const extra = (more) => zip([...plain(), { name: `${folder}/extra`, content: "x", ...more }]);
const event1 = (more) => {
  const entries = plain();
  Object.assign(entry(entries, eventPath(1)), more);
  return zip(entries);
};
const bomb = Buffer.alloc(100 << 20);

const cases = {
  "not a zip": [Buffer.from("%PDF-1.7 ".repeat(100)), /zip archive/],
  "nothing at all": [Buffer.alloc(0), /zip archive/],
  "a page of HTML": [new Blob(["<!doctype html><title>404</title>".repeat(50)]), /zip archive/],
  "an empty zip": [zip([]), /no files|zip archive/],
  "cut off in the middle": [zip(plain()).subarray(0, 500), /zip archive/],
  "without its beginning": [zip(plain()).subarray(300), /zip archive|unpacked/],
  "two archives and further bytes": [Buffer.concat([zip(conversation(2)), zip(plain()), Buffer.alloc(9)]), /several ends/],
  "more bytes after it than a comment has": [Buffer.concat([zip(plain()), Buffer.alloc(70_000)]), /no end record/],
  "one disk of several": [zip(plain(), { disk: 1 }), /[Ss]plit/],
  "fewer entries than it counts": [zip(plain(), { count: 9 }), /another number of entries/],
  "more entries than it counts": [zip(plain(), { count: 2 }), /another number of entries/],
  "more entries than it counts, in 64 bits": [zip(plain(), { count: 2, zip64: true }), /another number of entries/],
  "another method in its own header": [extra({ localMethod: 0 }), /extra.*another compression method/],
  "settings of 100 MB": [zip([...plain(), { name: `${folder}/meta.json`, content: bomb }]), /meta\.json.*allowed for settings/],
  "a path that climbs": [zip([...plain(), { name: "../../.bashrc", content: "x" }]), /\.\.\/\.\.\/\.bashrc/],
  "an absolute path": [zip([...plain(), { name: "/etc/passwd", content: "x" }]), /\/etc\/passwd/],
  "a path for Windows that climbs": [zip([...plain(), { name: `${folder}\\..\\x`, content: "x" }]), /"\.\." part/],
  "a drive letter": [zip([...plain(), { name: "C:/x", content: "x" }]), /C:\/x/],
  "a NUL in a name": [zip([...plain(), { name: `${folder}/a\0b`, content: "x" }]), /control character/],
  "two names for one entry": [extra({ localName: `${folder}/extrb` }), /extra.*another name/],
  "a name twice": [zip([...plain(), { name: eventPath(1), content: event(1) }]), /event-00001.*twice/],
  "neither a base state nor events": [
    zip([{ name: `${folder}/TASKS.json`, content: "[]" }]),
    new RegExp(`no base_state.json in ${folder}`),
  ],
  "a symbolic link": [extra({ attributes: 0o120777 * 0x10000 }), /extra.*symbolic link/],
  encrypted: [extra({ flags: 0x801 }), /extra.*encrypted/],
  "a method nobody has": [extra({ method: 99 }), /extra.*method 99|encrypted/],
  bzip2: [extra({ method: 12 }), /extra.*method 12/],
  "a wrong checksum": [event1({ crc: 7 }), /event-00001.*CRC/i],
  "garbage for packed data": [event1({ packed: Buffer.from([255, 254, 253, 252, 1, 2, 3]) }), /event-00001/],
  "packed data that ends early": [event1({ packed: deflateRawSync(event(1)).subarray(0, 40) }), /event-00001/],
  "longer than it says": [event1({ size: 10 }), /event-00001/],
  "shorter than it says": [event1({ size: 1000 }), /event-00001/],
  "two entries over the same bytes": [overlapping(), /verlap/],
  "an entry outside of the archive": [extra({ offset: 0x7ffffff0 }), /extra/],
  "an entry over 128 MB": [extra({ size: 200 << 20 }), /extra.*bytes/],
  "a bomb that says so": [bombs(30), /bomb|more than/],
  "a bomb that says it is small": [extra({ size: 10, packed: deflateRawSync(bomb) }), /extra/],
  "text that is not UTF-8": [event1({ content: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }), /event-00001.*UTF-8/],
};

for (const [what, [bytes, pattern]] of Object.entries(cases)) {
  test(`${what} is refused`, () => refused(bytes, "archive_invalid", pattern));
}

test("a base state of another conversation is refused", async () => {
  const entries = plain();
  entry(entries, `${folder}/base_state.json`).content = baseState(remaining);
  await refused(zip(entries), "archive_invalid", new RegExp(`${folder}/base_state.json`));
});

test("a bomb does not fill the memory before it is refused", async () => {
  await withTemporaryFolder(async (directory) => {
    const file = path.join(directory, "bomb.zip");
    const packed = await deflatedZeros(600 << 20);
    await writeFile(file, zip([...conversation(1), { name: `${folder}/x`, packed, size: 1000 }]));
    const { refused, peak } = await measuredImport(file);
    assert.match(refused, /x cannot be unpacked/);
    assert(peak < 300 << 20, `${peak >> 20} MB`);
  });
});

test("arguments that are no archive are refused with invalid_options", async () => {
  for (const wrong of [undefined, null, "zip", 7, {}, [1, 2]]) {
    await assert.rejects(importZip(wrong, memoryStore()), { code: "invalid_options" });
  }
  for (const wrong of [{ onProgress: "no function" }, { signal: "no signal" }]) {
    await assert.rejects(importZip(zip(plain()), memoryStore(), wrong), { code: "invalid_options" });
  }
});

/** The second entry lies in the stored bytes of the first. */
function overlapping() {
  const inner = { name: `${folder}/inner`, content: "x" };
  const outer = { name: `${folder}/outer`, method: 0, content: zip([inner]) };
  const offset = zip([...plain(), outer]).indexOf(outer.content);
  return zip([...plain(), outer, { ...inner, inside: true, offset }]);
}

function bombs(count) {
  const packed = deflateRawSync(bomb);
  const crc = 0;
  return zip([...plain(), ...Array.from({ length: count }, (_, n) => ({ name: `${folder}/${n}`, packed, crc, size: bomb.length }))]);
}
