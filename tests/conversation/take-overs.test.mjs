// Random lives: handles that take over from one another while the one that writes is stuck somewhere in a run. A tool that may
// not be repeated runs at most once, and what was acknowledged is in the log once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { amount, seed } from "../support/explored.mjs";
import { freezing } from "../support/freezing-store.mjs";
import { ScriptedModel } from "../support/model/script.mjs";
import { randomFrom } from "../support/random.mjs";

// What handles say to each other keeps no process alive.
let alive;
before(() => (alive = setInterval(() => {}, 1000)));
after(() => clearInterval(alive));

const takeOvers = amount(40, 200);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** So many take-overs; which calls were made, and what was acknowledged. */
async function live(seed) {
  const random = randomFrom(seed);
  const memory = memoryStore();
  const name = `lives ${seed}`;
  const id = crypto.randomUUID();
  const made = new Map();
  const acknowledged = [];
  const settled = [];
  let requests = 0;
  const script = async () => {
    const n = requests++;
    for (let turns = random.between(0, 5); turns > 0; turns--) await turn();
    // Each handle has a model of its own, and no two of these give the same ids.
    const id = `chatcmpl-${n}`;
    return n % 3 === 2 ? { id, text: "Done." } : { id, calls: [{ name: "act", arguments: { n }, id: `call_${n}` }] };
  };
  const act = tool({
    name: "act",
    description: "Acts.",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    replay: "never",
    async execute(_, { idempotencyKey }) {
      made.set(idempotencyKey, (made.get(idempotencyKey) ?? 0) + 1);
      for (let turns = random.between(0, 5); turns > 0; turns--) await turn();
      return "done";
    },
  });
  const open = async () => {
    const store = freezing(memory, name);
    const llm = new LLM({ model: "openai/gpt-4o", fetch: new ScriptedModel(script).fetch, numRetries: 1 });
    const agent = new Agent({ llm, tools: [act] });
    return { store, conversation: await Conversation.open({ agent, store, conversationId: id }) };
  };
  const note = (promise) => {
    const entry = { isSettled: false };
    settled.push(entry);
    promise.then(
      () => (entry.isSettled = true),
      ({ code, message }) => Object.assign(entry, { isSettled: true, code, message }),
    );
  };
  const handles = [];
  for (let n = 0; n < 3; n++) handles.push(await open());
  let writer = handles[0];
  await writer.conversation.sendMessage("begin");
  for (let n = 0; n < takeOvers; n++) {
    for (const { conversation } of handles) {
      if (random.chance(0.5)) {
        const text = `${n} of ${handles.findIndex((each) => each.conversation === conversation)}`;
        note(conversation.sendMessage(text).then((event) => acknowledged.push([event.id, text])));
      }
      if (random.chance(0.7)) note(Promise.resolve(conversation.run()));
    }
    for (let turns = random.between(0, 60); turns > 0; turns--) await turn();
    const way = random.between(0, 2);
    if (way === 0) writer.store.freeze();
    else if (way === 1) void writer.store.freezeIn(random.chance(0.5));
    const next = random.of(handles.filter((each) => each !== writer));
    await next.conversation.takeOver();
    const old = writer;
    writer = next;
    for (let turns = random.between(0, 20); turns > 0; turns--) await turn();
    // It wakes, at the latest before the next one takes over.
    old.store.thaw();
    for (let turns = random.between(0, 20); turns > 0; turns--) await turn();
  }
  // What is under way comes to its end.
  for (let n = 0; settled.some(({ isSettled }) => !isSettled); n++) {
    if (n > 20_000) break;
    await turn();
  }
  return { memory, id, handles, made, acknowledged, settled };
}

test(`${takeOvers} take-overs, seed ${seed}`, async () => {
  const { memory, id, handles, made, acknowledged, settled } = await live(seed);
  assert.deepEqual(
    [...made].filter(([, count]) => count > 1),
    [],
    "calls that were made more than once",
  );
  assert.ok(made.size > takeOvers / 10, `${made.size} calls`);
  assert.equal(settled.filter(({ isSettled }) => !isSettled).length, 0, `of ${settled.length} promises some are not settled`);
  const refusals = [undefined, "locked_elsewhere", "invalid_state", "aborted"];
  const failures = settled.filter(({ code }) => !refusals.includes(code)).map(({ code, message }) => `${code}: ${message}`);
  assert.deepEqual(failures, []);
  const stored = (await memory.events(id, 0, 100_000)).map((event) => JSON.parse(event.json ?? event));
  const ids = stored.map((event) => event.id);
  assert.equal(new Set(ids).size, ids.length, "an event is in the log twice");
  const texts = stored.map(({ llm_message }) => llm_message?.content[0]?.text);
  for (const [event, text] of acknowledged) {
    assert.equal(ids.filter((each) => each === event).length, 1, `the event of ${text}`);
    assert.equal(texts.filter((each) => each === text).length, 1, `the message ${text}`);
  }
  for (const { conversation } of handles) {
    while (conversation.events.length < stored.length) await turn();
    assert.deepEqual(await conversation.events.slice(), stored);
    await conversation.close();
  }
});
