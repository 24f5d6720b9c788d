// Conversations of other programs, as the API takes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeWith } from "../support/store-with.mjs";
import { archiveLibrary } from "./library.mjs";

const { importJSON, written, memoryStore } = await archiveLibrary();

const messages = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "Hi." },
];
const session = { created_at: "2024-05-06T07:08:09", title: "Greeting", messages };

test("text, a Blob and a value are the same file", async () => {
  for (const form of [session, JSON.stringify(session), new Blob([JSON.stringify(session)])]) {
    const store = memoryStore();
    const { id, outcome, eventCount, warnings } = await importJSON(form, store);
    assert.deepEqual([outcome, eventCount, warnings], ["created", 3, []]);
    assert.deepEqual(await written(store, id, "session"), { id, ...session });
    const [listing] = await store.list();
    assert.deepEqual(JSON.parse(listing.baseState).tags, { title: "Greeting" });
  }
});

test("each import is a conversation of its own", async () => {
  const store = memoryStore();
  const ids = await Promise.all([importJSON(session, store), importJSON(session, store)]);
  assert.equal(new Set(ids.map(({ id }) => id)).size, 2);
  assert.equal((await store.list()).length, 2);
});

test("an unknown file is refused, and nothing is stored", async () => {
  const store = memoryStore();
  const circle = {};
  circle.circle = circle;
  const hostile = [
    [undefined, "invalid_options"],
    [() => 1, "invalid_options"],
    [circle, "invalid_options"],
    [1n, "invalid_options"],
    ["", "archive_invalid"],
    [null, "archive_invalid"],
    [7, "archive_invalid"],
    [{}, "archive_invalid"],
    [[[]], "archive_invalid"],
    [new Blob([new Uint8Array([0xff, 0xfe, 0])]), "archive_invalid"],
    ["[".repeat(1e6), "archive_invalid"],
    [[{ role: "user", content: { toString: 1 } }], "archive_invalid"],
  ];
  for (const [json, code] of hostile) {
    await assert.rejects(importJSON(json, store), (error) => error.name === "ThreadkeepError" && error.code === code, String(code));
  }
  assert.deepEqual(await store.list(), []);
});

test("a conversation that does not exist has no messages", async () => {
  await assert.rejects(written(memoryStore(), "0f8fad5b-d9cb-469f-a165-70867728950e", "message"), { code: "not_found" });
});

test("an import into a full store fails and leaves nothing behind", async () => {
  const inner = memoryStore();
  const commit = async () => Promise.reject(Object.assign(new Error("full"), { name: "QuotaExceededError" }));
  const full = storeWith(inner, { commit });
  await assert.rejects(importJSON(session, full), { code: "store_quota" });
  assert.deepEqual(await inner.list(), []);
});
