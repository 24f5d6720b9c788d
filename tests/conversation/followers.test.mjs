// Followers in one page: a second handle on a conversation hears of everything that the first one stores.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { Agent, Conversation, LLM, fileEditor, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { storeWith } from "../support/store-with.mjs";
import { until as untilIt } from "../support/until.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

const note = tool({
  name: "note",
  description: "Notes a text.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: () => "noted",
});
const agentOf = (replies, tools = [note]) =>
  new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: createModel(replies).fetch, numRetries: 1 }), tools });

/** A writer and a follower, with everything that the follower's subscribers hear. */
async function pair(replies, { tools, takeOver, ...options } = {}) {
  const store = memoryStore();
  const writer = await Conversation.open({ agent: agentOf(replies, tools), store, ...options });
  const follower = await Conversation.open({ agent: agentOf([], tools), store, conversationId: writer.id, takeOver });
  assert.deepEqual([writer.access, follower.access], ["writer", "follower"]);
  const heard = [];
  follower.subscribe((event) => void heard.push(event));
  const until = (holds) => untilIt(holds, undefined, { of: follower, seen: () => heard.at(-1) });
  return { store, writer, follower, heard, until };
}

const values = (events, key) =>
  events.filter((event) => event.kind === "ConversationStateUpdateEvent" && event.key === key).map(({ value }) => value);
const ids = (events) => events.map(({ id }) => id);

test("a follower hears of each field of the state that changes", async () => {
  const { writer, follower, heard, until } = await pair([{ text: "Done." }]);
  await writer.sendMessage("Go");
  await writer.setLimits({ ...writer.limits, maxIterationPerRun: 7 });
  await until(() => values(heard, "max_iterations").at(-1) === 7);
  assert.equal(follower.state.max_iterations, 7);
  await writer.setAgentState({ mood: "calm" });
  await until(() => values(heard, "agent_state").at(-1)?.mood === "calm");
  await writer.run();
  await until(() => values(heard, "stats").length > 0);
  assert.equal(values(heard, "stats").at(-1).usage_to_metrics.default.token_usages, undefined);
  await follower.close();
  await writer.close();
});

test("a follower hears of events, states and calls as the writer stores them", async () => {
  const { writer, follower, heard, until } = await pair(
    [{ text: "Noting.", calls: [{ name: "note", arguments: { text: "a" } }] }, { text: "Done." }],
    { confirmationPolicy: { kind: "AlwaysConfirm" } },
  );
  await writer.sendMessage("Go");
  await writer.run();
  await until(() => follower.executionStatus === "waiting_for_confirmation");
  const waiting = ids(await writer.pendingActions());
  assert.deepEqual(ids(await follower.pendingActions()), waiting);
  assert.deepEqual(
    heard.findLast(({ kind }) => kind === "PendingActionsEvent"),
    { kind: "PendingActionsEvent", action_ids: waiting, waiting_ids: waiting },
  );
  await writer.run();
  await writer.setTags({ title: "Noted" });
  await until(() => follower.state.tags.title === "Noted");
  assert.equal(follower.executionStatus, "finished");
  assert.deepEqual(await follower.events.slice(), await writer.events.slice());
  assert.deepEqual(ids(heard.filter((event) => "id" in event)), ids(await writer.events.slice()), "each event once, in order");
  assert.equal(await follower.finalResponse(), "Done.");
  assert.deepEqual(values(heard, "tags"), [{ title: "Noted" }]);
  assert.equal(follower.access, "follower");
  const { id } = await follower.sendMessage("From there");
  assert.equal((await writer.activeBranch()).at(-1).id, id, "what it sends is stored by the writer");
  await until(() => heard.some((event) => event.id === id));
  await follower.close();
  await writer.close();
});

test("keys and functions stay where they are: what needs them is unsupported in a follower, and nothing is sent", async (t) => {
  const { writer, follower } = await pair([{ text: "A title" }], { tools: [fileEditor()] });
  await writer.sendMessage("Go");
  await follower.queue.list();
  const posted = [];
  const { postMessage } = BroadcastChannel.prototype;
  t.after(() => (BroadcastChannel.prototype.postMessage = postMessage));
  BroadcastChannel.prototype.postMessage = function (message) {
    posted.push(inspect(message, { depth: 20 }));
    return postMessage.call(this, message);
  };
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk-of-this-tab" });
  for (const [name, act] of Object.entries({
    switchLLM: () => follower.switchLLM(llm),
    updateSecrets: () => follower.updateSecrets({ token: "sk-of-this-tab" }),
    generateTitle: () => follower.generateTitle({ llm }),
    setSecurityAnalyzer: () => follower.setSecurityAnalyzer(() => "HIGH"),
    "workspace.write": () => follower.workspace.write("a.txt", "a"),
  }))
    await assert.rejects(act(), { code: "unsupported", message: /tab that writes this conversation/ }, name);
  assert.doesNotMatch(posted.join(), /sk-of-this-tab/);
  assert.equal(await follower.generateTitle(), "A title");
  await follower.close();
  await writer.close();
});

test("a handle that is opened in the middle of an answer hears it from its beginning", async () => {
  let goOn;
  const goes = new Promise((resolve) => (goOn = resolve));
  const options = { cipher: "a passphrase", securityAnalyzer: { kind: "PatternSecurityAnalyzer" } };
  const { store, writer, heard, until } = await pair([{ text: ["Once", " upon", " a time"], pace: (at) => at === 2 && goes }], options);
  const textOf = (events) => events.filter(({ kind }) => kind === "StreamingDeltaEvent").map(({ content }) => content ?? "");
  await writer.sendMessage("Go");
  const run = writer.run();
  await until(() => textOf(heard).join("") !== "");
  const late = await Conversation.open({ agent: agentOf([]), store, conversationId: writer.id, ...options });
  const pieces = [];
  const over = new Promise((resolve) =>
    late.subscribe((event) => {
      pieces.push(event);
      if (event.kind === "StreamingDeltaEvent") goOn();
      if (event.kind === "MessageEvent" && event.source === "agent") resolve();
    }),
  );
  await Promise.all([run, over]);
  assert.equal(textOf(pieces).join(""), "Once upon a time");
  for (const handle of [late, writer]) await handle.close();
});

test("a follower is on the branch that the writer enters", async () => {
  const { writer, follower, until } = await pair([{ text: "One." }, { text: "Two." }]);
  const message = await writer.sendMessage("First");
  await writer.run();
  await writer.regenerate();
  await until(() => follower.events.length === writer.events.length && follower.executionStatus === "finished");
  assert.deepEqual(ids(await follower.activeBranch()), ids(await writer.activeBranch()));
  await writer.navigateTo(message.id);
  await until(() => follower.state.leaf_event_id === message.id);
  assert.deepEqual(ids(await follower.activeBranch()), ids(await writer.activeBranch()));
  for (const handle of [follower, writer]) await handle.close();
});

test("a follower takes the place of a writer that ends, as the same handle", async () => {
  const { store, writer, follower, heard, until } = await pair([]);
  const message = await writer.sendMessage("Go");
  await writer.close();
  await until(() => values(heard, "home").length > 0);
  assert.deepEqual(
    [values(heard, "access"), values(heard, "home"), follower.access, follower.home, follower.state.leaf_event_id],
    [["writer"], ["here"], "writer", "here", message.id],
  );
  const { id } = await follower.sendMessage("And on");
  await follower.close();
  assert.equal((await store.load(follower.id)).length, 3);
  const next = await Conversation.open({ agent: agentOf([]), store, conversationId: writer.id });
  assert.equal((await next.activeBranch()).at(-1).id, id);
  await next.close();
});

test("one that never takes over reports the end once everything is taken in, and another handle can be opened to write", async () => {
  const { store, writer, follower, heard, until } = await pair([], { takeOver: "never" });
  const message = await writer.sendMessage("Go");
  await writer.close();
  await until(() => values(heard, "access").length > 0);
  assert.deepEqual([values(heard, "access"), follower.access, follower.state.leaf_event_id], [["free"], "free", message.id]);
  await assert.rejects(follower.sendMessage("x"), { code: "locked_elsewhere", message: /takeOver\(\)/ });
  const next = await Conversation.open({ agent: agentOf([]), store, conversationId: writer.id });
  assert.equal(next.access, "writer");
  await next.sendMessage("Here");
  await until(() => values(heard, "access").length > 1);
  assert.deepEqual([values(heard, "access"), follower.access], [["free", "follower"], "follower"], "somebody writes again");
  await next.close();
  await follower.close();
});

test("a follower of a deleted conversation is closed, and says why", async () => {
  const { store, writer, follower, heard, until } = await pair([], { takeOver: "never" });
  await writer.sendMessage("Go");
  await writer.close();
  await Conversation.delete(writer.id, { store });
  await until(() => values(heard, "access").includes("deleted"));
  assert.equal(follower.access, "deleted");
  await assert.rejects(follower.sendMessage("x"), { code: "store_lost" });
  await assert.rejects(follower.run(), { code: "store_lost" });
  await follower.close();
});

test("a follower sees the files that the writer's agent changes", async () => {
  const create = (path, text) => ({
    calls: [{ name: "file_editor", arguments: { command: "create", path: `/workspace/${path}`, file_text: text } }],
  });
  const { writer, follower, until } = await pair([create("a.txt", "A"), { text: "Done." }, create("b.txt", "B"), { text: "Done." }], {
    tools: [fileEditor()],
  });
  for (const [count, names] of [
    [1, ["a.txt"]],
    [2, ["a.txt", "b.txt"]],
  ]) {
    await writer.sendMessage("Go");
    await writer.run();
    await until(() => follower.events.length === writer.events.length);
    assert.deepEqual((await follower.workspace.list("")).map(({ path }) => path).sort(), names, `${count}`);
  }
  for (const handle of [follower, writer]) await handle.close();
});

test("a closed follower hears nothing more, and a store that fails for a moment is asked again", async () => {
  const { store, writer, follower, heard } = await pair([]);
  await follower.close();
  await writer.sendMessage("Go");
  await writer.sendMessage("Again");
  assert.deepEqual(heard, []);
  await assert.rejects(follower.sendMessage("x"), { code: "invalid_state" });
  const own = storeWith(store, {
    fails: false,
    async load(...given) {
      if (own.fails) throw new Error("for a moment");
      return store.load(...given);
    },
  });
  await writer.close();
  const first = await Conversation.open({ agent: agentOf([]), store: own, conversationId: writer.id });
  const second = await Conversation.open({ agent: agentOf([]), store: own, conversationId: writer.id });
  own.fails = true;
  await first.sendMessage("While it fails");
  own.fails = false;
  await first.sendMessage("Then");
  await untilIt(() => second.events.length === first.events.length, "the second has all events", { of: second });
  assert.deepEqual(ids(await second.events.slice()), ids(await first.events.slice()));
  for (const handle of [second, first]) await handle.close();
});
