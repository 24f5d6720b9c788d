// Requests beside the run through the API: questions, titles, their signals, and where a title is stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { endOf } from "../support/ended.mjs";

async function open(script, options = {}) {
  const model = createModel(script);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1, inputCostPerToken: 0.001, outputCostPerToken: 0.002 });
  const store = memoryStore();
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store, ...options });
  return { model, llm, store, conversation };
}

/** A model that answers nothing until the test ends. */
const stalled = { text: "Never to be read.", stallAfter: 1 };

test("askAgent answers, appends no event, and counts its cost, which is all that listeners hear of", async () => {
  const { model, conversation } = await open([{ text: "Hello." }, { text: "You said good morning." }]);
  await conversation.sendMessage("Good morning");
  await conversation.run();
  const events = await conversation.events.slice();
  const heard = [];
  conversation.subscribe((event) => heard.push(event));
  assert.equal(await conversation.askAgent("What did I say?"), "You said good morning.");
  assert.deepEqual(await conversation.events.slice(), events);
  assert.deepEqual(
    heard.map(({ kind, key }) => [kind, key]),
    [["ConversationStateUpdateEvent", "stats"]],
  );
  assert.equal(conversation.executionStatus, "finished");
  assert.equal(conversation.stats.usage_to_metrics["ask-agent-llm"].token_usages.length, 1);
  assert.ok(conversation.stats.usage_to_metrics["ask-agent-llm"].accumulated_cost > 0);
  assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /What did I say\?/);
  model.check();
  await conversation.close();
});

test("askAgent works during a run, which it does not disturb", async () => {
  const { model, conversation } = await open((body) =>
    JSON.stringify(body.messages.at(-1)).includes("How far") ? { text: "Nearly there." } : { text: "Done.", pace: () => asked },
  );
  let isAsked;
  const asked = new Promise((resolve) => (isAsked = resolve));
  await conversation.sendMessage("Go");
  const run = conversation.run();
  await model.arrived(1);
  assert.equal(await conversation.askAgent("How far are you?"), "Nearly there.");
  assert.equal(conversation.executionStatus, "running");
  isAsked();
  assert.deepEqual(endOf(await run), { status: "finished", finalResponse: "Done." });
  model.check();
  await conversation.close();
});

test("a signal stops askAgent and generateTitle", async () => {
  const { model, conversation } = await open(() => stalled);
  await conversation.sendMessage("Go");
  for (const [call, request] of [
    [(options) => conversation.askAgent("Well?", options), 1],
    [(options) => conversation.generateTitle(options), 2],
  ]) {
    const controller = new AbortController();
    const answer = call({ signal: controller.signal });
    await model.arrived(request);
    controller.abort("enough");
    await assert.rejects(answer, { code: "aborted", cause: "enough" });
    await model.left(request);
    await assert.rejects(call({ signal: AbortSignal.abort() }), { code: "aborted" });
    assert.equal(model.requests.length, request, "a signal that is aborted already sends nothing");
  }
  await conversation.close();
});

test("closing ends a question", async () => {
  const { model, conversation } = await open(() => stalled);
  const answer = conversation.askAgent("Well?");
  await model.arrived(1);
  await Promise.all([assert.rejects(answer, { code: "invalid_state" }), conversation.close()]);
  await assert.rejects(conversation.askAgent("Well?"), { code: "invalid_state" });
});

test("errors of the provider are ThreadkeepErrors, and without a network nothing waits", async () => {
  const { conversation } = await open(() => ({ status: 401, body: '{"error":{"message":"no"}}' }));
  await assert.rejects(conversation.askAgent("Well?"), { name: "ThreadkeepError", code: "llm_auth", status: 401 });
  assert.equal(conversation.executionStatus, "idle");
  assert.equal(conversation.events.length, 0);
  await conversation.close();
  const fetch = () => Promise.reject(new TypeError("there is no network"));
  const offline = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch, numRetries: 1 }) }),
    store: memoryStore(),
  });
  await assert.rejects(offline.askAgent("Well?"), { code: "network" });
  assert.equal(offline.waiting, null);
  await offline.sendMessage("Do the laundry");
  assert.equal(await offline.generateTitle(), "Do the laundry");
  await offline.close();
});

test("a generated title is listed once it is a tag", async () => {
  const { model, store, conversation } = await open([{ text: "Hello." }, { text: "🧺 Laundry\n" }]);
  await assert.rejects(conversation.generateTitle(), { code: "invalid_state" });
  await conversation.sendMessage("Help me with the laundry");
  await conversation.run();
  const title = await conversation.generateTitle();
  assert.equal(title, "🧺 Laundry");
  assert.equal((await Conversation.list({ store }))[0].title, "Help me with the laundry", "it is not stored by itself");
  await conversation.setTags({ ...conversation.state.tags, title });
  assert.equal((await Conversation.list({ store }))[0].title, title);
  assert.equal(conversation.events.length, 3);
  model.check();
  await conversation.close();
});

test("another model can make the title, and its key is hidden", async () => {
  const { conversation } = await open([]);
  await conversation.sendMessage("Help me with the laundry");
  const model = createModel([{ text: "The key is sk-other-key-1234" }]);
  const llm = new LLM({ model: "openai/gpt-4o-mini", usageId: "titles", apiKey: "sk-other-key-1234", fetch: model.fetch });
  assert.equal(await conversation.generateTitle({ llm, maxLength: 100 }), "The key is <secret-hidden>");
  assert.equal(model.requests[0].headers.authorization, "Bearer sk-other-key-1234");
  assert.equal(conversation.stats.usage_to_metrics["titles"].token_usages.length, 1);
  await conversation.close();
});

test("arguments are checked", async () => {
  const { conversation } = await open([]);
  for (const call of [
    () => conversation.askAgent(7),
    () => conversation.askAgent("Well?", { signal: "now" }),
    () => conversation.generateTitle({ llm: {} }),
    ...[3, 4.5, "10", Infinity, null].map((maxLength) => () => conversation.generateTitle({ maxLength })),
  ]) {
    await assert.rejects(call(), { code: "invalid_options" }, String(call));
  }
  await conversation.close();
});
