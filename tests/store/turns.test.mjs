// One conversation that is opened, closed and opened again within a moment, as views do that are shown twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { storeThrough } from "../support/store-with.mjs";

const silent = () => new Promise(() => {});
const agentOf = (tools = [], fetch = silent) =>
  new Agent({ llm: new LLM({ model: "openai/m", fetch, stream: false, numRetries: 1 }), tools });
const agent = agentOf();
const world = (options) => ({ store: memoryStore(), agent, conversationId: crypto.randomUUID(), ...options });

/** Ways to give up what was opened, or is being opened. */
const waysToGiveUp = {
  "once it is open": (opening) => void opening.then((conversation) => conversation.close()),
  "with a flag": (opening) => {
    void (async () => {
      const conversation = await opening;
      await Promise.resolve();
      await conversation.close();
    })();
  },
  "some functions later": (opening) => {
    const through = async (promise, depth) => (depth ? through(promise, depth - 1) : promise);
    void through(opening, 8).then((conversation) => conversation[Symbol.asyncDispose]());
  },
};

for (const [way, giveUp] of Object.entries(waysToGiveUp)) {
  test(`opening a conversation that is given up ${way} makes a writer`, async () => {
    const options = world();
    for (let round = 0; round < 3; round++) {
      giveUp(Conversation.open(options));
      const second = await Conversation.open(options);
      assert.equal(second.access, "writer");
      await second.sendMessage("Hello");
      await second.close();
    }
    const { length } = (await Conversation.open(options)).events;
    assert.equal(length, 4);
  });
}

/** A store whose reads take their time. */
function slowStore() {
  return storeThrough(memoryStore(), async (_method, _given, go) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return go();
  });
}

test("opening a conversation that is given up after a read makes a writer", async () => {
  const options = world({ store: slowStore() });
  const first = await Conversation.open(options);
  await first.sendMessage("Hello");
  await first.close();
  const ways = [
    (conversation) => conversation.events.slice(),
    (conversation) => conversation.events.at(-1),
    (conversation) => Promise.all([conversation.events.at(0), conversation.finalResponse(), conversation.pendingActions()]),
    async (conversation) => {
      for await (const _ of conversation.events);
      return conversation.finalResponse();
    },
    (conversation) => conversation.events.getIndex("no event").catch(() => {}),
  ];
  for (const read of ways) {
    void Conversation.open(options).then(async (conversation) => {
      await read(conversation);
      await conversation.close();
    });
    const second = await Conversation.open(options);
    assert.equal(second.access, "writer", String(read));
    await second.close();
  }
});

test("a conversation that stays open for reading does not block another opening for ever", async () => {
  const options = world({ store: slowStore() });
  const made = await Conversation.open(options);
  await made.sendMessage("Hello");
  await made.close();
  let isOver = false;
  const reading = Conversation.open(options).then(async (conversation) => {
    while (!isOver) await conversation.events.slice();
  });
  const second = await Conversation.open(options);
  assert.equal(second.access, "follower");
  isOver = true;
  await reading;
});

test("three views open, and the one that stays writes", async () => {
  const options = world();
  for (let view = 0; view < 2; view++) void Conversation.open(options).then((conversation) => conversation.close());
  assert.equal((await Conversation.open(options)).access, "writer");
});

test("opening a conversation whose run is being closed makes a writer", async () => {
  const options = world();
  const first = await Conversation.open(options);
  await first.sendMessage("Hello");
  const run = first.run();
  const closed = first.close();
  const second = await Conversation.open(options);
  assert.equal(second.access, "writer");
  await Promise.all([run.catch(() => {}), closed]);
  await second.sendMessage("Again");
});

test("a tool that closes slowly blocks no opening", async () => {
  let release;
  const slow = tool({
    name: "slow",
    description: "",
    parameters: { type: "object" },
    execute() {},
    close: () => new Promise((resolve) => (release = resolve)),
  });
  const options = world({ agent: agentOf([slow]) });
  const first = await Conversation.open(options);
  const closed = first.close();
  const second = await Conversation.open({ ...options, agent });
  assert.equal(second.access, "writer");
  release();
  await closed;
});

test("opening a conversation that was deleted on closing begins it again", async () => {
  const options = world();
  const first = await Conversation.open({ ...options, deleteOnClose: true });
  await first.sendMessage("Hello");
  void first.close();
  const second = await Conversation.open(options);
  assert.deepEqual([second.access, second.events.length], ["writer", 0]);
  await second.sendMessage("Hello");
  assert.equal((await Conversation.list({ store: options.store })).length, 1);
});

test("opening after an opening that failed makes a writer", async () => {
  const options = world();
  let isBroken = true;
  const store = storeThrough(options.store, async (_method, _given, go) => {
    if (isBroken) throw new Error("on purpose");
    return go();
  });
  const failed = Conversation.open({ ...options, store });
  const works = Conversation.open({ ...options, store });
  failed.catch(() => (isBroken = false));
  await assert.rejects(failed, { code: "store_corrupt" });
  assert.equal((await works).access, "writer");
});

test("of two views that both stay the first writes and the other follows, and neither waits for another conversation", async () => {
  const options = world();
  const [first, second, other] = await Promise.all([
    Conversation.open(options),
    Conversation.open(options),
    Conversation.open(world({ store: options.store })),
  ]);
  assert.deepEqual([first.access, second.access, other.access], ["writer", "follower", "writer"]);
  const elsewhere = await Conversation.open({ ...options, store: memoryStore() });
  assert.equal(elsewhere.access, "writer");
});
