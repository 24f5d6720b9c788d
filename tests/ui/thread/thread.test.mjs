// A thread over a real conversation and a scripted model: actions, stages of calls, reloads and crashes.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createModel } from "../../support/model.mjs";
import { remains } from "../../support/remains.mjs";
import { storeWith } from "../../support/store-with.mjs";
import { Agent, Conversation, LLM, ThreadkeepError, memoryStore, taskTool, tool } from "../../../dist/index.js";
import { openThread, threadOf } from "../../../dist/thread.js";
import { isIdle, never, seen, stage, sum, until } from "./stage.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

test("from opening to an answer", async () => {
  const { open, model } = stage([{ text: "Hello!" }]);
  const thread = open();
  const first = thread.getSnapshot();
  assert.deepEqual([first.phase, first.messages, first.status, first.conversation], ["opening", [], "idle", null]);
  assert.match(first.conversationId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(thread.getSnapshot(), first, "the same until something changes");
  // A message before it is open waits for that.
  const event = await thread.send("Hi  there");
  assert.deepEqual(seen(thread.getSnapshot()), ["user: Hi  there"]);
  const done = await until(thread, ({ status }) => status === "finished");
  assert.deepEqual(seen(done), ["user: Hi  there", "assistant: Hello!"]);
  assert.deepEqual([done.phase, done.access, done.messages[0].id, done.error], ["open", "writer", event.id, null]);
  assert.ok(done.messages[0].createdAt instanceof Date);
  await thread.close();
  assert.equal(thread.getSnapshot().phase, "closed");
  await assert.rejects(thread.send("More"), { code: "invalid_state" });
  model.check();
});

test("text that streams: one notification a frame, and the other messages stay the same objects", async () => {
  const { open } = stage([
    { text: "First." },
    { text: Array.from({ length: 1_000 }, (_, at) => ` word${at}`), pace: (at) => (at % 100 === 0 ? delay(20) : undefined) },
  ]);
  const thread = open();
  await thread.send("One");
  const before = (await until(thread, ({ status }) => status === "finished")).messages;
  let notified = 0;
  const ids = new Set();
  const sizes = new Set();
  thread.subscribe(() => {
    notified += 1;
    const { messages } = thread.getSnapshot();
    assert.deepEqual(
      messages.slice(0, 2).map((message, at) => message === before[at]),
      [true, true],
    );
    if (messages[3]) ids.add(messages[3].id);
    if (messages[3]?.state === "streaming") sizes.add(messages[3].parts[0].text.length);
  });
  const started = performance.now();
  await thread.send("Two");
  await until(thread, ({ status }) => status === "finished");
  const frames = (performance.now() - started) / 16;
  assert.ok(notified <= frames + 5, `${notified} notifications in ${frames} frames`);
  assert.ok(sizes.size > 1, "it was shown while it streamed");
  assert.equal(ids.size, 1, "and was one message");
  await thread.close();
});

test("calls wait for the user, are approved one by one or rejected, and are the same after a reload", async () => {
  const both = [
    { name: "pay", arguments: { sum: 1 } },
    { name: "look", arguments: {} },
    { name: "pay", arguments: { sum: 2 } },
  ];
  const { open, model } = stage([{ text: "May I?", calls: both }, { text: "Done." }], { confirmationPolicy: { kind: "AlwaysConfirm" } });
  const thread = open();
  const { conversationId } = thread.getSnapshot();
  await thread.send("Pay");
  const asked = await until(thread, ({ approvals, isRunning }) => approvals.length > 0 && !isRunning);
  assert.deepEqual(seen(asked)[1], "assistant: May I? | pay waiting | look waiting | pay waiting");
  assert.deepEqual(
    asked.approvals.map(({ toolName, args, why }) => [toolName, args, why]),
    [
      ["pay", { sum: 1 }, "approval"],
      ["look", {}, "approval"],
      ["pay", { sum: 2 }, "approval"],
    ],
  );
  // A run approves nothing by itself, and neither does a message.
  assert.equal((await thread.resume()).status, "waiting_for_confirmation");
  await assert.rejects(thread.send("And?"), { code: "invalid_state" });
  assert.equal(thread.getSnapshot().error.code, "invalid_state");

  await thread.approve([asked.approvals[1].actionId]);
  const some = thread.getSnapshot();
  assert.deepEqual(
    [seen(some)[1], some.error, some.approvals.length],
    ["assistant: May I? | pay waiting | look done | pay waiting", null, 2],
  );
  assert.equal(some.messages[1].parts[1], asked.messages[1].parts[1], "a part that has not changed is the same object");
  await thread.close();

  const again = open({ conversationId });
  await again.opened();
  const reloaded = again.getSnapshot();
  assert.deepEqual(reloaded.messages, some.messages);
  assert.deepEqual(reloaded.approvals, some.approvals);
  assert.equal(await again.reject("Too much", [some.approvals[0].actionId]), null);
  const edited = await again.editAction(again.getSnapshot().approvals[0].actionId, { sum: 7 });
  assert.deepEqual(
    again.getSnapshot().approvals.map(({ actionId, args }) => [actionId, args]),
    [[edited.id, { sum: 7 }]],
  );
  const { status } = await again.alwaysAllow("pay");
  const end = again.getSnapshot();
  assert.deepEqual([status, end.approvals.length, again.getSnapshot().conversation.allowedTools], ["finished", 0, ["pay"]]);
  const [, , , payment] = end.messages[1].parts;
  assert.deepEqual([payment.state, payment.args, payment.value], ["done", { sum: 7 }, { paid: 7 }]);
  assert.equal(end.messages[1].parts[2].value, "seen");
  const originalsIn = ({ messages }) => messages[1]?.parts.slice(0, 4).map(({ original }) => original?.args);
  const originals = [undefined, undefined, undefined, { sum: 2 }];
  assert.deepEqual(originalsIn(await until(again, (now) => originalsIn(now)?.[3])), originals);
  model.check();
  await again.close();

  const later = open({ conversationId });
  assert.deepEqual(originalsIn(await until(later, (now) => originalsIn(now)?.[3])), originals, "after a reload too");
  await later.close();
});

test("after a reload the work of a sub-agent is read from its conversation, and of no other one", async () => {
  const task = (prompt, more) => ({ calls: [{ name: "task", arguments: { prompt, ...more } }] });
  const model = createModel([
    task("Count"),
    { text: "Nine." },
    task("Again", { resume: "task_00000001" }),
    { text: "Ten." },
    { text: "Done." },
  ]);
  const llm = new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: model.fetch, numRetries: 0 });
  const agent = new Agent({ llm, tools: [taskTool()] });
  const store = memoryStore();
  const thread = openThread({ agent, store });
  const { conversationId } = thread.getSnapshot();
  await thread.send("Ask");
  await until(thread, ({ status }) => status === "finished");
  const workIn = ({ messages }) => messages[1]?.parts.flatMap((part) => (part.type === "tool" ? [seen({ messages: part.subagent })] : []));
  const work = [
    ["user: Count", "assistant: Nine."],
    ["user: Again", "assistant: Ten."],
  ];
  assert.deepEqual(workIn(thread.getSnapshot()), work);
  await thread.close();

  const again = openThread({ agent, store, conversationId });
  const shown = await until(again, (now) => workIn(now)?.every((messages) => messages.length > 0));
  assert.deepEqual(workIn(shown), work);
  const [prompt] = shown.messages[1].parts[0].subagent;
  assert.equal(prompt.sender, null, "the id of the call is no name");
  await again.close();

  // An archive may name any conversation as that of a task.
  const stranger = new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: createModel([{ text: "Secret." }]).fetch });
  const other = openThread({ agent: new Agent({ llm: stranger }), store });
  await other.send("Mine");
  await until(other, ({ status }) => status === "finished");
  const copy = memoryStore();
  for (const { conversation, baseState, length, createdAt } of await store.list()) {
    const events = (await store.events(conversation, 0, length)).map(({ id, json }) => ({ id, json }));
    const state = JSON.parse(baseState);
    for (const each of Object.values(state.agent_state?.subagent_tasks ?? {})) each.conversation = other.getSnapshot().conversationId;
    const commit = { expectedLength: 0, events, baseState: JSON.stringify(state), files: [], at: createdAt, durability: "relaxed" };
    await copy.commit(conversation, commit);
  }
  await other.close();
  let reads = 0;
  const watched = new Proxy(copy, {
    get: (target, name) => {
      const value = target[name];
      return typeof value !== "function"
        ? value
        : (...args) => ((reads += name === "events" && args[1] === 0 ? 1 : 0), value.apply(target, args));
    },
  });
  const forged = openThread({ agent, store: watched, conversationId });
  await forged.opened();
  await delay(200);
  assert.deepEqual(workIn(forged.getSnapshot()), [[], []]);
  assert.ok(reads > 0, "the named conversation was looked at");
  await forged.close();
});

test("always allow is offered only where it has an effect, and lets no call through that its tool wants approved", async () => {
  const tools = [
    tool({
      name: "pay",
      description: "Pays.",
      parameters: sum,
      needsApproval: ({ sum }) => sum > 20,
      execute: ({ sum }) => ({ paid: sum }),
    }),
    tool({ name: "post", description: "Posts.", parameters: { type: "object" }, needsApproval: true, execute: () => "posted" }),
    tool({
      name: "remove",
      description: "Removes.",
      parameters: { type: "object" },
      annotations: { destructiveHint: true },
      execute: () => "removed",
    }),
  ];
  const pay = (sum) => ({ name: "pay", arguments: { sum } });
  const remove = { name: "remove", arguments: {} };
  const calls = [pay(9999), { name: "post", arguments: {} }, pay(5), remove];
  const model = createModel([{ calls }, { text: "Done." }, { calls: [remove, pay(7)] }, { text: "Done." }, { calls: [remove, pay(9999)] }]);
  const agent = new Agent({
    llm: new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: model.fetch, numRetries: 0 }),
    tools,
  });
  const store = memoryStore();
  const thread = openThread({ agent, store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  const { conversationId } = thread.getSnapshot();
  await thread.send("Go");
  const effects = ({ approvals }) =>
    approvals.map(({ toolName, args, canAlwaysAllow }) => `${toolName} ${args.sum ?? ""} ${canAlwaysAllow}`);
  const asked = await until(thread, ({ approvals, isRunning }) => approvals.length > 0 && !isRunning);
  assert.deepEqual(effects(asked), ["pay 9999 false", "post  false", "pay 5 true", "remove  true"]);
  await assert.rejects(thread.alwaysAllow("post"), { code: "invalid_options", message: /post/ });
  assert.deepEqual(thread.getSnapshot().conversation.allowedTools, []);
  await thread.close();

  const again = openThread({ agent, store, conversationId });
  await again.opened();
  assert.deepEqual(effects(again.getSnapshot()), effects(asked), "also after a reload");
  await again.alwaysAllow("pay");
  await again.alwaysAllow("remove");
  assert.deepEqual(effects(again.getSnapshot()), ["pay 9999 false", "post  false"]);
  await again.approve();
  await again.send("Again");
  await until(again, ({ isRunning }) => !isRunning);
  assert.deepEqual(again.getSnapshot().approvals, [], "what is allowed asks no more");
  await again.send("And more");
  // One call that asks makes the others of its answer wait, which nobody can allow any further.
  assert.deepEqual(effects(await until(again, ({ approvals, isRunning }) => approvals.length > 0 && !isRunning)), [
    "remove  false",
    "pay 9999 false",
  ]);
  await again.close();
  model.check();
});

test("the riskiest call is the first to approve", async () => {
  const risks = ["LOW", "MEDIUM", "HIGH", "UNKNOWN"];
  const script = [{ calls: risks.map((_, sum) => ({ name: "pay", arguments: { sum } })) }];
  const { open } = stage(script, {
    confirmationPolicy: { kind: "ConfirmRisky" },
    securityAnalyzer: { securityRisk: ({ action }) => risks[action.data?.sum ?? action.sum] },
  });
  const thread = open();
  await thread.send("Pay");
  const { approvals, messages } = await until(thread, ({ approvals }) => approvals.length > 0);
  assert.deepEqual(
    approvals.map(({ risk }) => risk),
    ["HIGH", "UNKNOWN", "MEDIUM", "LOW"],
  );
  assert.deepEqual(
    messages[1].parts.map(({ risk }) => risk),
    risks,
  );
  await thread.close();
});

test("a page that dies in a call: the call is interrupted, and what the user decides is done", async () => {
  for (const [annotations, why] of [
    [{ destructiveHint: true }, "interrupted"],
    [{ readOnlyHint: true }, undefined],
  ]) {
    const begun = Promise.withResolvers?.() ?? {};
    begun.promise ??= new Promise((resolve) => (begun.resolve = resolve));
    let times = 0;
    const work = tool({
      name: "work",
      description: "Works.",
      parameters: { type: "object" },
      annotations,
      needsApproval: false,
      execute: () => (++times === 1 ? (begun.resolve(), never()) : "worked"),
    });
    const { model, store } = stage([{ text: "Now.", calls: [{ name: "work", arguments: {} }] }, { text: "Done." }]);
    const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: model.fetch }), tools: [work] });
    const thread = openThread({ agent, store });
    const { conversationId } = thread.getSnapshot();
    await thread.send("Work");
    await begun.promise;
    assert.equal(seen(await until(thread, ({ messages }) => messages.length === 2))[1], "assistant: Now. | work running");

    const after = openThread({ agent, store: await remains(store), conversationId });
    await after.opened();
    const { approvals, isRunning, messages } = after.getSnapshot();
    assert.deepEqual(
      [messages[1].parts[1].state, isRunning, approvals.map((approval) => approval.why)],
      ["interrupted", false, why ? [why] : []],
    );
    assert.deepEqual(
      messages.map(({ id }) => id),
      thread.getSnapshot().messages.map(({ id }) => id),
    );
    await (why ? after.approve() : after.resume());
    assert.equal(seen(after.getSnapshot())[1], "assistant: Now. | work done | Done.");
    await Promise.all([thread.close(), after.close()]);
  }
});

test("a run in which the page died goes on by itself, if the thread is to resume", async () => {
  for (const [resume, end] of [
    [true, ["user: Go", "assistant: Here."]],
    [undefined, ["user: Go"]],
  ]) {
    const { open, store } = stage([{ text: "This breaks off.", stallAfter: 3 }, { text: "Here." }]);
    const thread = open();
    const { conversationId } = thread.getSnapshot();
    await thread.send("Go");
    await until(thread, ({ messages }) => messages[1]?.state === "streaming");
    const after = open({ store: await remains(store), conversationId, resume });
    await after.opened();
    const { status } = await until(after, isIdle);
    assert.deepEqual([seen(after.getSnapshot()), status], [end, resume ? "finished" : "paused"]);
    await thread.stop();
    await Promise.all([thread.close(), after.close()]);
  }
  // The user has stopped it.
  const { open, store } = stage([{ text: "This breaks off.", stallAfter: 3 }]);
  const thread = open();
  const { conversationId } = thread.getSnapshot();
  await thread.send("Go");
  await until(thread, ({ messages }) => messages[1]?.state === "streaming");
  await thread.stop();
  const after = open({ store: await remains(store), conversationId, resume: true });
  await after.opened();
  assert.deepEqual([after.getSnapshot().isRunning, after.getSnapshot().status], [false, "paused"]);
  await Promise.all([thread.close(), after.close()]);
});

test("a stop or a pause right after a message keeps it from being answered", async () => {
  for (const stop of ["stop", "pause"]) {
    const { open, model } = stage([{ text: "One." }, { text: "Two." }]);
    const thread = open();
    const sent = thread.send("Go");
    await thread[stop]();
    await sent;
    assert.deepEqual([thread.getSnapshot().status, thread.getSnapshot().isRunning, model.requests.length], ["paused", false, 0], stop);
    await thread.resume();
    const [{ id }] = thread.getSnapshot().messages;
    const edited = thread.editMessage(id, "Else");
    await thread[stop]();
    await edited;
    assert.deepEqual([thread.getSnapshot().status, thread.getSnapshot().isRunning, model.requests.length], ["paused", false, 1], stop);
    assert.equal((await thread.resume()).finalResponse, "Two.");
    await thread.close();
  }
});

test("an answer that is stopped: its pieces stay, and the next run asks again", async () => {
  const { open, model } = stage([{ text: "This breaks off after a few words.", stallAfter: 3 }, { text: "Here." }]);
  const thread = open();
  await thread.send("Go");
  await until(thread, ({ messages }) => messages[1]?.state === "streaming");
  await thread.stop();
  const stopped = await until(thread, isIdle);
  const [, cutOff] = seen(stopped);
  assert.match(cutOff, /^assistant: This.* \| \(interrupt\)$/);
  assert.deepEqual([stopped.messages[1].parts[0].state, stopped.status], ["incomplete", "paused"]);
  assert.equal((await thread.resume()).finalResponse, "Here.");
  assert.deepEqual(seen(thread.getSnapshot()), ["user: Go", `${cutOff} | Here.`]);
  model.check();
  await thread.close();
});

test("a failure of the model is in the snapshot until something works", async () => {
  const { open } = stage([{ status: 401, body: { error: { message: "wrong key" } } }, { text: "Now." }]);
  const thread = open();
  await thread.send("Go");
  const failed = await until(thread, ({ error }) => error);
  assert.ok(failed.error instanceof ThreadkeepError);
  assert.deepEqual([failed.error.code, failed.status], ["llm_auth", "error"]);
  assert.deepEqual(seen(failed), ["user: Go", "assistant: [error]"]);
  const [{ code, storedCode }] = failed.messages[1].parts;
  assert.deepEqual([code, storedCode], [failed.error.code, "LLMAuthenticationError"]);
  await Promise.all([thread.branches(), thread.loadEarlier()]);
  assert.equal(thread.getSnapshot().error, failed.error, "reading is no success after it");
  await thread.resume();
  assert.deepEqual([thread.getSnapshot().error, seen(thread.getSnapshot()).at(-1)], [null, "assistant: [error] | Now."]);
  await thread.close();
  const invalid = openThread({});
  await assert.rejects(invalid.opened(), { code: "invalid_options" });
  assert.deepEqual([invalid.getSnapshot().phase, invalid.getSnapshot().error.code], ["failed", "invalid_options"]);
  assert.throws(() => openThread({ pageSize: 0 }), { code: "invalid_options" });
});

test("a message that is sent in the middle of an answer is shown at once, and answered", async () => {
  let go;
  const { open, model } = stage([
    { text: "One.", pace: (at) => (at === 2 ? new Promise((resolve) => (go = resolve)) : undefined) },
    { text: "Two." },
  ]);
  const thread = open();
  await thread.send("First");
  await until(thread, ({ messages }) => messages[1]?.state === "streaming" && go);
  const event = await thread.send("Second");
  assert.deepEqual(
    thread.getSnapshot().messages.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  assert.equal(thread.getSnapshot().messages[2].id, event.id);
  go();
  const done = await until(thread, ({ isRunning, status }) => !isRunning && status === "finished");
  assert.deepEqual(seen(done), ["user: First", "assistant: One.", "user: Second", "assistant: Two."]);
  assert.equal(done.messages[2].id, event.id);
  model.check();
  await thread.close();
});

test("two threads of one page share the conversation, and it is closed with the last of them", async () => {
  const { open, agent, store } = stage([{ text: "Hello." }, { text: "Again." }]);
  const one = open();
  const { conversationId } = one.getSnapshot();
  await one.send("Hi");
  // Closed and opened again at once, as React's StrictMode does, in the middle of the answer.
  const closed = one.close();
  const two = open({ conversationId: conversationId.toUpperCase() });
  await closed;
  const answered = await until(two, ({ status }) => status === "finished");
  assert.deepEqual(
    [answered.access, answered.conversation.access, seen(answered)],
    ["writer", "writer", ["user: Hi", "assistant: Hello."]],
  );
  const three = open({ conversationId });
  assert.equal(three.getSnapshot(), two.getSnapshot(), "both show the same");
  await two.close();
  await two.close();
  assert.equal(two.getSnapshot().phase, "closed");
  await three.send("Still there?");
  await until(three, ({ messages }) => messages.length === 4);
  await three.close();
  const after = await Conversation.open({ agent, store, conversationId });
  assert.equal(after.access, "writer", "the lock is free");
  await after.close();
});

test("an opening that failed is tried again by the next thread", async () => {
  const { open } = stage([]);
  const failed = open({ tags: { "not a tag": "x" } });
  await assert.rejects(failed.opened(), ThreadkeepError);
  const { conversationId } = failed.getSnapshot();
  const next = open({ conversationId });
  await next.opened();
  assert.deepEqual([next.getSnapshot().phase, failed.getSnapshot().phase], ["open", "failed"]);
  await Promise.all([failed.close(), next.close()]);
});

test("a view on a conversation of somebody else", async () => {
  const { agent, store } = stage([{ text: "Hello.", pace: () => delay(20) }]);
  const conversation = await Conversation.open({ agent, store });
  const thread = threadOf(conversation);
  await thread.opened();
  await conversation.sendMessage("Hi");
  const run = conversation.run();
  await until(thread, ({ isRunning }) => isRunning);
  await run;
  assert.deepEqual(seen(await until(thread, ({ status }) => status === "finished")), ["user: Hi", "assistant: Hello."]);
  await thread.close();
  await conversation.sendMessage("Still open");
  assert.equal(thread.getSnapshot().messages.length, 2, "a closed thread does not change");
  await conversation.close();
});

test("a long conversation: one page is read at first, then more, then all", async () => {
  const store = memoryStore();
  const conversationId = "00000000-0000-4000-8000-000000000001";
  const { agent } = stage([]);
  const first = await Conversation.open({ agent, store, conversationId });
  await first.sendMessage("Message 0");
  await first.close();
  const { baseState, length, createdAt } = await store.load(conversationId);
  const [prompt, message] = (await store.events(conversationId, 0, length)).map(({ json }) => JSON.parse(json));
  const id = (at) => `00000000-0000-4000-9000-${String(at).padStart(12, "0")}`;
  const events = [];
  for (let at = 0, parent = message.id; at < 9_998; parent = id(at), at++) {
    const isUser = at % 2 === 1;
    const role = isUser ? "user" : "assistant";
    events.push({
      ...message,
      id: id(at),
      parent_id: parent,
      source: isUser ? "user" : "agent",
      llm_message: { ...message.llm_message, role, content: [{ type: "text", text: `Message ${at + 1}` }] },
    });
  }
  const state = { ...JSON.parse(baseState), leaf_event_id: id(9_997) };
  await store.commit(conversationId, {
    expectedLength: length,
    createdAt,
    events: events.map((event) => ({ id: event.id, json: JSON.stringify(event) })),
    baseState: JSON.stringify(state),
    files: [],
    at: createdAt,
    durability: "relaxed",
  });
  assert.equal(prompt.kind, "SystemPromptEvent");

  let read = 0;
  const counting = storeWith(store, {
    events: async (...args) => {
      const found = await store.events(...args);
      read += found.length;
      return found;
    },
  });
  const thread = openThread({ agent, store: counting, conversationId });
  await thread.opened();
  const { messages, hasEarlier, title } = thread.getSnapshot();
  assert.deepEqual([messages.length, hasEarlier, title], [199, true, "Message 0"]);
  assert.equal(messages[0].role, "user");
  assert.ok(read < 800, `${read} events were read`);
  assert.equal(await thread.loadEarlier(), true);
  const more = thread.getSnapshot().messages;
  assert.deepEqual(
    more.slice(-199).map((message, at) => message === messages[at]),
    Array(199).fill(true),
  );
  assert.equal(more.length, 399);
  assert.equal(await thread.loadEarlier({ all: true }), false);
  const all = thread.getSnapshot();
  assert.deepEqual([all.messages.length, all.hasEarlier, all.messages.at(-1) === messages.at(-1)], [9_999, false, true]);
  await thread.close();
});
