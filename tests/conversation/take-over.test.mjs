// The next writer: a writer ends, or is stuck, at each point of a call of another handle. What was asked of it is carried out
// once, every promise settles, and what has taken its place is what the others follow.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { deferred } from "../support/deferred.mjs";
import { freezing } from "../support/freezing-store.mjs";
import { createModel } from "../support/model.mjs";
import { until as untilIt } from "../support/until.mjs";

// What handles say to each other keeps no process alive.
let alive;
before(() => (alive = setInterval(() => {}, 1000)));
after(() => clearInterval(alive));

const stalled = { text: "It was a dark and stormy night", stallAfter: 2 };
const textsIn = (events) =>
  events.filter(({ kind }) => kind === "MessageEvent").map(({ llm_message }) => llm_message.content.map(({ text }) => text).join(""));
const once = (list, value) => list.filter((each) => each === value).length;

const ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A conversation with handles that `open` adds, the first of which writes it. */
function world(options = {}) {
  const memory = memoryStore();
  const name = `world ${crypto.randomUUID()}`;
  const id = crypto.randomUUID();
  /** The store, as another tab has it. */
  const way = () => freezing(memory, name);
  return {
    id,
    memory,
    way,
    /** A handle whose model has these replies. */
    async open({ replies = [], tools = [], store = way(), ...more } = {}) {
      const llm = new LLM({ model: "openai/gpt-4o", fetch: createModel(replies).fetch, numRetries: 1 });
      const conversation = await Conversation.open({ agent: new Agent({ llm, tools }), store, conversationId: id, ...options, ...more });
      const heard = [];
      conversation.subscribe((event) => void heard.push(event));
      const until = (holds) => untilIt(holds, undefined, { of: conversation, seen: () => heard.at(-1) });
      ends.push(() => (store.thaw(), conversation.close()));
      return { store, conversation, heard, until };
    },
    /** The log as it is stored. */
    async log() {
      return (await memory.events(id, 0, 10_000)).map((event) => JSON.parse(event.json ?? event));
    },
  };
}

const accessesOf = (heard) =>
  heard.filter(({ kind, key }) => kind === "ConversationStateUpdateEvent" && key === "access").map(({ value }) => value);

/** What another handle asks for, and how it is seen that it was done exactly once. */
const commands = {
  "sendMessage()": {
    call: (it) => it.sendMessage("once"),
    check: async (result, { log }) => {
      const events = await log();
      assert.equal(once(textsIn(events), "once"), 1);
      assert.equal(events.find((event) => event.id === result.id)?.kind, "MessageEvent");
    },
  },
  "setTags()": {
    call: (it) => it.setTags({ title: "once" }),
    check: async (_, __, { conversation }) => assert.deepEqual(conversation.state.tags, { title: "once" }),
  },
  "setAgentState()": {
    call: (it) => it.setAgentState({ mood: "once" }),
    check: async (_, __, { conversation }) => assert.equal(conversation.state.agent_state.mood, "once"),
  },
  "navigateTo()": {
    call: (it) => it.navigateTo(null),
    check: async (_, { log }) => assert.equal(once(textsIn(await log()), "first"), 1),
  },
};

for (const [name, { call, check }] of Object.entries(commands)) {
  for (const [when, isWritten] of [
    ["before its commit", false],
    ["after its commit", true],
  ]) {
    for (const [who, isOther] of [
      ["the handle that asks", false],
      ["a third one", true],
    ]) {
      test(`${name} is carried out once by ${who} if the writer is stuck ${when}`, async () => {
        const it = world();
        const writer = await it.open();
        await writer.conversation.sendMessage("first");
        const asking = await it.open();
        const next = isOther ? await it.open() : asking;
        await asking.until(() => asking.conversation.events.length === writer.conversation.events.length);
        // The way to the writer is open.
        await asking.conversation.setLimits({});
        const reached = writer.store.freezeIn(isWritten);
        const asked = call(asking.conversation);
        await reached;
        await next.conversation.takeOver();
        assert.deepEqual([next.conversation.access, next.conversation.home], ["writer", "here"]);
        await check(await asked, it, asking);
        // The writer's own view when it wakes.
        writer.store.thaw();
        await writer.until(() => accessesOf(writer.heard).includes("follower"));
        await writer.conversation.sendMessage("from the old one");
        await asking.conversation.sendMessage("from the other");
        assert.deepEqual(textsIn(await it.log()).slice(-2), ["from the old one", "from the other"]);
        await check(await asked, it, asking);
        for (const each of [writer, asking, next]) {
          await each.until(() => each.conversation.events.length === next.conversation.events.length);
          assert.deepEqual(await each.conversation.events.slice(), await it.log());
        }
      });
    }
  }

  test(`${name} is carried out once if the writer is closed before it has answered`, async () => {
    const it = world();
    const writer = await it.open();
    await writer.conversation.sendMessage("first");
    const asking = await it.open();
    await asking.until(() => asking.conversation.events.length === 2);
    await asking.conversation.setLimits({});
    const asked = call(asking.conversation);
    const closed = writer.conversation.close();
    await check(await asked, it, asking);
    await closed;
    assert.equal(asking.conversation.access, "writer");
  });
}

test("a run whose writer is stuck goes on with the next writer, and its promise resolves", async () => {
  const it = world();
  const writer = await it.open({ replies: [stalled] });
  const [asking, next] = [await it.open(), await it.open({ replies: [{ text: "The end." }] })];
  await asking.conversation.sendMessage("Tell me");
  const run = asking.conversation.run();
  await asking.until(() => asking.heard.some(({ kind }) => kind === "StreamingDeltaEvent"));
  writer.store.freeze();
  await next.conversation.takeOver();
  const result = await run;
  assert.deepEqual([result.status, result.finalResponse], ["finished", "The end."]);
});

test("a run whose writer is closed goes on with the next writer, and its promise resolves", async () => {
  const it = world();
  const writer = await it.open({ replies: [stalled] });
  const asking = await it.open({ replies: [{ text: "The end." }] });
  await asking.conversation.sendMessage("Tell me");
  const run = asking.conversation.run();
  await asking.until(() => asking.heard.some(({ kind }) => kind === "StreamingDeltaEvent"));
  await writer.conversation.close();
  const result = await run;
  assert.deepEqual([result.status, result.finalResponse], ["finished", "The end."]);
});

test("a run that goes on elsewhere is stopped by its signal", async () => {
  const it = world();
  const writer = await it.open({ replies: [stalled] });
  const [asking, next] = [await it.open(), await it.open({ replies: [stalled] })];
  await asking.conversation.sendMessage("Tell me");
  const controller = new AbortController();
  const run = asking.conversation.run({ signal: controller.signal });
  const deltas = () => new Set(asking.heard.filter(({ kind }) => kind === "StreamingDeltaEvent").map(({ message_id }) => message_id));
  await asking.until(() => deltas().size === 1);
  writer.store.freeze();
  await next.conversation.takeOver();
  await asking.until(() => deltas().size === 2);
  controller.abort();
  await assert.rejects(Promise.resolve(run), { code: "aborted" });
});

test("a run that goes on elsewhere approves no call that nobody has approved", async () => {
  const done = [];
  const release = deferred();
  const act = (place) =>
    tool({
      name: "act",
      description: "Acts.",
      parameters: { type: "object", properties: { what: { type: "string" } } },
      replay: "safe",
      async execute({ what }) {
        done.push(`${what} at ${place}`);
        if (place === "first") await release.promise;
        return what;
      },
    });
  const it = world({ confirmationPolicy: { kind: "AlwaysConfirm" } });
  const calls = ["a", "b"].map((what) => ({ name: "act", arguments: { what } }));
  const writer = await it.open({ replies: [{ calls }], tools: [act("first")] });
  const asking = await it.open({ tools: [act("other")] });
  const next = await it.open({ replies: [{ text: "Done." }], tools: [act("next")] });
  await asking.conversation.sendMessage("Go");
  await asking.conversation.run();
  const [first, second] = await asking.conversation.pendingActions();
  const run = asking.conversation.run({ approve: [first.id] });
  while (done.length === 0) await new Promise((resolve) => setImmediate(resolve));
  writer.store.freeze();
  await next.conversation.takeOver();
  const { status } = await run;
  assert.equal(status, "waiting_for_confirmation");
  assert.deepEqual(
    done.filter((each) => each.startsWith("b")),
    [],
    "a call that waits for the user was made",
  );
  const pending = (await asking.conversation.pendingActions()).map(({ id }) => id);
  assert.ok(pending.includes(second.id));
  release.resolve();
});

test("executeTool() whose writer is stuck says that nobody knows, and is not repeated", async () => {
  let count = 0;
  const release = deferred();
  const act = tool({
    name: "act",
    description: "Acts.",
    parameters: { type: "object" },
    async execute() {
      count++;
      await release.promise;
      return "done";
    },
  });
  const it = world();
  const writer = await it.open({ tools: [act] });
  await writer.conversation.sendMessage("first");
  const asking = await it.open({ tools: [act] });
  const next = await it.open({ tools: [act] });
  const asked = asking.conversation.executeTool("act");
  asked.catch(() => {});
  while (count === 0) await new Promise((resolve) => setImmediate(resolve));
  writer.store.freeze();
  await next.conversation.takeOver();
  await assert.rejects(asked, { code: "aborted" });
  assert.equal(count, 1);
  release.resolve();
});

test("a stuck writer stores nothing more, its run is refused, and it follows when it wakes", async () => {
  const it = world();
  const go = deferred();
  const writer = await it.open({ replies: [{ text: "Too late, much too late.", pace: (n) => (n === 2 ? go.promise : undefined) }] });
  const next = await it.open({ replies: [{ text: "In time." }] });
  await writer.conversation.sendMessage("Tell me");
  const run = writer.conversation.run();
  await writer.until(() => writer.heard.some(({ kind }) => kind === "StreamingDeltaEvent"));
  writer.store.freeze();
  await next.conversation.takeOver();
  const { finalResponse } = await next.conversation.run();
  assert.equal(finalResponse, "In time.");
  const stored = await it.log();
  writer.store.thaw();
  go.resolve();
  await assert.rejects(Promise.resolve(run), { code: "locked_elsewhere" });
  await writer.until(() => accessesOf(writer.heard).includes("follower"));
  assert.deepEqual([writer.conversation.access, writer.conversation.home], ["follower", "tab"]);
  assert.deepEqual(await it.log(), stored);
  await writer.until(() => writer.conversation.events.length === stored.length);
  assert.deepEqual(await writer.conversation.events.slice(), stored);
});

test("those that follow a stuck writer follow the one that takes its place, and never the old one again", async () => {
  const it = world();
  const writer = await it.open();
  await writer.conversation.sendMessage("first");
  const [next, ...others] = [await it.open(), await it.open(), await it.open()];
  writer.store.freeze();
  await next.conversation.takeOver();
  for (const { conversation } of others) await conversation.sendMessage("to the next one");
  writer.store.thaw();
  for (const { conversation } of others) await conversation.sendMessage("and again");
  await writer.conversation.sendMessage("I follow");
  for (const each of [writer, ...others]) {
    await each.until(() => each.conversation.events.length === next.conversation.events.length);
    assert.deepEqual(await each.conversation.events.slice(), await it.log());
  }
});

test("of handles that take over at the same time one writes in the end, and all can act", async () => {
  const it = world();
  const handles = [await it.open()];
  await handles[0].conversation.sendMessage("first");
  for (let n = 0; n < 3; n++) handles.push(await it.open());
  await Promise.allSettled(handles.slice(1).map(({ conversation }) => conversation.takeOver()));
  const texts = ["a", "b", "c", "d"];
  for (const [n, { conversation }] of handles.entries()) {
    // One that has lost meanwhile says so; what it asks then is done.
    await conversation.sendMessage(texts[n]).catch(async ({ code }) => {
      assert.equal(code, "locked_elsewhere");
      await conversation.sendMessage(texts[n]);
    });
  }
  assert.deepEqual(textsIn(await it.log()).slice(-4), texts);
  assert.equal(handles.filter(({ conversation }) => conversation.access === "writer").length, 1);
});

test("a handle takes over from one that writes meanwhile, and has each event once", async () => {
  const it = world();
  const writer = await it.open();
  await writer.conversation.sendMessage("first");
  const next = await it.open();
  const before = next.conversation.events.length;
  const meanwhile = [];
  // It hears at once that it has to give way, and passes on what comes too late.
  next.store.before = (method) => {
    if (method === "events" && meanwhile.length < 3) meanwhile.push(writer.conversation.sendMessage(`meanwhile ${meanwhile.length}`));
  };
  await next.conversation.takeOver();
  await next.conversation.sendMessage("last");
  await Promise.all(meanwhile);
  const log = await it.log();
  assert.deepEqual(textsIn(log).filter(Boolean).sort(), ["first", "last", ...meanwhile.map((_, n) => `meanwhile ${n}`)]);
  assert.equal(next.conversation.events.length, log.length);
  assert.deepEqual(
    next.heard.flatMap(({ id }) => id ?? []),
    log.slice(before).map(({ id }) => id),
  );
});

test("what is asked while there is no writer is carried out by the next one, as it was when it was asked", async () => {
  const it = world();
  const writer = await it.open({ takeOver: "never" });
  await writer.conversation.sendMessage("first");
  const asking = await it.open({ takeOver: "never" });
  const tags = { title: "as asked" };
  writer.store.freeze();
  const asked = asking.conversation.setTags(tags);
  tags.title = "changed since";
  await asking.conversation.takeOver();
  await asked;
  assert.deepEqual(asking.conversation.state.tags, { title: "as asked" });
});

test("a call that is meant for the last writer is left to the order of the next one, and hides no earlier one", async () => {
  const it = world();
  const begun = deferred();
  const over = deferred();
  let runs = 0;
  const act = tool({
    name: "act",
    description: "Acts.",
    parameters: { type: "object" },
    async execute() {
      runs++;
      begun.resolve();
      await over.promise;
      return "done";
    },
  });
  const writer = await it.open({ tools: [act] });
  await writer.conversation.sendMessage("first");
  const asking = await it.open();
  const next = await it.open({ tools: [act] });
  const running = assert.rejects(asking.conversation.executeTool("act"), { code: "aborted" });
  await begun.promise;
  // The next one writes, and the one that asks has not heard of it.
  const between = [];
  next.conversation.subscribe(({ key, value }) => {
    if (key === "access" && value === "writer") between.push(asking.conversation.sendMessage("between"));
  });
  await next.conversation.takeOver();
  assert.equal(between.length, 1);
  await Promise.all([running, ...between]);
  assert.equal(runs, 1);
  assert.deepEqual(textsIn(await it.log()), ["first", "between"]);
  over.resolve();
});

test("with takeOver: never, what was asked of a writer that ends is refused, until somebody writes", async () => {
  const it = world({ takeOver: "never" });
  const writer = await it.open();
  await writer.conversation.sendMessage("first");
  const asking = await it.open();
  await writer.conversation.close();
  await asking.until(() => accessesOf(asking.heard).includes("free"));
  await assert.rejects(asking.conversation.sendMessage("x"), { code: "locked_elsewhere" });
  const next = await it.open();
  assert.equal(next.conversation.access, "writer");
  await next.conversation.sendMessage("second");
  await asking.until(() => asking.conversation.events.length === next.conversation.events.length);
  await asking.conversation.sendMessage("third");
  assert.deepEqual(textsIn(await it.log()).slice(-2), ["second", "third"]);
});

test("no key and no secret crosses to the writer", async () => {
  const crossed = [];
  const { postMessage } = BroadcastChannel.prototype;
  BroadcastChannel.prototype.postMessage = function (message) {
    crossed.push(structuredClone(message));
    return postMessage.call(this, message);
  };
  try {
    const it = world();
    const writer = await it.open({ replies: [{ text: "A title" }] });
    const asking = await it.open({ secrets: { TOKEN: "a-secret-of-the-other" } });
    await asking.conversation.sendMessage("first");
    const llm = new LLM({
      model: "openai/gpt-4o",
      baseUrl: "https://model.invalid",
      apiKey: "sk-key-of-the-other",
      headers: { "x-key": "sk-header" },
    });
    for (const call of [
      (conversation) => conversation.generateTitle({ llm }),
      (conversation) => conversation.switchLLM(llm),
      (conversation) => conversation.updateSecrets({ TOKEN: "a-secret-of-the-other" }),
      (conversation) => conversation.setSecurityAnalyzer({ securityRisk: async () => "LOW" }),
    ])
      await assert.rejects(call(asking.conversation), { code: "unsupported" });
    assert.doesNotMatch(JSON.stringify(crossed), /sk-|a-secret/);
    assert.equal(writer.conversation.access, "writer");
  } finally {
    BroadcastChannel.prototype.postMessage = postMessage;
  }
});

test("the limits that were set hold at the next writer as well", async () => {
  const { open } = world();
  const first = await open();
  const second = await open({ maxIterationPerRun: 100 });
  await first.conversation.setLimits({ maxBudgetPerRun: 0.5, maxIterationPerRun: 3 });
  // An answer of the writer comes after what it has told before.
  await second.conversation.queue.list();
  assert.equal(second.conversation.limits.maxBudgetPerRun, 0.5);
  await first.conversation.close();
  await second.until(() => second.conversation.access === "writer");
  assert.deepEqual([second.conversation.limits.maxBudgetPerRun, second.conversation.limits.maxIterationPerRun], [0.5, 3]);
});

test("a handle that takes over and brings its limits with it carries out its own calls once", async () => {
  const { open } = world();
  let count = 0;
  const act = tool({ name: "act", description: "Acts.", parameters: { type: "object" }, execute: () => `${++count}` });
  const earlier = await open({ maxIterationPerRun: 5 });
  await earlier.conversation.sendMessage("first");
  await earlier.conversation.close();
  const first = await open({ tools: [act], maxIterationPerRun: 3 });
  const second = await open({ tools: [act], maxIterationPerRun: 100 });
  await second.conversation.queue.list();
  await first.conversation.close();
  const asked = second.conversation.executeTool("act");
  // Storing the limits takes so long that messages of this page arrive meanwhile.
  second.store.before = async (method) => {
    for (let n = 0; method === "commit" && n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  const { content } = await asked;
  assert.deepEqual([content[0].text, count], ["1", 1]);
  assert.equal(second.conversation.access, "writer");
});

test("a handle that is opened while another one takes over follows that one", async () => {
  const it = world();
  const earlier = await it.open();
  await earlier.conversation.sendMessage("first");
  const next = await it.open({ takeOver: "never" });
  await earlier.conversation.close();
  // It has something to store, and is stuck with that.
  const store = it.way();
  const isStuck = store.freezeIn(false);
  const opening = it.open({ store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  await isStuck;
  await next.conversation.takeOver();
  await next.conversation.sendMessage("second");
  store.thaw();
  const { conversation } = await opening;
  assert.equal(conversation.access, "follower");
  await conversation.sendMessage("third");
  assert.deepEqual(textsIn(await it.log()), ["first", "second", "third"]);
});
