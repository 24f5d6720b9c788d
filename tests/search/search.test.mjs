// `search()` in stores that have no index, where each query reads the conversations: what is found, and in which order.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  Agent,
  Conversation,
  LLM,
  memoryStore,
  search,
  searchConversations,
  updateConversations,
  updateSearchIndex,
} from "../../dist/index.js";

const store = memoryStore();
const ids = {};

/** A conversation in which these are the messages of the user. */
async function said(title, ...messages) {
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store, tags: { title } });
  for (const message of messages) await conversation.sendMessage(message);
  await conversation.close();
  ids[title] = conversation.id;
  return conversation;
}

const llm = new LLM({ model: "openai/test", apiKey: "k", numRetries: 0 });
const titles = ({ hits }) => hits.map(({ title }) => title);

before(async () => {
  await said("Travel", "A train to Kraków", "and another train back");
  await said("Cooking", "How long does rice take?", "In the train, rice is hard to cook. A train has no stove.");
  await said("Trains of thought", "Nothing to see");
});

test("hits name conversation, event and place, the latest conversation first, and a title before its events", async () => {
  const { hits, more, pending } = await search("train", { store });
  assert.deepEqual([more, pending], [false, 0]);
  assert.deepEqual(
    hits.map(({ title, eventIndex }) => [title, eventIndex]),
    [
      ["Trains of thought", null],
      ["Cooking", 2],
      ["Travel", 2],
      ["Travel", 1],
    ],
  );
  const [title, hit] = hits;
  assert.deepEqual([title.excerpt, title.ranges, title.eventId, title.path], ["Trains of thought", [[0, 6]], null, null]);
  const [event] = await store.events(ids.Cooking, 2, 3);
  const { timestamp } = JSON.parse(event.json);
  assert.deepEqual(hit, {
    conversationId: ids.Cooking,
    title: "Cooking",
    updatedAt: (await Conversation.list({ store })).find(({ id }) => id === ids.Cooking).updatedAt,
    archivedAt: null,
    eventId: event.id,
    eventIndex: 2,
    kind: "MessageEvent",
    source: "user",
    timestamp,
    excerpt: "In the train, rice is hard to cook. A train has no stove.",
    ranges: [
      [7, 12],
      [38, 43],
    ],
    path: ["llm_message", "content", 0, "text"],
    offset: 7,
  });
});

test("limits, and one conversation", async () => {
  const few = await search("train", { store, limit: 2 });
  assert.deepEqual([titles(few), few.more], [["Trains of thought", "Cooking"], true]);
  const each = await search("train", { store, perConversation: 1 });
  assert.deepEqual(titles(each), ["Trains of thought", "Cooking", "Travel"]);
  const one = await search("train", { store, conversationId: ids.Travel });
  assert.deepEqual(titles(one), ["Travel", "Travel"]);
  assert.deepEqual(titles(await search("rice train", { store })), ["Cooking"]);
  assert.deepEqual(titles(await search("krakow", { store })), ["Travel"]);
  assert.deepEqual(await search(" …! ", { store }), { hits: [], more: false, pending: 0 });
});

test("what is written is found at once, and what is deleted is not", async () => {
  const conversation = await said("Later", "zebra one");
  assert.deepEqual(titles(await search("zebra", { store })), ["Later"]);
  const again = await Conversation.open({ agent: new Agent({ llm }), store, conversationId: conversation.id });
  await again.sendMessage("zebra two");
  assert.equal((await search("zebra", { store })).hits.length, 2);
  await again.close();
  await Conversation.delete(conversation.id, { store });
  assert.deepEqual(titles(await search("zebra", { store })), []);
});

test("the trash is searched only when asked for, and what is archived says so", async () => {
  const { id } = await said("Bin", "quokka");
  await updateConversations(id, { trashed: true }, { store });
  assert.deepEqual(titles(await search("quokka", { store })), []);
  assert.deepEqual(titles(await search("quokka", { store, trashed: true })), ["Bin"]);
  await updateConversations(id, { trashed: false, archived: true }, { store });
  assert.ok((await search("quokka", { store })).hits[0].archivedAt instanceof Date);
  await Conversation.delete(id, { store });
});

test("options that nobody can mean are refused", async () => {
  const wrong = { code: "invalid_options" };
  await assert.rejects(search(3, { store }), wrong);
  for (const options of [{ limit: 0 }, { limit: 1.5 }, { limit: 1001 }, { perConversation: -1 }, { trashed: "yes" }, { subagents: 1 }])
    await assert.rejects(search("x", { store, ...options }), wrong, JSON.stringify(options));
  for (const options of [{ conversationId: "x" }, { signal: {} }, { sort: "time" }, { store: {} }])
    await assert.rejects(search("x", { store, ...options }), wrong, JSON.stringify(options));
  await assert.rejects(updateSearchIndex({ store, onProgress: 1 }), wrong);
  assert.throws(() => searchConversations({ limit: 1 }), wrong);
  await updateSearchIndex({ store });
});

test("a signal stops it", async () => {
  const stopped = new AbortController();
  stopped.abort(new Error("enough"));
  await assert.rejects(
    search("train", { store, signal: stopped.signal }),
    ({ code, cause }) => code === "aborted" && cause.message === "enough",
  );
});

test("the agent finds other conversations, and not the one that it is in", async () => {
  const agent = new Agent({ llm, tools: [searchConversations({ store })] });
  const conversation = await Conversation.open({ agent, store, tags: { title: "Asking about a train" } });
  await conversation.sendMessage("Where did I write about a train?");
  const { content, is_error: isError } = await conversation.executeTool("search_conversations", { query: "train" });
  const [{ text }] = content;
  assert.equal(isError, false);
  assert.equal(text.split("\n").length, 4, text);
  assert.match(
    text,
    new RegExp(`^- "Trains of thought" \\(${ids["Trains of thought"]}, \\d{4}-\\d\\d-\\d\\d\\), title: Trains of thought$`, "m"),
  );
  assert.match(text, /^- "Cooking" .*, user: In the train, rice/m);
  assert.doesNotMatch(text, /Asking/);
  const nothing = await conversation.executeTool("search_conversations", { query: "wombat" });
  assert.equal(nothing.content[0].text, "Nothing was found in other conversations.");
  await conversation.close();
});
