// Logs with events that nobody can read: all the others can be, and nothing is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { conversation, entry, eventId, eventPath, folder, id } from "../support/archive-entries.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";
import { createModel } from "../support/model.mjs";

const broken = {
  1: '{"id":"',
  2: "[1]",
  3: `{"id":"${eventId(3)}","n":undefined,"kind":"MessageEvent"}`,
  4: '{"kind":"MessageEvent"}',
  5: "7",
};
const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", apiKey: "k" }) });

/** A conversation of eight events, some of which are broken and all of which the last one follows. */
async function opened() {
  const entries = conversation(8);
  for (const [index, text] of Object.entries(broken)) entry(entries, eventPath(Number(index))).content = text;
  const store = memoryStore();
  await Conversation.importZip(zip(entries), { store });
  return { entries, conversation: await Conversation.open({ agent, store, conversationId: id }) };
}

test("every page of a log can be read, with a placeholder for what cannot", async () => {
  const { conversation } = await opened();
  const events = [];
  for await (const event of conversation.events) events.push(event);
  assert.deepEqual(
    events.map(({ id }) => id),
    Array.from({ length: 8 }, (_, index) => eventId(index)),
  );
  for (const [index, { kind, file, why }] of events.entries()) {
    assert.equal(kind, index in broken ? "UnreadableEvent" : "MessageEvent");
    if (index in broken) assert.ok(file === eventPath(index).replace(`${folder}/`, "") && why.startsWith("it is not "), why);
  }
  assert.deepEqual(await conversation.events.slice(1, 3), events.slice(1, 3));
  assert.deepEqual(await conversation.events.at(-5), events[3]);
  assert.equal(await conversation.events.getId(2), eventId(2));
  assert.equal(await conversation.events.getIndex(eventId(5)), 5);
});

test("an event with numbers that only Python writes is read, and leaves byte for byte", async () => {
  const entries = conversation(1);
  const rated = entry(entries, eventPath(0));
  const message =
    '"llm_message":{"role":"user","content":[{"cache_prompt":false,"type":"text","text":"Hello"}],"thinking_blocks":[]},"activated_skills":[],"extended_content":[]';
  const metadata = '{"NaN":NaN,"most":Infinity,"least":-Infinity}';
  rated.content = `{"id":"${eventId(0)}","timestamp":"2026-01-31T09:15:02.123456","source":"user",${message},"critic_result":{"score":1.0,"message":"NaN","metadata":${metadata}},"kind":"MessageEvent"}`;
  const store = memoryStore();
  const [{ warnings }] = await Conversation.importZip(zip(entries), { store });
  assert.deepEqual(warnings, []);
  const { fetch, requests } = createModel([{ text: "Done." }]);
  const conversing = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/m", fetch }) }),
    store,
    conversationId: id,
  });
  const read = await conversing.events.at(0);
  assert.equal(read.kind, "MessageEvent");
  assert.deepEqual(read.critic_result, { score: 1, message: "NaN", metadata: { NaN: null, most: Infinity, least: -Infinity } });
  assert.deepEqual(await conversing.activeBranch(), [read]);
  await conversing.sendMessage("Carry on.");
  await conversing.run();
  assert.match(JSON.stringify(requests[0].body.messages), /Hello.*Carry on\./);
  assert.deepEqual(conversing.warnings, []);
  const exported = await unzip(await (await conversing.exportZip()).arrayBuffer());
  assert.equal(entry(exported, eventPath(0)).content.toString(), rated.content);
});

test("events of the history that cannot be read are a warning once the history was read, and leave as they came", async () => {
  const { entries, conversation } = await opened();
  const codes = () => conversation.warnings.map(({ code }) => code).filter((code) => code === "unreadable");
  assert.deepEqual(codes(), []);
  await conversation.pendingActions();
  assert.deepEqual(codes(), ["unreadable"]);
  const exported = await unzip(await (await conversation.exportZip()).arrayBuffer());
  for (const index of Object.keys(broken)) {
    assert.equal(entry(exported, eventPath(Number(index))).content.toString(), entry(entries, eventPath(Number(index))).content);
  }
});
