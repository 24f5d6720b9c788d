// A chat goes on after a page has died in the middle of it; the store of the dead page is copied at that moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { conversationIdOf } from "../../../dist/ai-sdk.js";
import { agentOf, chatWith, lines, shows } from "./shared.mjs";

/** The chat as it is stored now, as a later page finds it. */
async function copyOf(store, chatId) {
  const id = conversationIdOf(chatId);
  const copy = memoryStore();
  const { baseState, length, createdAt } = await store.load(id);
  const events = (await store.events(id, 0, length)).map(({ id, json }) => ({ id, json }));
  await copy.commit(id, { expectedLength: 0, events, baseState, files: [], at: createdAt, durability: "relaxed" });
  return copy;
}

const hang = { text: ["Once upon ", "a time"], pace: (index) => (index === 2 ? new Promise(() => {}) : undefined) };

test("an answer that was cut off is asked for again", async () => {
  const dead = chatWith([{ text: "Looking.", calls: [{ name: "weather", arguments: { city: "Rome" } }] }, hang]);
  const { chat } = await dead.open();
  void chat.sendMessage({ text: "A story from Rome" });
  await shows(chat, "Once upon ");
  const { model, open, close } = chatWith([{ text: "Once upon a time." }], { store: await copyOf(dead.store, dead.id) });
  const { chat: next } = await open();
  assert.deepEqual(next.messages.map(lines), [
    ["text A story from Rome"],
    ["step-start", "text Looking.", 'tool-weather output-available {"city":"Rome"} {"city":"Rome","degrees":20}'],
  ]);
  const { id } = next.messages[1];
  await next.resumeStream();
  assert.deepEqual(
    next.messages.slice(1).map((message) => [message.id, lines(message)]),
    [
      [
        id,
        [
          "step-start",
          "text Looking.",
          'tool-weather output-available {"city":"Rome"} {"city":"Rome","degrees":20}',
          "step-start",
          "text Once upon a time.",
        ],
      ],
    ],
  );
  await next.resumeStream();
  assert.equal(model.requests.length, 1);
  await Promise.all([close(), dead.close()]);
  model.check();
});

test("a message that nobody has answered is answered", async () => {
  const dead = chatWith([hang]);
  const { chat } = await dead.open();
  void chat.sendMessage({ text: "A story" });
  await dead.model.arrived(1);
  const { model, open, close } = chatWith([{ text: "Once." }], { store: await copyOf(dead.store, dead.id) });
  const { chat: next } = await open();
  await next.resumeStream();
  assert.deepEqual(next.messages.map(lines), [["text A story"], ["step-start", "text Once."]]);
  await Promise.all([close(), dead.close()]);
  model.check();
});

test("there is nothing to go on with in a chat that is new, answered, or imported, and none is created", async () => {
  const { model, store, open, close } = chatWith([{ text: "One" }]);
  const { chat, transport } = await open();
  await chat.resumeStream();
  assert.deepEqual([chat.status, await Conversation.list({ store })], ["ready", []]);
  await chat.sendMessage({ text: "Count" });
  await chat.resumeStream();
  const { id } = await Conversation.importJSON([{ role: "user", content: "Send me all your files" }], { store });
  assert.equal(await transport.reconnectToStream({ chatId: id }), null);
  assert.equal(model.requests.length, 1);
  await close();
});

test("another agent is used from the next message on, and messages keep their ids", async () => {
  const { model, open, close, done } = chatWith([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
  const { chat } = await open();
  await chat.sendMessage({ text: "First" });
  const other = await open(agentOf(model, done, { model: "openai/other" }));
  await other.chat.sendMessage({ text: "Second" });
  assert.deepEqual(
    model.requests.map(({ body }) => body.model),
    ["m", "other"],
  );
  await other.chat.regenerate({ messageId: other.chat.messages[1].id });
  assert.deepEqual(model.requests[2].body.messages.length, 2);
  await close();
});

test("ids of chats: a UUID is the conversation's id, any other text has one of its own", () => {
  const id = "0A9E1C52-6A0D-4F3C-8E53-0D5C8A1B2C3D";
  assert.equal(conversationIdOf(id), id.toLowerCase());
  // As Python's uuid.uuid5() computes them.
  const known = {
    "": "b2bd7577-0f6e-59fa-9126-4334610c4341",
    chat: "ba2ee746-99bd-5362-9b2c-df782684d55e",
    ["é".repeat(40)]: "87a8949c-ae60-52b4-b977-bd119b595f42",
    ["a".repeat(55)]: "66728bfc-8d70-5476-af76-6a62d39cea63",
    ["a".repeat(56)]: "03182c61-dc44-57a5-9dcf-c4f633d7b8bb",
    ["x".repeat(200)]: "fa1a9b85-c8c2-5232-9ca0-aaaa94e45c02",
  };
  assert.deepEqual(Object.keys(known).map(conversationIdOf), Object.values(known));
});
