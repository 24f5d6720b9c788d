// Lists of conversations: the times that they show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { conversation as entries, eventPath, id } from "../support/archive-entries.mjs";
import { zip } from "../support/zip-bytes.mjs";

const llm = new LLM({ model: "openai/gpt-4o", fetch: () => Promise.reject(new Error("no request is expected")) });
const agent = new Agent({ llm });
const happened = new Date("2026-01-31T09:15:02.123456");

async function stored(store) {
  const conversation = await Conversation.open({ agent, store });
  await conversation.setTags({ title: "Here" });
  await conversation.close();
  return conversation.id;
}

test("an import has the time of its last event and its place in the list, until it is changed", async () => {
  const store = memoryStore();
  const here = await stored(store);
  const before = Date.now();
  await Conversation.importZip(zip(entries(3)), { store });
  const listed = () => Conversation.list({ store });
  const [first, second] = await listed();
  assert.deepEqual([first.id, second.id], [here, id]);
  assert.deepEqual(second.updatedAt, happened);
  assert(second.createdAt.getTime() >= before);

  // Opening it is no change, though it stores what the page has decided about the import.
  const { baseState } = await store.load(id);
  const conversation = await Conversation.open({ agent, store, conversationId: id, confirmationPolicy: { kind: "AlwaysConfirm" } });
  assert.notEqual((await store.load(id)).baseState, baseState);
  assert.deepEqual((await listed()).map(({ updatedAt }) => updatedAt)[1], happened);
  await conversation.setTags({ title: "Continued" });
  await conversation.close();
  const [changed] = await listed();
  assert.equal(changed.id, id);
  assert(changed.updatedAt.getTime() >= before);
});

test("an import whose last event has no time that can be read has the time of the import", async () => {
  for (const timestamp of ["yesterday", ""]) {
    const store = memoryStore();
    const files = entries(2);
    const last = files.find(({ name }) => name === eventPath(1));
    last.content = last.content.replace(/"timestamp":"[^"]*"/, `"timestamp":"${timestamp}"`);
    const before = Date.now();
    await Conversation.importZip(zip(files), { store });
    const [{ updatedAt }] = await Conversation.list({ store });
    assert(updatedAt.getTime() >= before, String(updatedAt));
  }
});

test("the decisions of the host end an import's time with its mark", async () => {
  const store = memoryStore();
  await Conversation.importZip(zip(entries(2)), { store });
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
  await conversation.allowSecrets();
  await conversation.sendMessage("Go on");
  await conversation.close();
  const { baseState } = await store.load(id);
  assert.equal(JSON.parse(baseState).threadkeep_import?.last_event, undefined);
});
