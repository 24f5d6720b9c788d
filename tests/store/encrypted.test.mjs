// The store that seals what another one holds: what the other one sees, what is noticed, and with which secrets it opens. Its suite of
// stores is in suite.test.mjs, passkeys and what is left on a disk are in tests/browser/store/encrypted.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { Agent, Conversation, LLM, encryptedStore, memoryStore } from "../../dist/index.js";
import { ScriptedModel } from "../support/model/script.mjs";
import { storeThrough } from "../support/store-with.mjs";

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const other = "1f8fad5b-d9cb-469f-a165-70867728950e";
const passphrase = "a passphrase of the test";
const bytes = (text) => new TextEncoder().encode(text);
const eventId = (n) => `e0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A commit of events `length..length + count`. */
function commit(length, count, more = {}) {
  const events = Array.from({ length: count }, (_, n) => ({ id: eventId(length + n), json: `{"n":${length + n}}` }));
  return { expectedLength: length, events, files: [], at: 1000, durability: "relaxed", ...more };
}

/** A store whose rows can be looked at and changed, as one object for several handles. `onCommit` is called before each commit. */
function open(inner = memoryStore(), onCommit = () => {}) {
  const through = async (method, given, go) => {
    if (method === "commit") await onCommit(...given);
    const found = await go();
    return rows.changed[method]?.(found, ...given) ?? found;
  };
  const rows = storeThrough(inner, through, { changed: {}, close() {} });
  return rows;
}

/** What a promise rejects with: code and message. */
const refused = async (promise) => {
  const { code, message } = await promise.then(
    () => assert.fail("it did not reject"),
    (error) => error,
  );
  return `${code}: ${message}`;
};

/** Everything that the inner store is given, as text. */
function recorder() {
  const seen = [];
  const rows = open(memoryStore(), (conversation, given) => {
    const text = (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value);
    seen.push(JSON.stringify([conversation, given], text));
  });
  return { rows, seen };
}

test("the inner store sees no text, title, name or time", async () => {
  const { rows, seen } = recorder();
  const store = encryptedStore(rows, { passphrase });
  const at = 1_790_000_000_123;
  const files = [{ path: "workspace/planted-name.txt", content: bytes("planted file") }];
  const long = { path: `${"planted-folder/".repeat(60)}x`, content: bytes("planted too") };
  await store.commit(id, {
    ...commit(0, 0, { at, files: [...files, long], baseState: '{"tags":{"title":"planted title"}}' }),
    events: [{ id: eventId(0), json: '{"text":"planted event"}' }],
  });
  await store.commit(id, commit(1, 1, { at: at + 5 }));
  const all = seen.join("\n");
  for (const hidden of ["planted", passphrase, String(at), String(at + 5), "1790000"]) assert.ok(!all.includes(hidden), hidden);
  // What it does see.
  for (const shown of [id, eventId(0), eventId(1)]) assert.ok(all.includes(shown), shown);
  const found = await store.load(id);
  assert.deepEqual([found.createdAt, found.updatedAt, found.length], [at, at + 5, 2]);
  assert.equal(found.baseState, '{"tags":{"title":"planted title"}}');
  assert.deepEqual((await store.files(id)).sort(), [long.path, files[0].path].sort());
  assert.deepEqual(await store.files(id, "workspace"), [files[0].path]);
  assert.equal(new TextDecoder().decode(await store.readFile(id, long.path)), "planted too");
  // The same content is never sealed the same twice.
  await store.commit(id, commit(2, 0, { at: at + 6, baseState: '{"tags":{"title":"planted title"}}' }));
  const states = seen.map((text) => JSON.parse(text)[1].baseState).filter((text) => text !== undefined);
  assert.equal(new Set(states).size, states.length);
});

test("a byte that was changed and a row in another's place are errors that say so", async () => {
  const rows = open();
  const store = encryptedStore(rows, { passphrase });
  const file = (path) => ({ path, content: bytes(path) });
  await store.commit(id, commit(0, 3, { baseState: "state", files: [file("a"), file("b")] }));
  await store.commit(other, commit(0, 3, { baseState: "other" }));
  const flipped = (text) => text.replace(/(.)(.)(?="\}$|.{8}"\}$)/, (_, one, two) => `${one === "A" ? "B" : "A"}${two}`);
  const row = (change) => (events) => events.map((event) => (event.index === 1 ? { ...event, json: change(event, events) } : event));
  const [{ json: elsewhere }] = await rows.events(other, 1, 2);
  const cases = {
    "a changed event": [{ events: row(({ json }) => flipped(json)) }, () => store.events(id, 0, 3), /event 1 .* has been changed/],
    "an event that is not sealed": [{ events: row(() => '{"n":1}') }, () => store.events(id, 0, 3), /event 1 .* has been changed/],
    "an event cut short": [{ events: row(({ json }) => json.slice(0, -20)) }, () => store.events(id, 0, 3), /event 1 .* has been changed/],
    "another event's": [
      { events: row((_, events) => events[2].json) },
      () => store.events(id, 0, 3),
      /event 1 .* has been replaced by event 2/,
    ],
    "that of another conversation": [
      { events: row(() => elsewhere) },
      () => store.events(id, 0, 3),
      new RegExp(`event 1 .*${id} has been replaced by event 1 .*${other}`),
    ],
    "a changed state": [
      { load: (found) => found && { ...found, baseState: flipped(found.baseState) } },
      () => store.load(id),
      /the state of .* has been changed/,
    ],
    "fewer events": [{ load: (found) => found && { ...found, length: 2 } }, () => store.load(id), /has 2 events, and not 3/],
    "a changed file": [
      { readFile: (found) => found && Uint8Array.from(found, (byte, at) => (at === 20 ? byte ^ 1 : byte)) },
      () => store.readFile(id, "a"),
      /a file of .*: a has been changed/,
    ],
    "another name": [{ files: (names) => names.map((name) => `x${name.slice(1)}`) }, () => store.files(id), /the name of a file/],
  };
  for (const [what, [changed, read, message]] of Object.entries(cases)) {
    rows.changed = changed;
    const text = await refused(read());
    assert.match(text, /^store_corrupt: in the sealed store, /, what);
    assert.match(text, message, what);
    rows.changed = {};
    await read();
  }
  const [one, next] = await rows.files(id);
  const content = await rows.readFile(id, one);
  rows.changed = { readFile: (found, _, name) => (name === next ? content : found) };
  const read = await Promise.allSettled(["a", "b"].map((path) => store.readFile(id, path)));
  const [{ reason }] = read.filter(({ status }) => status === "rejected");
  assert.match(reason.message, /a file of .*: [ab] has been replaced by a file of .*: [ab]$/);
  // One that cannot be read does not keep the others from being listed.
  rows.changed = { list: (all) => all.map((each) => (each.conversation === id ? { ...each, baseState: flipped(each.baseState) } : each)) };
  const listed = await Conversation.list({ store });
  assert.deepEqual(listed.map((each) => each.id).sort(), [id, other].sort());
});

test("it opens with its secret only, and what has no record of keys is refused", async () => {
  const rows = open();
  const first = encryptedStore(rows, { passphrase: "Brücke" });
  await first.commit(id, commit(0, 1, { baseState: "state" }));
  // Another spelling of the same letter.
  assert.equal((await encryptedStore(rows, { passphrase: "Bru\u0308cke" }).load(id)).baseState, "state");
  for (const read of [(store) => store.load(id), (store) => store.list()])
    assert.match(await refused(read(encryptedStore(rows, { passphrase: "Brucke" }))), /^permission_required: this is not the passphrase/);
  const locked = encryptedStore(rows);
  assert.equal(locked.isLocked, true);
  assert.match(await refused(locked.load(id)), /^permission_required: the store is locked; call its unlock/);
  assert.match(await refused(locked.unlock({ passphrase: "wrong" })), /^permission_required/);
  assert.match(await refused(locked.unlock({ passkey: true })), /^permission_required: no passkey opens this store; give its passphrase/);
  await locked.unlock({ passphrase: "Brücke" });
  assert.equal((await locked.load(id)).length, 1);
  const plain = memoryStore();
  await plain.commit(id, commit(0, 1, { baseState: "state" }));
  assert.match(await refused(encryptedStore(plain, { passphrase }).list()), /^store_unavailable: the inner store has conversations/);
  assert.equal((await plain.load(id)).baseState, "state");
  rows.changed = { load: (found) => found && { ...found, baseState: found.baseState.replace('"rounds":600000', '"rounds":1e99') } };
  assert.match(await refused(encryptedStore(rows, { passphrase }).list()), /^store_corrupt: .* its record of keys was changed/);
});

test("two that open an empty store at once have the same key", async () => {
  const rows = open();
  const stores = [1, 2, 3].map(() => encryptedStore(rows, { passphrase }));
  await Promise.all(stores.map((store, n) => store.commit(crypto.randomUUID(), commit(0, 1, { baseState: `${n}` }))));
  for (const store of stores) assert.deepEqual((await store.list()).map(({ baseState }) => baseState).sort(), ["0", "1", "2"]);
});

test("another passphrase writes no row again, and the one before opens nothing", async () => {
  let commits = 0;
  const rows = open(memoryStore(), () => commits++);
  const store = encryptedStore(rows, { passphrase });
  for (let length = 0; length < 20; length++) await store.commit(id, commit(length, 1, { baseState: "state" }));
  const before = commits;
  const wrong = store.setSecret({ passphrase: "new" }, { current: { passphrase: "wrong" } });
  assert.match(await refused(wrong), /^permission_required: this is not the passphrase/);
  await store.setSecret({ passphrase: "new" }, { current: { passphrase } });
  assert.equal(commits - before, 1);
  assert.equal((await store.load(id)).length, 20);
  assert.match(await refused(encryptedStore(rows, { passphrase }).load(id)), /^permission_required/);
  assert.equal((await encryptedStore(rows, { passphrase: "new" }).events(id, 0, 99)).length, 20);
  const last = store.removeSecret("passphrase", { current: { passphrase: "new" } });
  assert.match(await refused(last), /^invalid_options: the passphrase is the only secret/);
});

test("of two that change the secret at the same moment, one has changed it, and the other one is told what has happened", async () => {
  const rows = open();
  const stores = [1, 2].map(() => encryptedStore(rows, { passphrase }));
  await stores[0].commit(id, commit(0, 1, { baseState: "state" }));
  const current = { passphrase };
  const changes = stores.map((store, n) => store.setSecret({ passphrase: `new ${n}` }, { current }));
  const done = await Promise.allSettled(changes);
  assert.deepEqual(done.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const winner = done.findIndex(({ status }) => status === "fulfilled");
  assert.match(await refused(changes[1 - winner]), /^locked_elsewhere: the secrets of this store were changed by another call or tab/);
  assert.equal((await encryptedStore(rows, { passphrase: `new ${winner}` }).load(id)).length, 1);
});

test("it locks itself after a time without a call, at once when it is told, and tells so", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const rows = open();
  const store = encryptedStore(rows, { passphrase, lockAfter: 1000, name: "locks" });
  const otherTab = encryptedStore(rows, { passphrase, name: "locks" });
  const changes = [];
  store.onLockChange((isLocked) => changes.push(isLocked));
  await store.commit(id, commit(0, 1, { baseState: "state" }));
  await otherTab.load(id);
  assert.equal(store.isLocked, false);
  context.mock.timers.tick(600);
  await store.load(id);
  context.mock.timers.tick(999);
  assert.equal(store.isLocked, false, "a call has used it meanwhile");
  context.mock.timers.tick(1);
  assert.equal(store.isLocked, true);
  assert.match(await refused(store.load(id)), /^permission_required/);
  assert.equal(otherTab.isLocked, false);
  await store.unlock({ passphrase });
  assert.equal((await store.load(id)).length, 1);
  store.lock();
  assert.match(await refused(store.events(id, 0, 1)), /^permission_required/);
  while (!otherTab.isLocked) await turnOfTheLoop();
  assert.deepEqual(changes, [false, true, false, true]);
  // A secret that was given and not used yet is forgotten, too.
  const unused = encryptedStore(rows, { passphrase });
  unused.lock();
  assert.match(await refused(unused.load(id)), /^permission_required/);
  store.close();
  otherTab.close();
});

test("a commit without a state keeps the one that another writer has stored meanwhile", async () => {
  const inner = memoryStore();
  let meanwhile = async () => {};
  const rows = open(inner, async (conversation) => {
    if (conversation !== id) return;
    const act = meanwhile;
    meanwhile = async () => {};
    await act();
  });
  const store = encryptedStore(rows, { passphrase });
  const faster = encryptedStore(rows, { passphrase });
  await store.commit(id, commit(0, 1, { baseState: "first", writer: { expected: 0, next: 1 } }));
  meanwhile = () => faster.commit(id, commit(1, 0, { at: 3000, baseState: "second", writer: { expected: 1, next: 2 } }));
  await store.commit(id, commit(1, 0, { at: 2000 }));
  const { baseState, updatedAt, writer } = await store.load(id);
  assert.deepEqual([baseState, updatedAt, writer], ["second", 3000, 2]);
});

test("a conversation that was created again is another one, although nobody sees when it began", async () => {
  const store = encryptedStore(open(), { passphrase });
  await store.commit(id, commit(0, 1, { baseState: "first" }));
  await store.delete(id);
  await store.commit(id, commit(0, 1, { baseState: "second", at: 2000 }));
  assert.match(await refused(store.commit(id, commit(1, 1, { createdAt: 1000 }))), /^locked_elsewhere/);
  await store.commit(id, commit(1, 1, { createdAt: 2000 }));
  const filesOf = { conversation: id, files: [{ path: "a", content: bytes("a") }] };
  const sub = (createdAt) => store.commit(other, { ...commit(0, 1, { baseState: "sub" }), filesOf: { ...filesOf, createdAt } });
  assert.match(await refused(sub(1000)), /^locked_elsewhere/);
});

test("a run goes on where the store was locked", async () => {
  const store = encryptedStore(memoryStore(), { passphrase });
  const script = new ScriptedModel(() => ({ text: "The answer." }));
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: script.fetch });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store });
  await conversation.sendMessage("The question.");
  store.lock();
  assert.match(await refused(conversation.run()), /^permission_required: .*unlock/);
  await store.unlock({ passphrase });
  await conversation.run();
  assert.equal(conversation.executionStatus, "finished");
  await conversation.close();
  const again = await Conversation.open({ agent: new Agent({ llm }), store, conversationId: conversation.id });
  const kinds = (await again.activeBranch()).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["SystemPromptEvent", "MessageEvent", "MessageEvent"]);
  await again.close();
});
