// Lists of the conversations of a store, which keep up with what is stored.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { storeWith } from "../../support/store-with.mjs";
import { Conversation, memoryStore, updateConversations } from "../../../dist/index.js";
import { conversationList, openThread } from "../../../dist/thread.js";
import { stage, until } from "./stage.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

test("a list of conversations keeps up while somebody looks", async () => {
  const { agent, store } = stage([{ text: "Hello." }]);
  const list = conversationList({ store });
  assert.deepEqual(list.getSnapshot(), { phase: "loading", conversations: [], error: null });
  const stop = list.subscribe(() => {});
  await until(list, ({ phase }) => phase === "ready");
  const thread = openThread({ agent, store });
  const { conversationId } = thread.getSnapshot();
  await thread.send("Hello?");
  const [created] = (await until(list, ({ conversations }) => conversations.length === 1)).conversations;
  assert.equal(created.id, conversationId);
  await thread.opened().then((conversation) => conversation.setTags({ title: "Named" }));
  await until(list, ({ conversations }) => conversations[0].title === "Named");
  await until(thread, ({ title }) => title === "Named");
  const before = list.getSnapshot();
  await list.refresh();
  assert.equal(list.getSnapshot(), before, "nothing has changed");
  await thread.close();
  await Conversation.delete(conversationId, { store });
  await until(list, ({ conversations }) => conversations.length === 0);
  stop();
  const failing = conversationList({ store: { ...memoryStore(), list: () => Promise.reject(new Error("no")) } });
  await failing.refresh();
  assert.equal(failing.getSnapshot().phase, "failed");
});

test("a list that is long to read rests between two readings, unless it is asked for", async () => {
  const { agent, store: inner } = stage([]);
  const readings = [];
  const list = async () => {
    const begun = performance.now();
    await delay(10);
    const listings = await inner.list();
    readings.push({ begun, ended: performance.now() });
    return listings;
  };
  const store = storeWith(inner, { list });
  const shown = conversationList({ store });
  const stop = shown.subscribe(() => {});
  const conversation = await Conversation.open({ agent, store });
  for (let at = 0; readings.length < 4; at++) {
    await conversation.setTags({ title: `Number ${at}` });
    await delay(1);
  }
  for (const [at, { begun, ended }] of readings.slice(0, 3).entries())
    assert.ok(readings[at + 1].begun - ended > 2 * (ended - begun), JSON.stringify(readings));
  await conversation.setTags({ title: "The last" });
  await shown.refresh();
  assert.equal(shown.getSnapshot().conversations[0].title, "The last");
  stop();
  await conversation.close();
});

test("a list of the trash has what the other list leaves out", async () => {
  const { agent, store } = stage([{ text: "Hello." }]);
  const lists = { kept: conversationList({ store }), trashed: conversationList({ store, trashed: true }) };
  const stops = Object.values(lists).map((list) => list.subscribe(() => {}));
  const thread = openThread({ agent, store });
  const { conversationId: id } = thread.getSnapshot();
  await thread.send("Hello?");
  const [out, back] = [
    [lists.kept, lists.trashed],
    [lists.trashed, lists.kept],
  ];
  for (const [trashed, [shown, other]] of [
    [false, out],
    [true, back],
    [false, out],
  ]) {
    await updateConversations(id, { trashed }, { store });
    const [info] = (await until(shown, ({ conversations }) => conversations.length === 1)).conversations;
    assert.deepEqual([info.id, info.trashedAt !== null], [id, trashed]);
    await until(other, ({ phase, conversations }) => phase === "ready" && conversations.length === 0);
  }
  await thread.close();
  for (const stop of stops) stop();
});
