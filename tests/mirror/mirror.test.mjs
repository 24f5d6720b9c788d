// Mirrors of a store: to four functions of the host and to another store, in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, mirror, restoreMirror } from "../../dist/index.js";
import { ScriptedModel } from "../support/model/script.mjs";
import { each, reasons } from "../support/bad-inputs/odd.mjs";
import { storeWith } from "../support/store-with.mjs";
import { until } from "../support/until.mjs";
import { eventsIn, placeInMemory, refusedByPython, textsIn } from "./place.mjs";

const script = new ScriptedModel(() => ({ text: "So it is." }));
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: script.fetch }) });
const open = (store, conversationId, more) => Conversation.open({ agent, store, ...(conversationId && { conversationId }), ...more });
const hexOf = (id) => id.replaceAll("-", "");
const eventsOf = (store, id) => store.events(id, 0, Number.MAX_SAFE_INTEGER);
const idsOf = async (store, id) => (await eventsOf(store, id)).map((event) => event.id);

/** Says something on one device, and closes the conversation. */
async function say(store, id, text) {
  const conversation = await open(store, id);
  await conversation.sendMessage(text);
  await conversation.run();
  await conversation.close();
  return conversation.id;
}

/** Opens a mirror for a test. */
async function mirrored(t, store, place, options) {
  const opened = await mirror(store, place, options);
  t.after(() => opened.close());
  return opened;
}

test("every commit is there soon after, as an export has it, and comes back", async (t) => {
  const [store, place] = [memoryStore(), placeInMemory()];
  const states = [];
  const opened = await mirrored(t, store, place, { onChange: ({ status }) => states.push(status) });
  const conversation = await open(store, undefined, { tags: { title: "Kept" } });
  await conversation.sendMessage("Is it there?");
  await until(() => eventsIn(place).length === conversation.events.length, "the message is there without a call");
  await conversation.run();
  await store.commit(conversation.id, {
    expectedLength: conversation.events.length,
    events: [],
    files: [
      { path: "workspace/a.txt", content: new Uint8Array([1, 2, 3]) },
      { path: "drafts/x", content: new Uint8Array([1]) },
    ],
    at: Date.now(),
    durability: "relaxed",
  });
  await conversation.setTags({ title: "Still kept" });
  await opened.catchUp();
  const hex = hexOf(conversation.id);
  const events = await eventsOf(store, conversation.id);
  assert.deepEqual(
    eventsIn(place),
    events.map(({ index, id }) => `${hex}/events/event-${String(index).padStart(5, "0")}-${id}.json`),
  );
  assert.deepEqual([...place.files.get(`${hex}/workspace/a.txt`)], [1, 2, 3]);
  const others = [...place.files.keys()].filter((path) => !path.includes("/events/"));
  assert.deepEqual(others.sort(), [`${hex}/base_state.json`, `${hex}/workspace/a.txt`]);
  assert.ok(!JSON.stringify(textsIn(place)).includes("sk-0123456789abcdef"), "the key stays here");
  const { doneAt, ...state } = opened.state;
  assert.deepEqual(state, { status: "up_to_date", conversations: 0, events: 0, waitingFor: [], error: null });
  assert.ok(Math.abs(doneAt - Date.now()) < 60_000);
  assert.ok(states.includes("behind"));
  const [restored, progress] = [memoryStore(), []];
  const imported = await restoreMirror(place, { store: restored, onProgress: ({ done }) => progress.push(done) });
  assert.deepEqual(
    imported.map(({ id, outcome, warnings }) => [id, outcome, warnings]),
    [[conversation.id, "created", []]],
  );
  assert.deepEqual(await eventsOf(restored, conversation.id), events);
  assert.deepEqual([...(await restored.readFile(conversation.id, "workspace/a.txt"))], [1, 2, 3]);
  assert.equal(progress.at(-1), place.files.size);
  assert.deepEqual(
    (await restoreMirror(place, { store: restored })).map(({ outcome }) => outcome),
    ["up_to_date"],
  );
  await conversation.close();
});

test("a commit costs what it has, however long the log is", async (t) => {
  const [store, place] = [memoryStore(), placeInMemory()];
  const id = await say(store, undefined, "first");
  for (let n = 0; n < 20; n++) await say(store, id, `message ${n}`);
  const opened = await mirrored(t, store, place);
  await opened.catchUp();
  const conversation = await open(store, id);
  await opened.catchUp();
  place.asked.length = 0;
  await conversation.sendMessage("one more");
  await until(() => eventsIn(place).length === conversation.events.length && opened.state.events === 0, "it is there");
  const writes = place.asked.filter(([what]) => what === "write").map(([, path]) => path.replace(/event-(\d+).*/, "event-$1"));
  const last = String(conversation.events.length - 1).padStart(5, "0");
  assert.deepEqual([...new Set(writes)], [`${hexOf(id)}/events/event-${last}`, `${hexOf(id)}/base_state.json`]);
  assert.ok(!place.asked.some(([what]) => what === "list"), JSON.stringify(place.asked));
  await conversation.close();
});

test("a place that fails holds nobody up, and has everything once it works again", async (t) => {
  const [store, place] = [memoryStore(), placeInMemory()];
  place.failure = Object.assign(new Error("503 Service Unavailable"), { status: 503 });
  const opened = await mirrored(t, store, place);
  const id = await say(store, undefined, "Does it matter?");
  await until(() => opened.state.status === "failed" && opened.state.events > 0, "it says how far it is behind");
  const { length } = await eventsOf(store, id);
  assert.equal(opened.state.events, length);
  assert.equal(opened.state.error.code, "network");
  assert.match(opened.state.error.message, /503 Service Unavailable; it is tried again later/);
  await assert.rejects(opened.catchUp(), { code: "network" });
  place.failure = undefined;
  await until(() => opened.state.status === "up_to_date", "it tries again by itself");
  assert.equal(eventsIn(place).length, length);
  assert.deepEqual(refusedByPython(place), []);
});

test("a place may throw whatever it likes, and its error says that the place has failed", async (t) => {
  const store = memoryStore();
  await say(store, undefined, "Does it matter?");
  for (const [name, reason] of each(reasons)) {
    const opened = await mirrored(t, store, { ...placeInMemory(), list: () => Promise.reject(reason) });
    await assert.rejects(opened.catchUp(), { code: "network", message: /^the place of the mirror has failed/ }, String(name));
    assert.equal(opened.state.error.code, "network", String(name));
    opened.close();
  }
});

test("a write that is cut off anywhere leaves a directory that Python opens, and the rest follows", async (t) => {
  const store = memoryStore();
  const id = await say(store, undefined, "before");
  for (let dies = 0; dies < 6; dies++) {
    const place = placeInMemory();
    await (await mirrored(t, store, place)).catchUp();
    await say(store, id, `message ${dies}`);
    let writes = 0;
    const dying = {
      ...place,
      async write(path, bytes) {
        if (writes++ >= dies) throw new Error("dead");
        await place.write(path, bytes);
      },
    };
    const first = await mirror(store, dying);
    await first.catchUp().catch(({ code }) => assert.equal(code, "network"));
    first.close();
    assert.deepEqual(refusedByPython(place), [], `dies before write ${dies}`);
    await (await mirrored(t, store, place)).catchUp();
    assert.equal(eventsIn(place).length, (await eventsOf(store, id)).length);
  }
});

test("two devices that mirror to one place have all events in the end, each at its own HEAD", async (t) => {
  const [one, other, place] = [memoryStore(), memoryStore(), placeInMemory()];
  const id = await say(one, undefined, "common");
  const first = await mirrored(t, one, place);
  await first.catchUp();
  await restoreMirror(place, { store: other });
  const second = await mirrored(t, other, place);
  await second.catchUp();
  // The first one has it open while the other goes on.
  const conversation = await open(one, id);
  await conversation.sendMessage("on the first");
  await say(other, id, "on the other");
  await second.catchUp();
  await first.catchUp();
  const branch = async () => (await conversation.activeBranch()).map((event) => event.id);
  const before = await branch();
  const all = () => new Set(eventsIn(place).map((path) => path.match(/event-\d+-([\w-]+)\.json/)[1]));
  for (const event of await idsOf(one, id)) assert.ok(all().has(event), "its events are there while it waits");
  await conversation.sendMessage("on the first again");
  await until(() => first.state.status === "waiting", "it waits");
  assert.deepEqual(first.state.waitingFor, [id]);
  for (const event of await idsOf(one, id)) assert.ok(all().has(event), "and the next ones, too");
  assert.deepEqual(refusedByPython(place), []);
  await conversation.close();
  await first.catchUp();
  await second.catchUp();
  await first.catchUp();
  const sorted = async (store) => (await idsOf(store, id)).sort();
  assert.deepEqual(await sorted(one), await sorted(other));
  assert.deepEqual(await sorted(one), [...all()].sort());
  const again = await open(one, id);
  const own = (await again.activeBranch()).map((event) => event.id);
  assert.deepEqual(own.slice(0, before.length), before, "the branch of this device");
  assert.ok((await again.branches()).length > 0, "that of the other one is beside it");
  await again.close();
  assert.deepEqual(refusedByPython(place), []);
});

test("what is missing here stays there; only a deletion follows, and only if that was asked for", async (t) => {
  for (const deletions of ["keep", "follow"]) {
    const [store, place] = [memoryStore(), placeInMemory()];
    const ids = [await say(store, undefined, "one"), await say(store, undefined, "two")];
    const opened = await mirrored(t, store, place, { deletions });
    await opened.catchUp();
    const before = place.files.size;
    // As a browser loses it: nobody is told.
    await store.delete(ids[0]);
    await opened.catchUp();
    assert.equal(place.files.size, before);
    await Conversation.delete(ids[1], { store });
    await opened.catchUp();
    const left = new Set([...place.files.keys()].map((path) => path.split("/")[0]));
    assert.deepEqual([...left].sort(), (deletions === "keep" ? ids : ids.slice(0, 1)).map(hexOf).sort());
    const empty = await mirrored(t, memoryStore(), place, { deletions });
    await empty.catchUp();
    assert.deepEqual(new Set([...place.files.keys()].map((path) => path.split("/")[0])), left);
  }
});

test("verify() finds and mends each file that differs", async (t) => {
  const [store, place] = [memoryStore(), placeInMemory()];
  const id = await say(store, undefined, "Is it whole?");
  await store.commit(id, {
    expectedLength: (await eventsOf(store, id)).length,
    events: [],
    files: [{ path: "TASKS.json", content: new TextEncoder().encode("[]") }],
    at: Date.now(),
    durability: "relaxed",
  });
  const opened = await mirrored(t, store, place);
  await opened.catchUp();
  const whole = textsIn(place);
  const folder = hexOf(id);
  const [torn, gone] = eventsIn(place);
  place.files.set(torn, place.files.get(torn).slice(0, 9));
  place.files.delete(gone);
  place.files.set(`${folder}/TASKS.json`, new TextEncoder().encode("[1]"));
  place.files.set(`${folder}/base_state.json`, place.files.get(`${folder}/base_state.json`).slice(0, 5));
  const progress = [];
  const report = await opened.verify({ onProgress: (each) => progress.push(each) });
  assert.deepEqual(textsIn(place), whole);
  assert.equal(report.conversations, 1);
  assert.equal(report.files, place.files.size);
  const found = report.differences.map(({ path, problem, isMended }) => [path, problem, isMended]);
  assert.deepEqual(found, [
    [torn.slice(folder.length + 1), "different", true],
    [gone.slice(folder.length + 1), "missing", true],
    ["base_state.json", "different", true],
    ["TASKS.json", "different", true],
  ]);
  assert.deepEqual(progress.at(-1), { done: report.files, total: report.files, unit: "files" });
  assert.deepEqual((await opened.verify()).differences, []);
});

test("another store is a place like any other", async (t) => {
  const [store, target, restored] = [memoryStore(), memoryStore(), memoryStore()];
  const id = await say(store, undefined, "to the other store");
  const opened = await mirrored(t, store, target);
  await opened.catchUp();
  const conversation = await open(store, id);
  await conversation.sendMessage("more");
  await until(async () => (await target.load(id))?.length === conversation.events.length, "it follows");
  await opened.catchUp();
  await conversation.close();
  assert.deepEqual(await eventsOf(target, id), await eventsOf(store, id));
  assert.deepEqual((await opened.verify()).differences, []);
  // Who has it open there is not displaced.
  const held = await open(target, id);
  await say(store, id, "while it is open there");
  await assert.rejects(opened.catchUp(), { code: "locked_elsewhere" });
  await held.close();
  await opened.catchUp();
  assert.deepEqual(await idsOf(target, id), await idsOf(store, id));
  await restoreMirror(target, { store: restored });
  assert.deepEqual(await eventsOf(restored, id), await eventsOf(store, id));
});

test("a page that dies between any two commits to another store keeps the next one from nothing", async (t) => {
  const store = memoryStore();
  const id = await say(store, undefined, "to a store that is reached for a while");
  for (let most = 0, isWhole = false; !isWhole; most++) {
    const target = memoryStore();
    let commits = 0;
    const commit = (...given) => (++commits > most ? Promise.reject(new Error("the page is gone")) : target.commit(...given));
    const dying = await mirror(store, storeWith(target, { commit }));
    await dying.catchUp().then(
      () => (isWhole = true),
      (error) => assert.match(error.message, /the page is gone/),
    );
    dying.close();
    assert.equal((await target.load(id))?.baseState !== undefined, isWhole, "it exists with its last commit");
    const opened = await mirrored(t, store, target);
    await opened.catchUp();
    assert.deepEqual(await eventsOf(target, id), await eventsOf(store, id));
    assert.deepEqual((await opened.verify()).differences, []);
    assert.ok(!isWhole || most > 1, "more than one commit brings a new conversation");
  }
});

test("two devices that write to another store at the same moment lose nothing", async (t) => {
  for (const [commit, isBegun] of [
    [0, true],
    [0, false],
    [1, false],
  ]) {
    const [one, other, target] = [memoryStore(), memoryStore(), memoryStore()];
    const id = await say(one, undefined, "of one device");
    // Logs of one length, so that a store which only counts events takes one for the other.
    await say(other, id, "of the other one");
    let rival;
    const bringOther = async () => {
      rival ??= await mirrored(t, other, target);
      await rival.catchUp();
    };
    if (isBegun) await bringOther();
    let commits = 0;
    const overtaken = async (...given) => {
      if (commits++ === commit) {
        if (isBegun) await say(other, id, "and more");
        await bringOther();
      }
      return target.commit(...given);
    };
    const opened = await mirrored(t, one, storeWith(target, { commit: overtaken }));
    await opened.catchUp();
    await rival.catchUp();
    const there = (await idsOf(target, id)).sort();
    assert.deepEqual((await idsOf(one, id)).sort(), there);
    assert.deepEqual((await idsOf(other, id)).sort(), there);
    assert.equal(there.length, isBegun ? 8 : 6);
    const { baseState } = await target.load(id);
    assert.ok(there.includes(JSON.parse(baseState).leaf_event_id));
    assert.deepEqual((await rival.verify()).differences, []);
  }
});

test("verify() brings a conversation of another store anew if one of its events differs, unless that has more", async (t) => {
  const [store, intact, restored] = [memoryStore(), memoryStore(), memoryStore()];
  const id = await say(store, undefined, "Is it whole?");
  const torn = new Set();
  const read = async (...given) =>
    (await intact.events(...given)).map((event) => (torn.has(event.index) ? { ...event, json: '{"kind":"torn"}' } : event));
  // Once it is deleted, nothing of it is torn.
  const remove = (...given) => (torn.clear(), intact.delete(...given));
  const target = storeWith(intact, { events: read, delete: remove });
  const opened = await mirrored(t, store, target);
  await opened.catchUp();
  const [, { id: event }] = await eventsOf(store, id);
  const path = `events/event-00001-${event}.json`;
  torn.add(1);
  assert.deepEqual((await opened.verify()).differences, [{ conversation: id, path, problem: "different", isMended: true }]);
  assert.deepEqual((await opened.verify()).differences, []);
  assert.deepEqual(await eventsOf(intact, id), await eventsOf(store, id));
  await restoreMirror(target, { store: restored });
  assert.deepEqual(await eventsOf(restored, id), await eventsOf(store, id));
  // An event that nobody could take in is worth more than one that differs.
  const { length } = await intact.load(id);
  const odd = { id: "0189d7c6-0000-4000-8000-00000000000a", json: "torn" };
  await intact.commit(id, { expectedLength: length, events: [odd], files: [], at: Date.now(), durability: "relaxed" });
  torn.add(1);
  const { differences } = await opened.verify();
  assert.deepEqual(differences, [{ conversation: id, path, problem: "different", isMended: false }]);
  assert.equal((await intact.load(id)).length, length + 1);
});

test("a conversation that is begun anew after its store was lost gets the lost one back, and verify() finds nothing", async (t) => {
  for (const place of [placeInMemory(), memoryStore()]) {
    const [lost, store] = [memoryStore(), memoryStore()];
    const id = await say(lost, undefined, "before the store was lost");
    const first = await mirror(lost, place);
    await first.catchUp();
    first.close();
    await say(store, id, "after it");
    const opened = await mirrored(t, store, place);
    await opened.catchUp();
    assert.equal((await eventsOf(store, id)).length, 6);
    // What was the first event of a log names now that it follows none, which its file there need not.
    const texts = (await eventsOf(store, id)).map(({ json }) => JSON.parse(json));
    assert.equal(texts.filter(({ parent_id }) => parent_id === "__root__").length, 1);
    assert.deepEqual((await opened.verify()).differences, []);
  }
});

test("a mirror that is closed says so, and a store is no mirror of itself", async () => {
  const store = memoryStore();
  const opened = await mirror(store, placeInMemory());
  opened.close();
  assert.equal(opened.state.status, "closed");
  await assert.rejects(opened.catchUp(), { code: "invalid_state" });
  await assert.rejects(mirror(store, store), { code: "invalid_options" });
  const stopped = new AbortController();
  const other = await mirror(store, placeInMemory(), { signal: stopped.signal });
  stopped.abort();
  assert.equal(other.state.status, "closed");
});

test("the conversation of a sub-agent lies in the folder of its parent, and comes back with it", async (t) => {
  const [store, place, restored] = [memoryStore(), placeInMemory(), memoryStore()];
  const parent = await say(store, undefined, "the parent");
  const child = crypto.randomUUID();
  const { baseState } = await store.load(await say(store, child, "the child"));
  const nested = `workspace/conversations/${hexOf(parent)}/subagents/${hexOf(child)}`;
  const state = JSON.stringify({ ...JSON.parse(baseState), persistence_dir: nested });
  const { length } = await eventsOf(store, child);
  await store.commit(child, { expectedLength: length, events: [], files: [], baseState: state, at: Date.now(), durability: "relaxed" });
  const opened = await mirrored(t, store, place, { deletions: "follow" });
  await opened.catchUp();
  assert.ok(place.files.has(`${hexOf(parent)}/subagents/${hexOf(child)}/base_state.json`));
  assert.equal(eventsIn(place).length, length + (await eventsOf(store, parent)).length);
  await restoreMirror(place, { store: restored });
  for (const id of [parent, child]) assert.deepEqual(await eventsOf(restored, id), await eventsOf(store, id));
  assert.equal(JSON.parse((await restored.load(child)).baseState).persistence_dir, nested);
  await Conversation.delete(parent, { store });
  await opened.catchUp();
  assert.equal(place.files.size, 0);
});
