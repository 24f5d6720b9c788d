// `scriptedModel()` of threadkeep/testing, as the test of an app uses it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "threadkeep";
import { scriptedModel } from "threadkeep/testing";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  execute: ({ a, b }) => `${a + b}`,
});

function open(model, { tools = [], ...options } = {}) {
  const llm = new LLM({ model: "openai/scripted", fetch: model.fetch, numRetries: 1, ...options });
  return Conversation.open({ agent: new Agent({ llm, tools }), store: memoryStore() });
}

/** Sends a message and runs; resolves to the answer, or rejects as the run does. */
async function ask(conversation, text) {
  await conversation.sendMessage(text);
  return (await conversation.run()).finalResponse;
}

for (const stream of [true, false]) {
  test(`texts and calls are answered in order, ${stream ? "streamed" : "in one piece"}, and requests are recorded`, async () => {
    const model = scriptedModel([
      { reasoning: "Easy.", calls: [{ name: "add", arguments: { a: 2, b: 3 } }] },
      "It is 5. 🎉",
      ({ lastText }) => `You said ${lastText}`,
    ]);
    const conversation = await open(model, { tools: [add], stream });
    assert.equal(await ask(conversation, "What is 2 + 3?"), "It is 5. 🎉");
    assert.equal(await ask(conversation, "Thanks"), "You said Thanks");
    assert.deepEqual(
      model.requests.map(({ lastText }) => lastText),
      ["What is 2 + 3?", "5", "Thanks"],
    );
    assert.ok(model.requests[0].tools.includes("add"));
    assert.equal(model.requests[0].body.model, "scripted");
    model.check();
    await conversation.close();
  });
}

test("an answer with a condition waits for its request", async () => {
  const model = scriptedModel([
    { when: "weather", text: "Rain." },
    { when: /^time/gi, text: "Noon." },
    { when: ({ tools }) => tools.length > 99, text: "Never." },
    "Anything.",
  ]);
  const conversation = await open(model);
  assert.equal(await ask(conversation, "Time?"), "Noon.");
  assert.equal(await ask(conversation, "Hm"), "Anything.");
  assert.equal(await ask(conversation, "the weather?"), "Rain.");
  assert.throws(() => model.check(), {
    name: "AssertionError",
    message: /3 requests for 4 answers:\n- never asked for: "Never\." when a function/,
  });
  await conversation.close();
});

test("a request that nothing matches ends the run and says what differed", async () => {
  const model = scriptedModel([{ when: "weather", text: "Rain." }]);
  const conversation = await open(model);
  const wanted = /request 1: user: "Hello" \(tools: finish, think\): no answer matches it; these are left: "Rain\." when "weather"/;
  await assert.rejects(ask(conversation, "Hello"), { code: "llm_bad_request", message: wanted });
  assert.throws(
    () => model.check(),
    (error) => {
      assert.match(error.message, wanted);
      assert.deepEqual(error.expected, ['1. "Rain." when "weather"']);
      assert.deepEqual(error.actual, ['request 1: user: "Hello" (tools: finish, think)']);
      return true;
    },
  );
  await conversation.close();
});

test("errors with a status, a message and headers", async () => {
  const model = scriptedModel([
    { error: 401 },
    { error: { status: 400, message: "too odd" } },
    { error: { status: 503, headers: { "x-request-id": "7" } } },
    "Back.",
  ]);
  const conversation = await open(model);
  await assert.rejects(ask(conversation, "One"), { code: "llm_auth", status: 401 });
  await assert.rejects(async () => await conversation.run(), { code: "llm_bad_request", message: /too odd/ });
  await assert.rejects(async () => await conversation.run(), { code: "llm_unavailable", status: 503 });
  assert.equal((await conversation.run()).finalResponse, "Back.");
  model.check();
  await conversation.close();
});

test("a connection that breaks in the middle of an answer, and one that cannot be made", async () => {
  const model = scriptedModel([{ text: "This will break off", breakAfter: 2 }, { error: "network" }, "Whole."]);
  const conversation = await open(model);
  await assert.rejects(ask(conversation, "Hello"), { code: "network", message: /the connection to the scripted model broke/ });
  await assert.rejects(async () => await conversation.run(), { code: "network", message: /the scripted model is not reachable/ });
  assert.equal((await conversation.run()).finalResponse, "Whole.");
  model.check();
  await conversation.close();
});

test("a delayed answer can be interrupted", async () => {
  const model = scriptedModel([
    { text: "Too late", delay: 60_000 },
    { text: "Slow but there", delay: 5, pace: 1 },
  ]);
  const conversation = await open(model);
  await conversation.sendMessage("Hello");
  const run = conversation.run();
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await conversation.interrupt();
  await run;
  assert.equal(await ask(conversation, "And now?"), "Slow but there");
  model.check();
  await conversation.close();
});

test("another wire API is refused with advice, and mistakes in the script with a code", async () => {
  const model = scriptedModel(["Hello"]);
  const conversation = await open(model, { apiMode: "responses" });
  await assert.rejects(ask(conversation, "Hello"), {
    code: "llm_bad_request",
    message: /Chat Completions only: give the LLM apiMode: "chat"/,
  });
  await conversation.close();
  assert.throws(() => scriptedModel([{ txt: "Hello" }]), { code: "invalid_options", message: /there are when, text, / });
  assert.throws(() => scriptedModel([{}]), { code: "invalid_options", message: /needs text, calls or an error/ });
  assert.throws(() => model.add(5), { code: "invalid_options" });
});
