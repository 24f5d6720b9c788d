// A thread while a model writes a summary: nothing is stored until it has, so the core tells of it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createModel } from "../../support/model.mjs";
import { Agent, Conversation, LLM, memoryStore } from "../../../dist/index.js";
import { threadOf } from "../../../dist/thread.js";
import { until } from "./stage.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

const llmOf = (script) => {
  const model = createModel(script);
  return new LLM({ model: "openai/m", baseUrl: "http://model.test/v1", fetch: model.fetch, numRetries: 0 });
};

test("every view hears of a summary while it is written, also one that comes in the middle", async () => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const refused = { status: 401, body: { error: { message: "no such key" } } };
  // It is tried again with less.
  const summaries = llmOf([{ text: ["A ", "summary."], pace: () => released }, ...Array(9).fill(refused)]);
  const texts = ["One.", "Two.", "Three.", "Four."];
  const llm = llmOf(texts.map((text) => ({ text })));
  const agent = new Agent({ llm, condenser: { kind: "LLMSummarizingCondenser", keepFirst: 2, llm: summaries } });
  const store = memoryStore();
  const another = async (conversationId) => {
    const handle = await Conversation.open({ agent, store, conversationId });
    const thread = threadOf(handle);
    await thread.opened();
    return { handle, thread };
  };
  const one = await another();
  const two = await another(one.handle.id);
  for (const text of texts.slice(0, 3)) {
    await one.handle.sendMessage(text);
    await one.handle.run();
  }
  assert.equal(one.thread.getSnapshot().isCondensing, false);

  const condensed = one.handle.condense();
  for (const { thread } of [one, two]) await until(thread, ({ isCondensing }) => isCondensing);
  const three = await another(one.handle.id);
  const views = [one, two, three];
  await until(three.thread, ({ isCondensing }) => isCondensing);
  release();
  await condensed;
  for (const { thread } of views) await until(thread, ({ isCondensing }) => !isCondensing);

  await one.handle.sendMessage(texts[3]);
  await one.handle.run();
  await assert.rejects(one.handle.condense(), { code: "llm_auth" });
  assert.equal(one.thread.getSnapshot().isCondensing, false, "nobody writes one that has failed");
  for (const { thread, handle } of views) {
    await thread.close();
    await handle.close();
  }
});
