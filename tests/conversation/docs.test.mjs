// The examples of docs/context.md about questions, titles and critics, run as they are written.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { createModel } from "../support/model.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";
import { finish } from "../support/chat.mjs";

/** The examples in a section of the page. */
function examplesOf(section) {
  const text = readFileSync(path.join(root, "docs/context.md"), "utf8");
  const [, part] = new RegExp(`\n## ${section}\n(.*?)(?=\n## |$)`, "s").exec(text);
  return examplesIn(part);
}

test("the examples of questions and titles", async () => {
  const model = createModel([{ text: "Done." }, { text: "None." }, { text: "🗂 Files" }, { text: "🗂 My files" }]);
  const { fetch } = model;
  const llm = new LLM({ model: "openai/gpt-4o", fetch });
  const store = memoryStore();
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store });
  await conversation.sendMessage("Sort my files");
  await conversation.run();
  const names = { conversation, LLM, apiKey: "key", fetch };
  const [question, title, otherModel] = examplesOf("Questions and titles");
  assert.equal(await runExample(question, names, "answer"), "None.");
  assert.equal(await runExample(title, names, "title"), "🗂 Files");
  assert.equal((await Conversation.list({ store }))[0].title, "🗂 Files");
  assert.equal(await runExample(otherModel, names, "title"), "🗂 My files");
  assert.deepEqual(Object.keys(conversation.stats.usage_to_metrics), ["default", "ask-agent-llm", "titles"]);
  model.check();
  await conversation.close();
});

test("the example of critics", async () => {
  const model = createModel([finish("Tea is old."), finish("Tea is old: https://example.org/tea")]);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch });
  const [example] = examplesOf("Critics");
  const agent = await runExample(example, { Agent, llm }, "agent");
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  await conversation.sendMessage("How old is tea?");
  assert.match((await conversation.run()).finalResponse, /example\.org/);
  const events = await conversation.events.slice();
  assert.deepEqual(
    events.flatMap(({ critic_result }) => critic_result?.score ?? []),
    [0.2, 1],
  );
  assert.match(JSON.stringify(events[4]), /names no sources/);
  model.check();
  await conversation.close();
});
