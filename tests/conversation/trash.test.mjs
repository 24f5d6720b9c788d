// The trash: what of it is deleted and when, and what becomes of it when two devices do not agree.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Agent, Conversation, LLM, emptyTrash, memoryStore, taskTool, updateConversations } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { storeWith } from "../support/store-with.mjs";
import { isOfSubagent } from "../subagents/requests.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: createModel([]).fetch, numRetries: 0 }) });
const day = 86_400_000;
const today = Date.UTC(2026, 6, 1);

/** Lets the time be that of a test, which begins today; returns what sets it to so many days later. */
function clock(t) {
  t.mock.timers.enable({ apis: ["Date"], now: today });
  return (days) => t.mock.timers.setTime(today + days * day);
}

async function closed(store, text = "Hello") {
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage(text);
  await conversation.close();
  return conversation.id;
}

const trash = (store, ...ids) => updateConversations(ids, { trashed: true }, { store });
const restore = (store, ...ids) => updateConversations(ids, { trashed: false }, { store });
const listed = async (store, trashed = false) => (await Conversation.list({ store, trashed })).map(({ id }) => id).sort();

/** What another device gets of it. */
async function archive(store, conversationId) {
  const conversation = await Conversation.open({ agent, store, conversationId });
  const zip = await conversation.exportZip();
  await conversation.close();
  return zip;
}

test("what has been in the trash for thirty days is deleted, and nothing else", async (t) => {
  const later = clock(t);
  const store = memoryStore();
  const ids = [];
  for (const days of [0, 1, 2]) {
    later(days);
    ids.push(await closed(store));
    await trash(store, ids[days]);
  }
  const [first, second, third] = ids;
  const [kept, archived, restored] = [await closed(store), await closed(store), await closed(store)];
  await updateConversations(archived, { archived: true, pinned: true }, { store });
  await trash(store, restored);
  await restore(store, restored);
  later(29.99);
  assert.deepEqual(await emptyTrash({ store }), []);
  later(31.5);
  const changed = [];
  const stop = Conversation.onListChange(({ id }) => changed.push(id), { store });
  assert.deepEqual((await emptyTrash({ store })).sort(), [first, second].sort());
  assert.deepEqual([await listed(store, true), await listed(store)], [[third], [kept, archived, restored].sort()]);
  assert.equal(await store.load(first), undefined);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(changed.sort(), [first, second].sort(), "lists hear of it");
  stop();
  later(400);
  assert.deepEqual(await emptyTrash({ store }), [third]);
  assert.deepEqual(await emptyTrash({ store }), []);
  assert.deepEqual(await listed(store), [kept, archived, restored].sort(), "what is in no trash stays for ever");
});

test("another age may be given: 0 is everything, whatever the clock of another device says", async (t) => {
  const later = clock(t);
  const [store, ahead] = [memoryStore(), memoryStore()];
  const [old, young] = [await closed(store), await closed(store)];
  await trash(store, old);
  later(2);
  await trash(store, young);
  later(40);
  const future = await closed(ahead);
  await trash(ahead, future);
  const zip = await archive(ahead, future);
  later(3);
  await Conversation.importZip(zip, { store });
  assert.deepEqual(await emptyTrash({ store, olderThan: 2 * day }), [old]);
  assert.deepEqual(await emptyTrash({ store, olderThan: Number.POSITIVE_INFINITY }), []);
  assert.deepEqual(await emptyTrash({ store, olderThan: 1 }), [young], "it has been here for no time yet");
  assert.deepEqual(await emptyTrash({ store, olderThan: 0 }), [future]);
  for (const olderThan of [-1, Number.NaN, "30", null])
    await assert.rejects(emptyTrash({ store, olderThan }), { code: "invalid_options", message: /milliseconds/ });
});

test("a conversation that another device has trashed long ago stays for thirty days after its import", async (t) => {
  const later = clock(t);
  const [store, other] = [memoryStore(), memoryStore()];
  const id = await closed(other);
  await trash(other, id);
  later(100);
  await Conversation.importZip(await archive(other, id), { store });
  const [{ trashedAt, updatedAt }] = await Conversation.list({ store, trashed: true });
  assert.deepEqual([trashedAt, updatedAt], [new Date(today), new Date(today)], "as it is there");
  assert.deepEqual(await emptyTrash({ store }), []);
  later(129);
  assert.deepEqual(await emptyTrash({ store }), []);
  later(130);
  assert.deepEqual(await emptyTrash({ store }), [id]);
});

for (const goesOnHere of [false, true]) {
  const way = goesOnHere ? "also where it is merged" : "where it continues";

  test(`what an import adds to a conversation in the trash keeps it for thirty days, ${way}`, async (t) => {
    const later = clock(t);
    const [store, other] = [memoryStore(), memoryStore()];
    const id = await closed(store);
    await Conversation.importZip(await archive(store, id), { store: other });
    const say = async (device) => {
      const conversation = await Conversation.open({ agent, store: device, conversationId: id });
      await conversation.sendMessage("More");
      await conversation.close();
    };
    if (goesOnHere) await say(store);
    await trash(store, id);
    later(1);
    await say(other);
    later(100);
    const [{ outcome }] = await Conversation.importZip(await archive(other, id), { store });
    assert.equal(outcome, goesOnHere ? "merged" : "continued");
    assert.deepEqual(await listed(store, true), [id]);
    assert.deepEqual(await emptyTrash({ store }), []);
    later(130);
    assert.deepEqual(await emptyTrash({ store }), [id]);
  });
}

test("a conversation that has gone on in the trash stays, and one that is open", async (t) => {
  const later = clock(t);
  const store = memoryStore();
  const [written, opened] = [await closed(store), await closed(store)];
  await trash(store, written, opened);
  later(20);
  const conversation = await Conversation.open({ agent, store, conversationId: written });
  await conversation.sendMessage("One more thing");
  await conversation.close();
  later(40);
  const handle = await Conversation.open({ agent, store, conversationId: opened });
  assert.deepEqual(await emptyTrash({ store }), []);
  assert.deepEqual(await listed(store, true), [written, opened].sort());
  await handle.close();
  assert.deepEqual(await emptyTrash({ store }), [opened]);
  later(50);
  assert.deepEqual(await emptyTrash({ store }), [written], "thirty days after it has gone on");
});

test("what is restored, or goes on, while others are deleted stays", async (t) => {
  const later = clock(t);
  const inner = memoryStore();
  const ids = [await closed(inner), await closed(inner), await closed(inner), await closed(inner)];
  await trash(inner, ...ids);
  later(40);
  const store = storeWith(inner, {
    close() {},
    async delete(id) {
      await inner.delete(id);
      const [restored, written] = ids.filter((other) => other !== id);
      if ((await inner.list()).length !== 3) return;
      await restore(inner, restored);
      const conversation = await Conversation.open({ agent, store: inner, conversationId: written });
      await conversation.sendMessage("Wait");
      await conversation.close();
      kept.push(restored, written);
    },
  });
  const kept = [];
  const deleted = await emptyTrash({ store, olderThan: 0 });
  assert.deepEqual([kept.length, deleted.length], [2, 2]);
  assert.deepEqual((await inner.list()).map(({ conversation }) => conversation).sort(), kept.sort());
});

test("a signal stops it between two conversations", async (t) => {
  const later = clock(t);
  const store = memoryStore();
  const ids = [await closed(store), await closed(store), await closed(store)];
  await trash(store, ...ids);
  later(40);
  const stopped = AbortSignal.abort(new Error("enough"));
  const whole = { code: "aborted", cause: stopped.reason };
  await assert.rejects(emptyTrash({ store, signal: stopped }), whole);
  assert.equal((await listed(store, true)).length, 3);
  const stop = new AbortController();
  const end = Conversation.onListChange(() => stop.abort(), { store });
  await assert.rejects(emptyTrash({ store, signal: stop.signal }), { code: "aborted" });
  end();
  assert.equal((await listed(store, true)).length, 2, "what is deleted is deleted completely, and the rest stays");
  await assert.rejects(emptyTrash({ store, signal: {} }), { code: "invalid_options" });
  await assert.rejects(emptyTrash({ store, olderthan: 1 }), { code: "invalid_options", message: /did you mean olderThan\?/ });
  assert.equal((await emptyTrash({ store })).length, 2);
});

test("sub-agents are deleted with the conversation that they worked for", async (t) => {
  const later = clock(t);
  const store = memoryStore();
  const model = createModel((body) => {
    if (isOfSubagent(body) || body.messages.some(({ role }) => role === "tool")) return { text: "Done." };
    return { calls: [{ name: "task", arguments: { prompt: "SUBAGENT: go" } }] };
  });
  const withTasks = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 0 }), tools: [taskTool()] });
  const conversation = await Conversation.open({ agent: withTasks, store });
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.close();
  assert.equal((await store.list()).length, 2);
  await trash(store, conversation.id);
  later(40);
  assert.deepEqual(await emptyTrash({ store }), [conversation.id]);
  assert.deepEqual(await store.list(), []);
});

/** Two devices whose clocks are an hour apart; both have the conversation. Everything is done on a device at its own time. */
async function devices(t, { isFirstAhead }) {
  let minutes = 0;
  t.mock.timers.enable({ apis: ["Date"], now: today });
  const makeDevice = (offset) => {
    const store = memoryStore();
    const at = async (act) => {
      minutes += 1;
      t.mock.timers.setTime(today + (minutes + offset) * 60_000);
      return act(store);
    };
    return {
      store,
      at,
      isTrashed: async (id) => (await Conversation.list({ store, trashed: true })).some((info) => info.id === id),
    };
  };
  const [one, other] = isFirstAhead ? [makeDevice(60), makeDevice(0)] : [makeDevice(0), makeDevice(60)];
  const id = await one.at((store) => closed(store));
  const hand = async (from, to) => {
    const zip = await from.at((store) => archive(store, id));
    await to.at((store) => Conversation.importZip(zip, { store }));
  };
  await hand(one, other);
  return { one, other, id, hand };
}

for (const isFirstAhead of [true, false]) {
  const clocks = isFirstAhead ? "ahead" : "behind";

  test(`the restoration of what another device has trashed counts there too, with a clock that is ${clocks}`, async (t) => {
    const { one, other, id, hand } = await devices(t, { isFirstAhead });
    await one.at((store) => trash(store, id));
    await hand(one, other);
    assert.equal(await other.isTrashed(id), true, "the trash is in the archive");
    await other.at((store) => restore(store, id));
    await hand(one, other);
    assert.equal(await other.isTrashed(id), false, "the older state does not come back");
    await hand(other, one);
    assert.equal(await one.isTrashed(id), false);
    await one.at((store) => trash(store, id));
    await hand(one, other);
    assert.deepEqual([await one.isTrashed(id), await other.isTrashed(id)], [true, true], "and again");
    await other.at((store) => emptyTrash({ store, olderThan: 0 }));
    assert.equal(await other.store.load(id), undefined);
  });

  test(`the handle that is open counts as well, with a clock that is ${clocks}`, async (t) => {
    const { one, other, id, hand } = await devices(t, { isFirstAhead });
    await one.at((store) => trash(store, id));
    await hand(one, other);
    const handle = await Conversation.open({ agent, store: other.store, conversationId: id });
    await other.at((store) => restore(store, id));
    await handle.close();
    const { tags, agent_state } = JSON.parse((await other.store.load(id)).baseState);
    const [trashed] = [JSON.parse((await one.store.load(id)).baseState)];
    assert.deepEqual(tags, {});
    assert.ok(agent_state.tag_times.trashed > trashed.agent_state.tag_times.trashed);
    await hand(other, one);
    assert.equal(await one.isTrashed(id), false);
  });
}

test("of a tag that both devices change the later change counts, and other tags of both stay", async (t) => {
  const { one, other, id, hand } = await devices(t, { isFirstAhead: false });
  const update = (device, changes) => device.at((store) => updateConversations(id, changes, { store }));
  await update(one, { pinned: true, tags: { folder: "here" } });
  await update(other, { archived: true, tags: { folder: "there" } });
  await hand(one, other);
  await hand(other, one);
  const [mine, yours] = await Promise.all(
    [one, other].map(async ({ store }) => (await Conversation.list({ store })).find((info) => info.id === id)),
  );
  assert.deepEqual(mine.tags, yours.tags);
  assert.deepEqual([mine.tags.folder, mine.pinnedAt !== null, mine.archivedAt !== null], ["there", true, true]);
});
