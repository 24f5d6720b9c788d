// Archives of every make that hold a conversation, and the archives that the library makes itself.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { archiveLibrary } from "./library.mjs";
import { baseState, conversation, entry, event, eventPath, folder, id } from "../support/archive-entries.mjs";
import { withTemporaryFolder } from "./measured.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, exportZipStream, memoryStore } = await archiveLibrary();
const python = spawnSync("python3", ["--version"]).status === 0;

/** The files of a conversation after an import: what an export holds. */
async function filesAfter(bytes, store = memoryStore()) {
  const [imported] = await importZip(bytes, store);
  assert.equal(imported.outcome, "created");
  const entries = await unzip(await (await exportZip(store, id)).arrayBuffer());
  return Object.fromEntries(entries.map(({ name, content }) => [name, content.toString()]));
}

function filesOf(entries) {
  return Object.fromEntries(entries.map(({ name, content }) => [name, content ?? ""]));
}

const stored = conversation(4).map((one) => ({ ...one, method: 0 }));
const makes = {
  deflated: zip(conversation(4)),
  stored: zip(stored),
  "with data descriptors": zip(conversation(4).map((one) => (one.name.endsWith("/") ? one : { ...one, descriptor: true }))),
  "in zip64": zip(
    conversation(4).map((one) => ({ ...one, zip64: true })),
    { zip64: true },
  ),
  "with a comment": zip(conversation(4), { comment: "exported by hand" }),
  "with a line end after it": Buffer.concat([zip(conversation(4)), Buffer.from("\r\n")]),
  "with further bytes after it": Buffer.concat([zip(conversation(4), { comment: "PK" }), Buffer.alloc(60_000, "PK\x05")]),
  "with a program in front": zip(conversation(4), { prefix: Buffer.from("#!/bin/sh\nexit\n") }),
  "without directory entries": zip(conversation(4).filter(({ name }) => !name.endsWith("/"))),
  "in another order": zip(conversation(4).reverse()),
  "in a folder around it": zip(conversation(4).map((one) => ({ ...one, name: `conversations/${one.name}` }))),
  "without its folder": zip(
    conversation(4)
      .map((one) => ({ ...one, name: one.name.replace(`${folder}/`, "") }))
      .filter(({ name }) => name),
  ),
  "from a Mac": zip([
    ...conversation(4),
    { name: `__MACOSX/${folder}/._base_state.json`, content: "junk" },
    { name: `${folder}/.DS_Store`, content: "junk" },
  ]),
};

for (const [make, bytes] of Object.entries(makes)) {
  test(`an archive ${make} is imported, and its event files leave byte for byte`, async () => {
    assert.deepEqual(await filesAfter(bytes), filesOf(conversation(4)));
  });
}

test("bytes may come as a Blob, an ArrayBuffer, a Uint8Array, or a view of part of one", async () => {
  const bytes = zip(conversation(2));
  const within = new Uint8Array(bytes.length + 20);
  within.set(bytes, 7);
  const forms = [new Blob([bytes]), new Uint8Array(bytes), new Uint8Array(bytes).buffer, within.subarray(7, 7 + bytes.length)];
  for (const form of forms) assert.deepEqual(await filesAfter(form), filesOf(conversation(2)));
});

test("archives of Python's zipfile are imported, and it reads exported ones", { skip: !python && "there is no python3" }, async () => {
  await withTemporaryFolder(async (directory) => {
    const file = path.join(directory, "python.zip");
    execFileSync(
      "python3",
      [
        "-c",
        `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in json.load(sys.stdin):
        archive.writestr(name, content)
`,
        file,
      ],
      { input: JSON.stringify(conversation(12).map(({ name, content }) => [name, content ?? ""])) },
    );
    const store = memoryStore();
    await importZip(await readFile(file), store);
    const exported = path.join(directory, "exported.zip");
    await writeFile(exported, Buffer.from(await (await exportZip(store, id)).arrayBuffer()));
    const seen = execFileSync(
      "python3",
      [
        "-c",
        `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps([[i.filename, archive.read(i).decode(), i.compress_type, i.is_dir()] for i in archive.infolist()]))
`,
        exported,
      ],
      { encoding: "utf8" },
    );
    const entries = JSON.parse(seen);
    assert.deepEqual(Object.fromEntries(entries.map(([name, content]) => [name, content])), filesOf(conversation(12)));
    for (const [name, content, method, isDirectory] of entries) {
      assert.equal(isDirectory, name.endsWith("/"));
      if (content) assert.equal(method, 8, name);
    }
  });
});

test("an export is the same each time, and dated by the conversation's last change", async () => {
  const store = memoryStore();
  const begun = Date.now();
  await importZip(zip(conversation(3)), store);
  const first = Buffer.from(await (await exportZip(store, id)).arrayBuffer());
  const second = Buffer.from(await (await exportZip(store, id)).arrayBuffer());
  assert.deepEqual(first, second);
  const dates = (await unzip(first)).map(({ date }) => date.getTime());
  // Zip dates have a step of two seconds.
  for (const date of dates) assert(date > begun - 2000 && date < Date.now() + 2000, new Date(date).toISOString());
});

test("an exported conversation is idle, has its own persistence folder, and holds no secret", async () => {
  const entries = conversation(1);
  const state = entry(entries, `${folder}/base_state.json`);
  state.content = state.content
    .replace("idle", "running")
    .replace(`mine/${folder}`, "/home/ann/conversations")
    .replace('"model":"m"', '"model":"m","api_key":"sk-very-secret"');
  const store = memoryStore();
  const [{ warnings }] = await importZip(zip(entries), store);
  assert.match(warnings.join(), /agent\.llm\.api_key/);
  const blob = await exportZip(store, id);
  assert.equal(blob.type, "application/zip");
  const [exported] = (await unzip(await blob.arrayBuffer())).filter(({ name }) => name.endsWith("base_state.json"));
  assert.equal(
    exported.content.toString(),
    baseState()
      .replace("idle", "paused")
      .replace("mine/", "workspace/conversations/")
      .replace('"model":"m"', '"model":"m","api_key":"**********"'),
  );
});

test("an archive of several conversations is imported, and a longer archive continues its conversation", async () => {
  const other = "1f8fad5b-d9cb-469f-a165-70867728950e";
  const store = memoryStore();
  const outcomes = async (entries) => (await importZip(zip(entries), store)).map(({ outcome, eventCount }) => [outcome, eventCount]);
  assert.deepEqual(await outcomes([...conversation(3), ...conversation(2, other)]), [
    ["created", 3],
    ["created", 2],
  ]);
  assert.deepEqual(await outcomes([...conversation(5), ...conversation(1, other)]), [
    ["continued", 5],
    ["up_to_date", 2],
  ]);
  const elsewhere = conversation(6);
  entry(elsewhere, eventPath(4)).content = event(4, "another turn");
  await assert.rejects(importZip(zip(elsewhere), store), {
    code: "invalid_state",
    message: /event 4 of the archive has the id of a stored one/,
  });
});

test("a torn last event costs that event only", async () => {
  const entries = conversation(4);
  entry(entries, eventPath(3)).content = event(3).slice(0, 50);
  const store = memoryStore();
  const [imported] = await importZip(zip(entries), store);
  assert.equal(imported.eventCount, 3);
  assert.match(imported.warnings[0], /event-00003.*quarantine/);
});

test("progress rises to its total, in bytes on the way in and in files on the way out", async () => {
  const store = memoryStore();
  const seen = [];
  const onProgress = (progress) => seen.push(progress);
  // More than is unpacked at once.
  const entries = conversation(20).map((one, n) => (n < 3 ? one : { ...one, content: event(n - 3, "x".repeat(300_000)) }));
  await importZip(zip(entries), store, { onProgress });
  const imported = seen.splice(0);
  await exportZip(store, id, { onProgress });
  for (const [list, unit, least] of [
    [imported, "bytes", 6],
    [seen, "files", 20],
  ]) {
    const { total } = list[0];
    assert(list.length >= least && list.at(-1).done === total && list.every((one) => one.unit === unit && one.total === total));
    assert(list.every((one, index) => index === 0 || one.done >= list[index - 1].done));
  }
});

test("an export that is cancelled, or never read, settles and leaves the conversation readable", async () => {
  const store = memoryStore();
  await importZip(zip(conversation(200)), store);
  exportZipStream(store, id);
  for (const reads of [0, 1]) {
    const reader = exportZipStream(store, id).getReader();
    for (let n = 0; n < reads; n++) assert.equal((await reader.read()).done, false);
    await reader.cancel("enough");
    await reader.closed;
  }
  const opening = exportZipStream(store, id).getReader();
  const first = opening.read();
  await opening.cancel("at once");
  assert.equal((await first).done, true);
  assert.equal((await unzip(await (await exportZip(store, id)).arrayBuffer())).length, 203);
});

test("an export of a conversation that does not exist fails, by every function", async () => {
  const store = memoryStore();
  await assert.rejects(exportZip(store, id), { name: "ThreadkeepError", code: "not_found" });
  await assert.rejects(exportZipStream(store, id).getReader().read(), { code: "not_found" });
  await assert.rejects(exportZip(store, "no id"), { code: "invalid_options" });
});

test("exports and imports may run side by side", async () => {
  const store = memoryStore();
  await importZip(zip(conversation(30)), store);
  const other = "1f8fad5b-d9cb-469f-a165-70867728950e";
  const [first, second, imported] = await Promise.all([
    exportZip(store, id),
    exportZip(store, id),
    importZip(zip(conversation(30, other)), store),
  ]);
  assert.deepEqual(Buffer.from(await first.arrayBuffer()), Buffer.from(await second.arrayBuffer()));
  assert.equal(imported[0].eventCount, 30);
});
