// Pinned, archived, in the trash, tags: of conversations that are closed, that are open in this page, and of both at the same time.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Agent, Conversation, LLM, fileEditor, memoryStore, updateConversations } from "../../dist/index.js";
import { conversation as entries, id as importedId } from "../support/archive-entries.mjs";
import { deferred } from "../support/deferred.mjs";
import { createModel } from "../support/model.mjs";
import { storeThrough } from "../support/store-with.mjs";
import { zip } from "../support/zip-bytes.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

/** A store of a host over another one; `before` is awaited before each call. */
function host(inner, { name, before = () => {} } = {}) {
  const call = async (method, given, go) => {
    await before(method, ...given);
    return go();
  };
  return storeThrough(inner, call, { ...(name !== undefined && { name }), close() {} });
}

const agentOf = (replies = []) => new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: createModel(replies).fetch, numRetries: 0 }) });
const open = (store, conversationId, options) => Conversation.open({ agent: agentOf(), store, conversationId, ...options });

/** A closed conversation with a message. */
async function closed(store, tags = {}) {
  const conversation = await open(store, undefined, { tags });
  await conversation.sendMessage("Hello");
  await conversation.close();
  return conversation.id;
}

const tagsOf = async (store, id) => JSON.parse((await store.load(id)).baseState).tags;
const infoOf = async (store, id, options) => (await Conversation.list({ store, ...options })).find((info) => info.id === id);
const listed = async (store, options) => (await Conversation.list({ store, ...options })).map(({ id }) => id);

const stores = { "memoryStore()": memoryStore, "a store with a name": () => host(memoryStore(), { name: crypto.randomUUID() }) };

for (const [kind, makeStore] of Object.entries(stores)) {
  test(`${kind}: a closed conversation is pinned, archived and restored, and keeps its place in the list`, async (t) => {
    const store = makeStore();
    t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
    const first = await closed(store, { title: "First" });
    t.mock.timers.setTime(Date.UTC(2026, 0, 2));
    const second = await closed(store, { title: "Second" });
    const before = await Conversation.list({ store });
    assert.deepEqual(
      before.map(({ id, pinnedAt, archivedAt, trashedAt }) => [id, pinnedAt, archivedAt, trashedAt]),
      [
        [second, null, null, null],
        [first, null, null, null],
      ],
    );
    const log = await store.events(first, 0, 100);
    t.mock.timers.setTime(Date.UTC(2026, 0, 3));
    await updateConversations(first, { pinned: true }, { store });
    t.mock.timers.setTime(Date.UTC(2026, 0, 4));
    await updateConversations(first, { archived: true }, { store });
    const info = await infoOf(store, first);
    assert.deepEqual([info.pinnedAt, info.archivedAt, info.trashedAt], [new Date("2026-01-03"), new Date("2026-01-04"), null]);
    assert.deepEqual(await tagsOf(store, first), {
      title: "First",
      pinned: "2026-01-03T00:00:00.000Z",
      archived: "2026-01-04T00:00:00.000Z",
    });
    await updateConversations(first, { pinned: false, archived: false }, { store });
    assert.deepEqual(await Conversation.list({ store }), before, "also the times and the order");
    assert.deepEqual(await store.events(first, 0, 100), log);
  });

  test(`${kind}: what is in the trash is in its own list only, and comes back as it was`, async () => {
    const store = makeStore();
    const [kept, trashed] = [await closed(store), await closed(store, { title: "Gone" })];
    const before = await infoOf(store, trashed);
    await updateConversations(trashed, { trashed: true }, { store });
    assert.deepEqual(await listed(store), [kept]);
    assert.deepEqual(await listed(store, { trashed: false }), [kept]);
    assert.deepEqual(await listed(store, { trashed: true }), [trashed]);
    const { trashedAt, tags, ...rest } = await infoOf(store, trashed, { trashed: true });
    assert.deepEqual([tags, rest], [{ title: "Gone", trashed: trashedAt.toISOString() }, (({ trashedAt, tags, ...rest }) => rest)(before)]);
    const handle = await open(store, trashed);
    assert.equal(handle.title, "Gone", "it can be opened");
    await handle.close();
    await updateConversations(trashed, { trashed: false }, { store });
    assert.deepEqual(await infoOf(store, trashed), before);
    assert.deepEqual(await listed(store, { trashed: true }), []);
  });

  test(`${kind}: the handle that writes a conversation changes it, and tells its listeners and the lists`, async () => {
    const store = makeStore();
    const writer = await open(store, undefined, { tags: { title: "Open", folder: "a" } });
    await writer.sendMessage("Hello");
    const follower = await open(store, writer.id);
    const [heard, changed] = [[], []];
    const follows = new Promise((resolve) => follower.subscribe(({ key, value }) => key === "tags" && resolve(value)));
    writer.subscribe((event) => heard.push(event));
    const stop = Conversation.onListChange(({ id }) => changed.push(id), { store });
    const log = await store.events(writer.id, 0, 100);
    await updateConversations(writer.id, { pinned: true, tags: { folder: null, colour: "red" } }, { store });
    const { pinned, ...others } = writer.state.tags;
    assert.deepEqual(others, { title: "Open", colour: "red" });
    assert.deepEqual(await tagsOf(store, writer.id), writer.state.tags, "it is stored");
    assert.deepEqual((await infoOf(store, writer.id)).pinnedAt, new Date(pinned));
    assert.deepEqual(
      heard.map(({ kind, key, value }) => ({ kind, key, value })),
      [{ kind: "ConversationStateUpdateEvent", key: "tags", value: writer.state.tags }],
    );
    assert.deepEqual(await follows, writer.state.tags);
    assert.deepEqual([...new Set(changed)], [writer.id]);
    assert.deepEqual(await store.events(writer.id, 0, 100), log);
    // It goes on as if nothing had happened, and loses nothing.
    await writer.sendMessage("And on");
    assert.deepEqual(await tagsOf(store, writer.id), { title: "Open", colour: "red", pinned });
    stop();
    await follower.close();
    await writer.close();
  });
}

test("tags are changed by name: null removes one, others stay, and a flag wins over a tag of its name", async () => {
  const store = memoryStore();
  const id = await closed(store, { title: "Old", folder: "work", kept: "yes" });
  await updateConversations(id, { tags: { title: "New", folder: null, colour: "blue", never: null } }, { store });
  assert.deepEqual(await tagsOf(store, id), { title: "New", kept: "yes", colour: "blue" });
  assert.equal((await infoOf(store, id)).title, "New");
  await updateConversations(id, { pinned: false, tags: { pinned: "by hand" } }, { store });
  assert.equal("pinned" in (await tagsOf(store, id)), false);
  await updateConversations(id, { tags: { archived: "by Python, who knows when", colour: "half \ud83d" } }, { store });
  const { archivedAt, updatedAt, tags } = await infoOf(store, id);
  assert.deepEqual([archivedAt, tags.colour], [updatedAt, "half \ufffd"]);
  const before = await store.load(id);
  await updateConversations(id, {}, { store });
  await updateConversations(id, { pinned: undefined, tags: undefined }, { store });
  await updateConversations([], { pinned: true }, { store });
  assert.deepEqual(await store.load(id), before);
});

test("of several conversations all are changed, also if one is not there", async () => {
  const store = memoryStore();
  const ids = [await closed(store), await closed(store), await closed(store)];
  const writer = await open(store, ids[2]);
  const missing = crypto.randomUUID();
  const changed = [];
  const stop = Conversation.onListChange(({ id }) => changed.push(id), { store });
  const given = [ids[0], missing, ids[1].toUpperCase(), ids[0], ids[2].replaceAll("-", "")];
  await assert.rejects(updateConversations(given, { archived: true, tags: { folder: "old" } }, { store }), {
    code: "not_found",
    message: new RegExp(missing),
  });
  const infos = await Conversation.list({ store });
  assert.deepEqual(infos.map(({ id }) => id).sort(), [...ids].sort(), "nothing is made of one that is not there");
  for (const { archivedAt, tags } of infos) assert.deepEqual([tags.folder, tags.archived], ["old", archivedAt.toISOString()]);
  assert.deepEqual([...new Set(changed)].sort(), [...ids].sort(), "and lists hear of each by its id");
  stop();
  await writer.close();
});

test("an import keeps the time of its last event when it is pinned", async () => {
  const store = memoryStore();
  await Conversation.importZip(zip(entries(3)), { store });
  const { updatedAt } = await infoOf(store, importedId);
  await updateConversations(importedId, { pinned: true }, { store });
  const info = await infoOf(store, importedId);
  assert.deepEqual([info.updatedAt, info.pinnedAt !== null], [updatedAt, true]);
});

test("what is no change, no id and no store is refused, and nothing is changed", async () => {
  const store = memoryStore();
  const [id, other] = [await closed(store, { title: "A" }), await closed(store)];
  const writer = await open(store, other);
  const before = [await store.load(id), await store.load(other)];
  const all = [id, other];
  for (const [ids, changes, options, message] of [
    [all, { pined: true }, { store }, /updateConversations\(\) has no option "pined"; did you mean pinned\?/],
    [all, { pinned: 1 }, { store }, /pinned must be true or false/],
    [all, { pinned: true, archived: null }, { store }, /archived must be true or false/],
    [all, { trashed: "yes" }, { store }, /trashed must be true or false/],
    [all, { pinned: true, tags: null }, { store }, /tags must be an object of strings/],
    [all, { pinned: true, tags: ["x"] }, { store }, /tags must be an object of strings/],
    [all, { pinned: true, tags: { a: 1 } }, { store }, /tags must be an object of strings/],
    [all, { pinned: true, tags: { Folder: "x" } }, { store }, /tag "Folder" cannot be stored; use lower case letters/],
    [all, { pinned: true, tags: { folder: "x".repeat(257) } }, { store }, /at most 256 characters/],
    [all, undefined, { store }, /takes an object of options/],
    [all, { pinned: true }, { shop: store }, /has no option "shop"/],
    [all, { pinned: true }, { store: {} }, /store must be/],
    [[id, "x"], { pinned: true }, { store }, /conversation id "x" is not a UUID/],
    [[id, 7], { pinned: true }, { store }, /array of ids/],
    [new Set(all), { pinned: true }, { store }, /array of ids/],
    [undefined, { pinned: true }, { store }, /array of ids/],
  ])
    await assert.rejects(updateConversations(ids, changes, options), { code: "invalid_options", message });
  await assert.rejects(Conversation.list({ store, trashed: "only" }), {
    code: "invalid_options",
    message: "trashed must be true or false",
  });
  await assert.rejects(Conversation.list({ store, trashd: true }), { code: "invalid_options", message: /did you mean trashed\?/ });
  assert.deepEqual([await store.load(id), await store.load(other)], before);
  await writer.close();
});

test("a conversation on an agent server is refused, and stays as it is", async () => {
  const store = memoryStore();
  const id = await closed(store);
  const { baseState, length } = await store.load(id);
  const copy = JSON.stringify({ ...JSON.parse(baseState), threadkeep_server: { host: "https://agents.test" } });
  await store.commit(id, { expectedLength: length, events: [], files: [], baseState: copy, at: Date.now(), durability: "relaxed" });
  await assert.rejects(updateConversations(id, { pinned: true }, { store }), { code: "unsupported", message: /on a server/ });
  assert.equal((await store.load(id)).baseState, copy);
});

test("a failure of the store is reported, and the conversation can be opened and changed afterwards", async () => {
  let isFull = false;
  const full = (method) => {
    if (isFull && method === "commit") throw Object.assign(new Error("no room"), { code: "store_quota" });
  };
  const store = host(memoryStore(), { before: full });
  const id = await closed(store);
  isFull = true;
  await assert.rejects(updateConversations(id, { pinned: true }, { store }), { code: "store_quota" });
  isFull = false;
  assert.deepEqual(await tagsOf(store, id), {});
  await updateConversations(id, { pinned: true }, { store });
  const conversation = await open(store, id);
  assert.deepEqual([conversation.access, Object.keys(conversation.state.tags)], ["writer", ["pinned"]]);
  await conversation.close();
});

test("a writer whose agent works is not waited for", async () => {
  const store = memoryStore();
  const [asked, answers] = [deferred(), deferred()];
  const replies = [{ text: ["One", " two"], pace: (at) => at === 1 && (asked.resolve(), answers.promise) }];
  const writer = await open(store, undefined, { agent: agentOf(replies) });
  await writer.sendMessage("Go");
  const run = writer.run();
  await asked.promise;
  await updateConversations(writer.id, { pinned: true }, { store });
  assert.equal(writer.executionStatus, "running");
  assert.ok((await infoOf(store, writer.id)).pinnedAt);
  answers.resolve();
  assert.equal((await run).finalResponse, "One two");
  assert.deepEqual(Object.keys(await tagsOf(store, writer.id)), ["pinned"]);
  await writer.close();
});

test("a conversation that is opened while it is changed can write, whichever comes first", async () => {
  let delay = 0;
  const slow = () => new Promise((resolve) => setTimeout(resolve, delay));
  const store = host(memoryStore(), { before: slow });
  for (const isOpenedFirst of [true, false]) {
    delay = 0;
    const id = await closed(store);
    delay = 20;
    const begun = performance.now();
    const steps = [() => open(store, id), () => updateConversations(id, { pinned: true }, { store })];
    const results = (isOpenedFirst ? steps : steps.reverse()).map(async (step, at) => {
      // In the middle of the other one.
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      return step();
    });
    const conversation = (await Promise.all(results)).find(Boolean);
    assert.ok(performance.now() - begun < 2_000, "nobody waits for one that cannot answer yet");
    assert.deepEqual([conversation.access, Object.keys(conversation.state.tags)], ["writer", ["pinned"]], `${isOpenedFirst}`);
    await conversation.sendMessage("And on");
    assert.deepEqual(Object.keys(await tagsOf(store, id)), ["pinned"]);
    await conversation.close();
  }
});

test("a conversation that is being closed is changed once", async () => {
  const store = memoryStore();
  const writer = await open(store);
  await writer.sendMessage("Hello");
  const closing = writer.close();
  await updateConversations(writer.id, { pinned: true }, { store });
  await closing;
  const conversation = await open(store, writer.id);
  assert.deepEqual([conversation.access, Object.keys(conversation.state.tags)], ["writer", ["pinned"]]);
  await conversation.close();
});

test("several changes at the same time are all stored", async () => {
  const store = memoryStore();
  const id = await closed(store);
  const writer = await open(store);
  await writer.sendMessage("Hello");
  const names = Array.from({ length: 20 }, (_, number) => `t${number}`);
  await Promise.all(names.map((name) => updateConversations([id, writer.id], { tags: { [name]: name } }, { store })));
  const all = Object.fromEntries(names.map((name) => [name, name]));
  assert.deepEqual([await tagsOf(store, id), await tagsOf(store, writer.id)], [all, all]);
  await writer.close();
});

test("everything else of a conversation stays when it is changed while it is closed", async () => {
  const store = memoryStore();
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-1" }), tools: [fileEditor()] });
  const options = { agent, secrets: { TOKEN: "s3cret" }, cipher: "a passphrase", confirmationPolicy: { kind: "AlwaysConfirm" } };
  const conversation = await open(store, undefined, options);
  await conversation.workspace.write("a.txt", "A");
  await conversation.setAgentState({ mood: "calm" });
  await conversation.sendMessage("Hello");
  await conversation.close();
  const stateOf = async () => JSON.parse((await store.load(conversation.id)).baseState);
  const before = await stateOf();
  await updateConversations(conversation.id, { pinned: true }, { store });
  const { tags, agent_state, ...rest } = await stateOf();
  const { tags: noTags, agent_state: states, ...others } = before;
  assert.deepEqual(rest, others);
  const { tag_times, ...kept } = agent_state;
  assert.deepEqual([noTags, kept, Object.keys(tags), Object.keys(tag_times)], [{}, states, ["pinned"], ["pinned"]]);
  assert.ok(tag_times.pinned >= Date.parse(tags.pinned));
  const again = await open(store, conversation.id, options);
  assert.deepEqual([again.warnings, new TextDecoder().decode(await again.workspace.read("a.txt"))], [[], "A"]);
  await again.close();
});
