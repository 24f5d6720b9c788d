// Observers of requests: each request and its answer as they are on the wire, without the key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, observeRequests } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const apiKey = "sk-very-secret-key";

/** Records everything that an observer is told. */
function record() {
  const seen = [];
  const stop = observeRequests((request) => {
    const exchange = { ...request, status: undefined, text: "", isOver: false };
    seen.push(exchange);
    const decoder = new TextDecoder();
    return {
      onResponse: (status) => void (exchange.status = status),
      onBytes: (bytes) => void (exchange.text += decoder.decode(bytes, { stream: true })),
      onEnd: () => void (exchange.isOver = true),
    };
  });
  return { seen, stop };
}

test("a request and its answer are seen as they are sent, without the key", async () => {
  const model = createModel([{ text: "Hello." }, { text: "Again." }]);
  const llm = new LLM({ model: "openai/gpt-4o", apiKey, baseUrl: "https://example.org/v1?token=in-the-address", fetch: model.fetch });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
  const { seen, stop } = record();
  await conversation.sendMessage("Hi");
  await conversation.run();
  const [exchange] = seen;
  assert.equal(exchange.conversationId, conversation.id);
  assert.deepEqual(JSON.parse(exchange.body), model.requests[0].body);
  assert.equal(exchange.status, 200);
  assert.match(exchange.text, /^data: .*"Hello\."|\[DONE\]/s);
  assert.equal(exchange.isOver, true);
  assert.doesNotMatch(JSON.stringify(seen), /sk-very|in-the-address/);

  stop();
  await conversation.sendMessage("Again");
  await conversation.run();
  assert.equal(seen.length, 1);
  await conversation.close();
});

test("a failed request ends without a response, and an observer that throws stops nothing", async (context) => {
  const surfaced = context.mock.method(globalThis, "queueMicrotask", () => {});
  const { seen, stop } = record();
  const stopOther = observeRequests(() => {
    throw new Error("a defect of the observer");
  });
  try {
    const fetch = () => Promise.reject(new TypeError("no network"));
    const llm = new LLM({ model: "openai/gpt-4o", apiKey, fetch, numRetries: 1 });
    const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore(), offline: "fail" });
    await conversation.sendMessage("Hi");
    await assert.rejects(() => conversation.run(), { code: "network" });
    assert.deepEqual(
      seen.map(({ status, isOver }) => [status, isOver]),
      [[undefined, true]],
    );
    await conversation.close();
    const errors = surfaced.mock.calls.map(({ arguments: [task] }) => errorOf(task)).filter(Boolean);
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["a defect of the observer"],
    );
  } finally {
    stop();
    stopOther();
  }
});

/** What a task throws: conversations have tasks of their own beside those of observers. */
function errorOf(task) {
  try {
    task();
  } catch (error) {
    return error;
  }
}
