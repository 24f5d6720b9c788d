// Live events of a conversation, and changes of lists: what a view needs so that it never has to ask again and again.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const note = () =>
  tool({
    name: "note",
    description: "Notes a text.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: () => "noted",
  });

function agentOf(replies, options = {}) {
  const model = createModel(replies);
  return new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 2, ...options }), tools: [note()] });
}

const calls = [
  { name: "note", arguments: { text: "a" } },
  { name: "note", arguments: { text: "b" } },
];
const values = (events, key) =>
  events.filter((event) => event.kind === "ConversationStateUpdateEvent" && event.key === key).map(({ value }) => value);

test("a run reports its status, its HEAD and its calls, each after the events of the commit", async () => {
  const tokens = [];
  const conversation = await Conversation.open({
    agent: agentOf([{ text: "Let me see.", calls }, { text: "Done." }]),
    store: memoryStore(),
    confirmationPolicy: { kind: "AlwaysConfirm" },
    tokenCallbacks: [(live) => tokens.push(live)],
  });
  await conversation.sendMessage("Go");
  const heard = [];
  conversation.subscribe((event) => {
    heard.push(event);
    // A listener finds in the conversation what it has heard.
    if (event.key === "execution_status") assert.equal(conversation.executionStatus, event.value);
    if (event.key === "leaf_event_id") assert.equal(conversation.state.leaf_event_id, event.value);
  });
  await conversation.run();
  const waiting = (await conversation.pendingActions()).map(({ id }) => id);
  assert.deepEqual(values(heard, "execution_status"), ["running", "waiting_for_confirmation"]);
  assert.deepEqual(
    heard.filter(({ kind }) => kind === "PendingActionsEvent"),
    [{ kind: "PendingActionsEvent", action_ids: waiting, waiting_ids: waiting }],
  );
  assert.ok(heard.findIndex(({ kind }) => kind === "PendingActionsEvent") > heard.findLastIndex(({ kind }) => kind === "ActionEvent"));

  heard.length = 0;
  await conversation.run();
  const [first, second] = waiting;
  assert.deepEqual(values(heard, "execution_status"), ["running", "finished"]);
  assert.deepEqual(
    heard.filter(({ kind }) => kind === "PendingActionsEvent").map(({ action_ids, waiting_ids }) => [action_ids, waiting_ids]),
    [
      [[first, second], []],
      [[second], []],
      [[], []],
    ],
  );
  assert.equal(values(heard, "leaf_event_id").at(-1), (await conversation.events.at(-1)).id);
  assert.deepEqual(values(tokens, "execution_status"), ["running", "waiting_for_confirmation", "running", "finished"]);
  assert.ok(tokens.every((live) => !("id" in live)));
  await conversation.close();
});

test("each piece of an answer names the event that it becomes, also after a retry", async (t) => {
  // Only without a network is an answer asked for again that was shown in part.
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const network = { onLine: false };
  Object.defineProperty(globalThis, "navigator", { value: network, configurable: true });
  t.after(() => (before ? Object.defineProperty(globalThis, "navigator", before) : delete globalThis.navigator));
  const conversation = await Conversation.open({
    agent: agentOf([{ text: "Broken off.", pieces: 4, breakAfter: 3 }, { text: "Let me see.", calls }, { text: "Done." }]),
    store: memoryStore(),
  });
  await conversation.sendMessage("Go");
  const heard = [];
  for await (const event of conversation.run()) {
    heard.push(event);
    if (event.kind !== "WaitingEvent" || event.seconds === 0) continue;
    network.onLine = true;
    conversation.retryNow();
  }
  const waits = heard.flatMap((event, place) => (event.kind === "WaitingEvent" && event.seconds === 0 ? [place] : []));
  assert.equal(waits.length, 1);
  const pieces = (events) => new Set(events.filter(({ kind }) => kind === "StreamingDeltaEvent").map(({ message_id }) => message_id));
  const action = heard.find(({ kind }) => kind === "ActionEvent");
  const answer = heard.find(({ kind, source }) => kind === "MessageEvent" && source === "agent");
  assert.deepEqual([...pieces(heard.slice(0, waits[0]))], [action.id]);
  assert.deepEqual([...pieces(heard.slice(waits[0]))], [action.id, answer.id]);
  await conversation.close();
});

test("a list hears of what it shows, and only of its own store", async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  const heard = [];
  let changed;
  const unsubscribe = Conversation.onListChange(({ id }) => (heard.push(id), changed?.()), { store });
  const next = async (act) => {
    const change = new Promise((resolve) => (changed = resolve));
    heard.length = 0;
    const result = await act();
    await change;
    return result;
  };
  const agent = agentOf([{ text: "Done." }]);
  const conversation = await Conversation.open({ agent, store });
  const { id } = conversation;
  await next(() => conversation.setTags({ title: "A" }));
  assert.deepEqual(heard, [id]);
  assert.equal((await Conversation.list({ store }))[0].title, "A");
  await conversation.sendMessage("Go");
  await next(() => conversation.run());
  assert.deepEqual(heard, [id, id], "running, finished");
  const copy = await next(() => conversation.fork());
  assert.ok(heard.every((changed) => changed === copy.id));
  const zip = await conversation.exportZip();
  for (const open of [conversation, copy]) await open.close();
  await next(() => Conversation.delete(id, { store }));
  assert.deepEqual(heard, [id]);
  await next(() => Conversation.importZip(zip, { store }));
  assert.deepEqual(heard, [id]);

  heard.length = 0;
  await (await Conversation.open({ agent, store: other })).close();
  await (await Conversation.open({ agent, store, conversationId: id })).close();
  assert.deepEqual(heard, [], "another store, and opening without a change");
  unsubscribe();
  await Conversation.delete(id, { store });
  await Promise.resolve();
  assert.deepEqual(heard, []);
  assert.throws(() => Conversation.onListChange(7, { store }), { code: "invalid_options" });
});

test("an error of one listener of a list surfaces and does not reach the others", async (t) => {
  const store = memoryStore();
  const errors = [];
  const queue = globalThis.queueMicrotask;
  t.mock.method(globalThis, "queueMicrotask", (task) =>
    queue(() => {
      try {
        task();
      } catch (error) {
        errors.push(error.message);
      }
    }),
  );
  let ends;
  const heard = new Promise(
    (resolve) =>
      (ends = [
        Conversation.onListChange(
          () => {
            throw new Error("mine");
          },
          { store },
        ),
        Conversation.onListChange(resolve, { store }),
      ]),
  );
  const conversation = await Conversation.open({ agent: agentOf([]), store });
  await conversation.setTags({ title: "A" });
  assert.equal((await heard).id, conversation.id);
  assert.deepEqual(errors, ["mine"]);
  for (const end of ends) end();
  await conversation.close();
});

test("a subscription to a store with a name does not keep Node alive", async () => {
  const program = `
    import { Conversation, memoryStore } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
    const store = Object.assign(Object.create(memoryStore()), { name: "named" });
    Conversation.onListChange(() => {}, { store });
    console.log("subscribed");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  assert.equal(stdout, "subscribed\n");
});
