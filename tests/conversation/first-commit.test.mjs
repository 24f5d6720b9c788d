// A new conversation is stored by its first commit: opening one and leaving it again leaves nothing in the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, fileEditor, memoryStore } from "../../dist/index.js";
import { openThread } from "../../dist/thread.js";
import { createModel } from "../support/model.mjs";

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const agentOf = (replies = []) =>
  new Agent({
    llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-test-123456", fetch: createModel(replies).fetch, numRetries: 1 }),
    tools: [fileEditor()],
  });
const idsIn = async (store) => (await store.list()).map(({ conversation }) => conversation);
/** Notices of lists come in tasks of their own. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("a conversation that is opened and closed is not stored, whatever it was opened with", async () => {
  const store = memoryStore();
  const changed = [];
  const end = Conversation.onListChange(({ id }) => changed.push(id), { store });
  const conversation = await Conversation.open({
    agent: agentOf(),
    store,
    confirmationPolicy: { kind: "AlwaysConfirm" },
    tags: { title: "Mine" },
    secrets: { TOKEN: "a-secret" },
    cipher: "passphrase",
    maxIterationPerRun: 7,
  });
  const { confirmation_policy, tags, max_iterations, secret_registry } = conversation.state;
  assert.deepEqual(
    [confirmation_policy.kind, tags, max_iterations, Object.keys(secret_registry.secret_sources)],
    ["AlwaysConfirm", { title: "Mine" }, 7, ["TOKEN"]],
  );
  assert.deepEqual([conversation.events.length, await conversation.pendingActions(), await conversation.finalResponse()], [0, [], null]);
  assert.deepEqual(await conversation.workspace.list(""), []);
  assert.deepEqual(conversation.warnings, []);
  await conversation.close();
  await settled();
  assert.deepEqual([await idsIn(store), changed], [[], []]);
  end();
});

test("a thread without an id stores nothing before the first message", async () => {
  const store = memoryStore();
  for (const send of [false, true]) {
    const thread = openThread({ agent: agentOf([{ text: "Hello." }]), store });
    await thread.opened();
    const { conversationId } = thread.getSnapshot();
    if (send) await thread.send("Hello?");
    await thread.close();
    assert.deepEqual(await idsIn(store), send ? [conversationId] : []);
  }
});

test("the first change stores what the conversation was opened with, and lists hear of it once", async () => {
  for (const change of [
    (conversation) => conversation.sendMessage("Hello?"),
    (conversation) => conversation.setTags({ title: "Mine" }),
    (conversation) => conversation.setAgentState({ mine: 1 }),
    (conversation) => conversation.updateSecrets({ OTHER: "another-secret" }),
    (conversation) => conversation.workspace.write("a.txt", new TextEncoder().encode("a")),
  ]) {
    const store = memoryStore();
    const changed = [];
    const end = Conversation.onListChange(({ id }) => changed.push(id), { store });
    const conversation = await Conversation.open({
      agent: agentOf(),
      store,
      conversationId: id,
      secrets: { TOKEN: "a-secret" },
      cipher: "passphrase",
    });
    await change(conversation);
    await settled();
    assert.deepEqual([await idsIn(store), changed], [[id], [id]]);
    const stored = JSON.parse((await store.load(id)).baseState);
    assert.match(stored.secret_registry.secret_sources.TOKEN.value, /^gAAAAA/);
    await conversation.close();
    end();
  }
});

test("exports of a conversation that is not stored yet have no events", async () => {
  const store = memoryStore();
  const conversation = await Conversation.open({ agent: agentOf(), store, tags: { title: "Mine" } });
  assert.deepEqual(
    [await conversation.toMessages(), (await conversation.exportSession()).messages, await conversation.exportTrajectory()],
    [[], [], []],
  );
  const zip = await conversation.exportZip({ workspace: true });
  const copy = await conversation.fork({ tags: { title: "A copy" } });
  assert.deepEqual(await idsIn(store), [copy.id]);
  await copy.close();
  await conversation.close();
  const other = memoryStore();
  const [imported] = await Conversation.importZip(zip, { store: other });
  assert.deepEqual([imported.id, imported.outcome, imported.eventCount], [conversation.id, "created", 0]);
});

test("two handles on an id that is not stored: the second follows, sees the first message, and takes over", async () => {
  const store = memoryStore();
  const writer = await Conversation.open({ agent: agentOf([{ text: "Hello." }]), store, conversationId: id });
  const thread = openThread({ agent: agentOf(), store, conversationId: id });
  const follower = await thread.opened();
  assert.deepEqual([follower.access, await idsIn(store)], ["follower", []]);
  const shows = (holds) =>
    new Promise((resolve) => {
      const check = () => holds(thread.getSnapshot()) && resolve();
      thread.subscribe(check);
      check();
    });
  await writer.sendMessage("Hello?");
  await shows(({ messages }) => messages.length === 1);
  await writer.run();
  await shows(({ messages }) => messages.length === 2);
  await writer.close();
  await shows(({ access }) => access === "writer");
  await thread.close();
});

test("a follower of a conversation that is left without a message becomes its writer", async () => {
  const store = memoryStore();
  const writer = await Conversation.open({ agent: agentOf(), store, conversationId: id });
  const thread = openThread({ agent: agentOf([{ text: "Hello." }]), store, conversationId: id });
  await thread.opened();
  await writer.close();
  while (thread.getSnapshot().access !== "writer") await settled();
  await thread.send("Hello?");
  assert.deepEqual(await idsIn(store), [id]);
  await thread.close();
});

test("the title of a list is that of the handle and of the thread: the tag, else the beginning of the first message", async () => {
  const store = memoryStore();
  const listed = async () => (await Conversation.list({ store }))[0].title;
  const thread = openThread({ agent: agentOf([{ text: "Hello." }, { text: "Again." }]), store, conversationId: id });
  const conversation = await thread.opened();
  assert.deepEqual([conversation.title, thread.getSnapshot().title], [null, null]);
  const beginning = "Please add all the numbers in this file, and then tell me t…";
  await thread.send("Please add  all the numbers\nin this file, and then tell me the sum.");
  assert.deepEqual([await listed(), conversation.title, thread.getSnapshot().title], [beginning, beginning, beginning]);
  await thread.send("And the other file.");
  assert.deepEqual([await listed(), conversation.title], [beginning, beginning]);
  assert.equal(JSON.stringify(conversation.state).includes("threadkeep_beginning"), false);
  const zip = await conversation.exportZip();
  await conversation.setTags({ title: "Sums" });
  assert.deepEqual([await listed(), conversation.title], ["Sums", "Sums"]);
  const other = memoryStore();
  await Conversation.importZip(zip, { store: other });
  other.events = () => assert.fail("a list reads no events");
  assert.equal((await Conversation.list({ store: other }))[0].title, beginning);
  await thread.close();
});

test("a title that is cut ends with a whole character, in the list and imported", async () => {
  const family = "👨‍👩‍👧‍👦";
  for (const whole of [family, "🏳️‍🌈", "🇩🇪", "👍🏽", "1️⃣", "が\u3099", "क्षि"]) {
    const store = memoryStore();
    const agent = agentOf([{ text: "Hello." }]);
    const conversation = await Conversation.open({ agent, store, conversationId: id });
    await conversation.sendMessage(`${"a".repeat(58)}${whole}${"b".repeat(9)}`);
    const listed = (await Conversation.list({ store }))[0].title;
    assert.equal(listed, `${"a".repeat(58)}…`, whole);
    await conversation.close();
  }
  const store = memoryStore();
  const session = { title: `ab${family.repeat(60)}`, messages: [{ role: "user", content: "Hi" }] };
  await Conversation.importJSON(session, { store });
  // A tag has at most 256 code points.
  assert.equal((await Conversation.list({ store }))[0].title, `ab${family.repeat(36)}`);
});

test("what an earlier version has stored has the same title, and keeps it with the next change", async () => {
  const store = memoryStore();
  const conversation = await Conversation.open({ agent: agentOf([{ text: "Hello." }]), store, conversationId: id });
  await conversation.sendMessage("What is the time?");
  await conversation.close();
  const { length, baseState } = await store.load(id);
  const { threadkeep_beginning: beginning, ...state } = JSON.parse(baseState);
  assert.equal(beginning, "What is the time?");
  await store.commit(id, {
    expectedLength: length,
    events: [],
    files: [],
    at: Date.now(),
    durability: "strict",
    baseState: JSON.stringify(state),
  });
  assert.equal((await Conversation.list({ store }))[0].title, beginning);
  const again = await Conversation.open({ agent: agentOf(), store, conversationId: id });
  assert.equal(again.title, beginning);
  await again.sendMessage("And the date?");
  assert.equal(JSON.parse((await store.load(id)).baseState).threadkeep_beginning, beginning);
  await again.close();
});
