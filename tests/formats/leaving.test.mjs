// Exports of stores that are not as one would wish.
import assert from "node:assert/strict";
import { test } from "node:test";
import { baseState, conversation, event, folder, id } from "../support/archive-entries.mjs";
import { isAll } from "../support/explored.mjs";
import { storeWith } from "../support/store-with.mjs";
import { archiveLibrary } from "./library.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, exportZipStream, memoryStore } = await archiveLibrary();

async function holding(entries) {
  const store = memoryStore();
  await importZip(zip(entries), store);
  return store;
}

const exported = async (store) => unzip(await (await exportZip(store, id)).arrayBuffer());

test("folders come first, then the base state, the events in order, and further files in their folders", async () => {
  const further = ["TASKS.json", "subagents/aa/events/event-00000-0f8fad5b.json"].map((path) => ({
    name: `${folder}/${path}`,
    content: "{}",
  }));
  const names = (await exported(await holding([...conversation(2), ...further]))).map(({ name }) => name);
  const before = conversation(2).map(({ name }) => name);
  const folders = ["subagents/", "subagents/aa/", "subagents/aa/events/"].map((path) => `${folder}/${path}`);
  assert.deepEqual(names, [...before, further[0].name, ...folders, further[1].name]);
});

test("a date that no archive can have is the nearest one that it can", async () => {
  const inner = await holding(conversation(1));
  for (const [updatedAt, year] of [
    [9e15, 2107],
    [-9e15, 1980],
    [Date.UTC(1970), 1980],
    [Date.UTC(2031, 5), 2031],
  ]) {
    const store = storeWith(inner, { load: async (of) => ({ ...(await inner.load(of)), updatedAt }) });
    const [{ date }] = await exported(store);
    assert.equal(date.getFullYear(), year);
  }
});

test("answers of a host's store are checked, and its errors get the matching codes", async () => {
  const inner = await holding(conversation(3));
  const rows = (change) => storeWith(inner, { events: async (...args) => change(await inner.events(...args)) });
  const full = Object.assign(new Error("no room"), { name: "QuotaExceededError" });
  const cases = [
    [rows(() => "none"), "store_corrupt"],
    [rows(() => [null]), "store_corrupt"],
    [rows((all) => all.slice(1)), "store_corrupt"],
    [rows((all) => [...all, ...all]), "store_corrupt"],
    [rows((all) => all.map((one) => ({ ...one, id: "../../x" }))), "store_corrupt"],
    [rows((all) => all.map((one) => ({ ...one, json: 7 }))), "store_corrupt"],
    [rows(() => []), "not_found"],
    [storeWith(inner, { events: () => Promise.reject(full) }), "store_quota"],
    [
      storeWith(inner, {
        events() {
          throw new Error("odd");
        },
      }),
      "store_corrupt",
    ],
    [storeWith(inner, { files: async () => ["a"], readFile: async () => "text" }), "store_corrupt"],
    [storeWith(inner, { load: async () => undefined }), "not_found"],
  ];
  for (const [store, code] of cases) await assert.rejects(exportZip(store, id), { name: "ThreadkeepError", code }, code);
  const removed = storeWith(inner, { files: async () => ["gone"], readFile: async () => undefined });
  assert.equal((await exported(removed)).length, 6);
});

test("secrets that a host's store holds do not leave", async () => {
  const leaky = baseState().replace('"model":"m"', '"model":"m","api_key":"sk-very-secret"');
  const bytes = new TextEncoder().encode(leaky);
  const store = storeWith(await holding(conversation(1)), {
    load: async () => ({ conversation: id, baseState: leaky, length: 1, createdAt: 1, updatedAt: 1 }),
    files: async () => ["meta.json", "subagents/aa/base_state.json", "notes.txt"],
    readFile: async (_, path) => (path === "notes.txt" ? new Uint8Array([1, 2]) : bytes),
  });
  const files = await exported(store);
  assert(files.length > 6 && files.every(({ content }) => !content.includes("sk-very-secret")));
  assert.deepEqual([...files.find(({ name }) => name === `${folder}/notes.txt`).content], [1, 2]);
});

test("an export holds the events that existed when it began, and fails if the conversation is deleted meanwhile", async () => {
  const noise = () => Array.from({ length: 5_000 }, () => crypto.randomUUID()).join("");
  const large = (one, n) => (n < 3 ? one : { ...one, content: event(n - 3, noise()), method: 0 });
  const store = await holding(conversation(20).map(large));
  const reader = exportZipStream(store, id).getReader();
  const blocks = [(await reader.read()).value];
  await store.commit(id, { expectedLength: 20, events: [{ id: "0badc0de", json: "{}" }], files: [], at: 1, durability: "relaxed" });
  for (let next = await reader.read(); !next.done; next = await reader.read()) blocks.push(next.value);
  assert.equal((await unzip(await new Blob(blocks).arrayBuffer())).length, 23);
  const other = exportZipStream(store, id).getReader();
  await other.read();
  await store.delete(id);
  await assert.rejects(
    async () => {
      while (!(await other.read()).done);
    },
    { code: "not_found" },
  );
});

const skip = !isAll && "it takes long: it is a part of npm test -- --all";
test("70,000 tiny files go in and out, in the directory's wide form", { skip }, async () => {
  const tiny = Array.from({ length: 70_000 }, (_, n) => ({ name: `${folder}/observations/${n}.txt`, content: String(n), method: 0 }));
  const archive = zip([...conversation(1), ...tiny], { zip64: true });
  const store = memoryStore();
  await importZip(archive, store);
  const again = await (await exportZip(store, id)).arrayBuffer();
  const copy = memoryStore();
  await importZip(again, copy);
  // More than the short form can count.
  assert.equal(Buffer.from(again).readUInt16LE(again.byteLength - 12), 0xffff);
  assert.equal((await copy.files(id)).length, 70_000);
  assert.equal(new TextDecoder().decode(await copy.readFile(id, "observations/69999.txt")), "69999");
});
