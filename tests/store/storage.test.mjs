// The storage of an origin and the sizes of conversations: what is counted, for each kind of store, and what is not held or waited for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import {
  Agent,
  Conversation,
  LLM,
  ThreadkeepError,
  fileEditor,
  memoryStore,
  requestPersistence,
  storageStatus,
  taskTool,
} from "../../dist/index.js";
import { conversation as entries, id as importedId } from "../support/archive-entries.mjs";
import { createModel } from "../support/model.mjs";
import { storeThrough } from "../support/store-with.mjs";
import { zip } from "../support/zip-bytes.mjs";
import { isOfSubagent } from "../subagents/requests.mjs";

/** A store of a host: plain methods, which `before` sees. */
function host(inner, before = () => {}) {
  const call = async (method, given, go) => {
    await before(method, ...given);
    return go();
  };
  return storeThrough(inner, call, { close() {} });
}

const edit = (path, file_text) => ({ name: "file_editor", arguments: { command: "create", path: `/workspace/${path}`, file_text } });

/** A conversation with a file, and one of its sub-agent with another. */
async function talk(store, title) {
  const steps = [
    { calls: [edit("list.txt", "œufs".repeat(100))] },
    { calls: [{ name: "task", arguments: { prompt: "SUBAGENT: write" } }] },
  ];
  const model = createModel((body) => {
    const answered = body.messages.filter(({ role }) => role === "tool").length;
    if (isOfSubagent(body)) return [{ calls: [edit("other.txt", "x".repeat(5000))] }][answered] ?? { text: "Written." };
    return steps[answered] ?? { text: "Done — ü." };
  });
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 0 });
  const agent = new Agent({ llm, tools: [fileEditor(), taskTool()] });
  const conversation = await Conversation.open({ agent, store, tags: { title } });
  await conversation.sendMessage("Go — ☃");
  await conversation.run();
  await conversation.close();
  return conversation.id;
}

/** The same by the store's own methods, without pages. */
async function counted(store, id) {
  const { baseState, length } = await store.load(id);
  const events = await store.events(id, 0, length);
  const files = await Promise.all((await store.files(id)).map((path) => store.readFile(id, path)));
  const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
  return [sum(events.map(({ json }) => Buffer.byteLength(json))), sum(files.map(({ length }) => length)), Buffer.byteLength(baseState)];
}

test("the bytes of a conversation are those of its events, files and base state, with those of its sub-agents", async () => {
  const inner = memoryStore();
  const id = await talk(inner, "The list");
  await Conversation.importZip(zip(entries(3)), { store: inner });
  const all = await Conversation.list({ store: inner, subagents: true });
  const family = all.filter(({ id: one, parentId }) => one === id || parentId === id);
  assert.equal(family.length, 2);
  const parts = await Promise.all(family.map((one) => counted(inner, one.id)));
  const [events, files, state] = [0, 1, 2].map((part) => parts[0][part] + parts[1][part]);
  assert.ok(files > 5900, "both files are counted");
  const [importedEvents, , importedState] = await counted(inner, importedId);

  for (const store of [inner, host(inner), { ...host(inner), name: "a host's" }]) {
    const { conversations } = await storageStatus({ store });
    assert.deepEqual(conversations, [
      { id, title: "The list", bytes: events + files + state, eventBytes: events, fileBytes: files, baseStateBytes: state },
      {
        id: importedId,
        title: null,
        bytes: importedEvents + importedState,
        eventBytes: importedEvents,
        fileBytes: 0,
        baseStateBytes: importedState,
      },
    ]);
  }
});

test("without a Storage API nothing is claimed, and with one its words are passed on", async () => {
  const store = memoryStore();
  assert.deepEqual(await storageStatus({ store }), { persisted: null, usage: null, quota: null, conversations: [] });
  assert.equal(await requestPersistence(), false);
  const had = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const withStorage = (storage) => Object.defineProperty(globalThis, "navigator", { value: { storage }, configurable: true });
  try {
    let asked = 0;
    const storage = { persisted: async () => asked > 0, persist: async () => ++asked > 0, estimate: async () => ({ usage: 7, quota: 9 }) };
    withStorage(storage);
    assert.deepEqual(await storageStatus({ store }), { persisted: false, usage: 7, quota: 9, conversations: [] });
    assert.deepEqual([await requestPersistence(), await requestPersistence(), asked], [true, true, 1]);
    assert.equal((await storageStatus({ store })).persisted, true);
    // A worker has no persist(), and a sandboxed frame no storage.
    withStorage({ persisted: async () => false, estimate: async () => ({ quota: 9 }) });
    assert.equal(await requestPersistence(), false);
    assert.deepEqual(await storageStatus({ store }), { persisted: false, usage: null, quota: 9, conversations: [] });
    const forbidden = () => Promise.reject(new TypeError("this origin has no storage"));
    withStorage({ persisted: forbidden, persist: forbidden, estimate: forbidden });
    assert.equal(await requestPersistence(), false);
    assert.equal((await storageStatus({ store })).persisted, null);
  } finally {
    if (had) Object.defineProperty(globalThis, "navigator", had);
    else delete globalThis.navigator;
  }
});

test("a long conversation is read page by page, and the page gets its turn", async () => {
  const inner = memoryStore();
  const large = "ü".repeat(50_000);
  const events = Array.from({ length: 300 }, () => ({ id: crypto.randomUUID(), json: `{"text":"${large}"}` }));
  const files = Array.from({ length: 40 }, (_, n) => ({ path: `f/${n}`, content: new Uint8Array(1000 + n) }));
  const id = crypto.randomUUID();
  await inner.commit(id, { expectedLength: 0, events, files, baseState: "{}", at: 1, durability: "relaxed" });
  let most = 0;
  const store = host(inner, (name, _, start, end) => void (name === "events" && (most = Math.max(most, end - start))));
  const measuring = storageStatus({ store });
  let isOver = false;
  let turns = 0;
  void measuring.finally(() => (isOver = true));
  for (; !isOver; turns++) await turnOfTheLoop();
  const { conversations } = await measuring;
  assert.deepEqual(
    conversations.map(({ eventBytes, fileBytes }) => [eventBytes, fileBytes]),
    [[300 * (11 + 100_000), 40_000 + (39 * 40) / 2]],
  );
  assert.ok(most <= 16, `${most} events of 100 kB at once`);
  assert.ok(turns > 1);
});

test("conversations that are deleted, and files that are removed, while they are measured do not count", async () => {
  for (const method of ["load", "events", "files"]) {
    const inner = memoryStore();
    const [gone, kept] = [await talk(inner, "Gone"), await talk(inner, "Kept")];
    let isDone = false;
    const store = host(inner, async (name, id) => {
      if (name !== method || id !== gone || isDone) return;
      isDone = true;
      await Conversation.delete(gone, { store: inner });
    });
    const { conversations } = await storageStatus({ store });
    assert.ok(isDone);
    const ids = conversations.map(({ id }) => id);
    assert.ok(conversations[ids.indexOf(kept)].fileBytes > 5900, method);
    // Its events are counted by the time its files are listed.
    if (method !== "files") assert.deepEqual(ids, [kept]);
  }
});

test("it stops with its signal, and at once if that was aborted before", async () => {
  const inner = memoryStore();
  await talk(inner, "Long");
  const stop = new AbortController();
  const store = host(inner, (name) => void (name === "files" && stop.abort(new Error("enough"))));
  for (const asked of [store, host(inner, () => assert.fail("nothing is read"))]) {
    const error = await storageStatus({ store: asked, signal: stop.signal }).then(assert.fail, (thrown) => thrown);
    assert.ok(error instanceof ThreadkeepError);
    assert.deepEqual([error.code, error.message, error.cause.message], ["aborted", "storageStatus() was stopped by its signal", "enough"]);
  }
});

test("without conversations nothing is read", async () => {
  const store = host(memoryStore(), () => assert.fail("nothing is read"));
  assert.deepEqual((await storageStatus({ store, conversations: false })).conversations, []);
});

test("options that do not exist, and values of another type, are refused", async () => {
  for (const [options, message] of [
    [{ stores: memoryStore() }, /storageStatus\(\) has no option "stores"; did you mean store\?/],
    [null, /storageStatus\(\) takes an object of options/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ conversations: 1 }, /conversations must be true or false/],
    [{ store: {} }, /store must be indexedDBStore\(\), memoryStore\(\) or a Store of your own; it has no list\(\)/],
  ])
    await assert.rejects(storageStatus(options), { code: "invalid_options", message });
});

test("a conversation that cannot be read says why, and keeps nobody from seeing the others", async () => {
  const inner = memoryStore();
  const [broken, whole] = [await talk(inner, "Broken"), await talk(inner, "Whole")];
  const { conversations: all } = await storageStatus({ store: inner });
  const failing = Object.assign(new Error("the disk is on fire"), { code: "store_unavailable" });
  for (const [method, answer, code] of [
    ["load", async () => ({ baseState: 1, length: 1 }), "store_corrupt"],
    ["load", async () => ({ baseState: "{}" }), "store_corrupt"],
    ["events", async () => [{ index: 5, id: "0123456789", json: "{}" }], "store_corrupt"],
    ["files", async () => "x", "store_corrupt"],
    ["files", async () => [1], "store_corrupt"],
    ["readFile", async () => [1], "store_corrupt"],
    ["readFile", () => Promise.reject(failing), "store_unavailable"],
  ]) {
    const store = { ...host(inner), [method]: (id, ...given) => (id === broken ? answer() : inner[method](id, ...given)) };
    const { conversations } = await storageStatus({ store });
    const { error, bytes } = conversations.find(({ id }) => id === broken);
    assert.ok(error instanceof ThreadkeepError, method);
    assert.equal(error.code, code, method);
    assert.ok(bytes < all.find(({ id }) => id === broken).bytes, method);
    assert.deepEqual(
      conversations.filter(({ id }) => id === whole),
      all.filter(({ id }) => id === whole),
      method,
    );
  }
  const lost = { ...host(inner), list: () => Promise.reject(failing) };
  await assert.rejects(storageStatus({ store: lost }), { code: "store_unavailable" });
});

test("sub-agents of each other, as an archive may claim, are counted once", async () => {
  const store = memoryStore();
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const hex = (id) => id.replaceAll("-", "");
  for (const [id, parent] of [
    [one, two],
    [two, one],
  ]) {
    const baseState = JSON.stringify({ id, persistence_dir: `${hex(parent)}/subagents/${hex(id)}` });
    await store.commit(id, { expectedLength: 0, events: [], files: [], baseState, at: 1, durability: "relaxed" });
  }
  const { conversations } = await storageStatus({ store });
  assert.deepEqual(conversations.map(({ id }) => id).sort(), [one, two].sort());
});
