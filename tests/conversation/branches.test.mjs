// The examples of docs/context.md about branches, run as they are written; and what the verbs refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, taskTool } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { ScriptedModel } from "../support/model/script.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const [, section] = /\n## Branches\n(.*?)(?:\n## |$)/s.exec(readFileSync(path.join(root, "docs/context.md"), "utf8"));
const examples = examplesIn(section);

function llm(name = "m") {
  let count = 0;
  const { fetch } = new ScriptedModel(() => ({ text: `Answer ${++count}.` }));
  return new LLM({ model: `openai/${name}`, baseUrl: "https://model.invalid", stream: false, numRetries: 1, fetch });
}

async function begin(t, options) {
  const store = memoryStore();
  const conversation = await Conversation.open({ agent: new Agent({ llm: llm() }), store, ...options });
  t.after(() => conversation.close());
  for (const text of ["First", "Second"]) {
    await conversation.sendMessage(text);
    await conversation.run();
  }
  return { store, conversation };
}

const textsOf = (events) => events.filter(({ kind }) => kind === "MessageEvent").map(({ llm_message: { content } }) => content[0].text);

test("the examples run as written", async (t) => {
  const { conversation } = await begin(t);
  const [moves, lists, copies] = examples;
  assert.equal(examples.length, 3);
  const messageId = (await conversation.events.at(1)).id;
  const eventId = (await conversation.events.at(2)).id;
  await runExample(moves, { conversation, messageId, eventId });
  assert.deepEqual(textsOf(await conversation.activeBranch()), ["First", "Answer 1.", "Try it differently", "Answer 5."]);
  await runExample(lists, { conversation });
  const branches = await conversation.branches();
  assert.deepEqual(
    branches.map(({ firstEvent }) => textsOf([firstEvent])),
    [["Second"], ["Second"], ["In French, please"]],
  );
  assert.deepEqual(new Set(branches.map(({ forkEventId }) => forkEventId)), new Set([eventId, (await conversation.events.at(0)).id]));
  const made = {};
  await runExample(`${copies}\nmade.copy = copy; made.part = part;`, { conversation, Agent, other: llm("other"), eventId, made });
  for (const copy of Object.values(made)) t.after(() => copy.close());
  assert.deepEqual([made.copy.state.tags.title, made.copy.events.length], ["With another model", conversation.events.length]);
  assert.equal(made.copy.state.agent.llm.model, "openai/other", "the given agent is stored");
  assert.equal(conversation.state.agent.llm.model, "openai/m");
  assert.deepEqual(textsOf(await made.part.activeBranch()), ["First", "Answer 1."]);
});

test("options are checked, and unknown ones refused by name", async (t) => {
  const { conversation } = await begin(t);
  for (const [name, call] of Object.entries({
    branch: () => conversation.fork({ branch: "x" }),
    resetMetrics: () => conversation.fork({ resetMetrics: 1 }),
    agent: () => conversation.fork({ agent: {} }),
    tags: () => conversation.fork({ tags: { title: 1 } }),
    "Not lower": () => conversation.fork({ tags: { "Not lower": "x" } }),
    limit: () => conversation.activeBranch({ limit: -1 }),
    last: () => conversation.activeBranch({ last: 1 }),
    approve: () => conversation.regenerate({ approve: [] }),
  })) {
    await assert.rejects(
      async () => call(),
      (error) => error.code === "invalid_options" && error.message.includes(name),
      name,
    );
  }
  const unknown = crypto.randomUUID();
  for (const call of [
    () => conversation.navigateTo(unknown),
    () => conversation.editMessage(unknown, "x"),
    () => conversation.fork({ fromEventId: unknown }),
  ]) {
    await assert.rejects(call, { code: "not_found" });
  }
});

test("a fork leaves nothing behind if it is refused, and counts costs as asked", async (t) => {
  const { store, conversation } = await begin(t);
  await assert.rejects(conversation.fork({ tags: { UPPER: "x" } }), { code: "invalid_options" });
  assert.equal((await Conversation.list({ store })).length, 1);
  for (const resetMetrics of [true, false]) {
    const copy = await conversation.fork({ resetMetrics });
    assert.deepEqual(copy.state.stats, resetMetrics ? { usage_to_metrics: {} } : conversation.state.stats);
    await copy.close();
  }
});

test("interrupt() right after regenerate() stops the run that it begins", async (t) => {
  const { conversation } = await begin(t);
  const run = conversation.regenerate();
  await conversation.interrupt();
  assert.equal(conversation.executionStatus, "paused");
  assert.equal((await run).status, "paused");
  assert.equal(conversation.executionStatus, "paused");
  assert.deepEqual(textsOf(await conversation.activeBranch()), ["First", "Answer 1.", "Second"]);
  await conversation.run();
  assert.match(textsOf(await conversation.activeBranch()).at(-1), /^Answer/);
});

test("a message right after regenerate() follows the new answer", async (t) => {
  const { conversation } = await begin(t);
  const run = conversation.regenerate();
  await conversation.sendMessage("Third");
  await run;
  const texts = textsOf(await conversation.activeBranch());
  assert.deepEqual(texts, ["First", "Answer 1.", "Second", "Answer 3.", "Third", "Answer 4."]);
});

test("interrupt() right after run() stops it, also with sub-agents, whose approvals come before", async (t) => {
  const agent = new Agent({ llm: llm(), tools: [taskTool()] });
  const { conversation } = await begin(t, { agent });
  await conversation.sendMessage("Third");
  const run = conversation.run();
  await conversation.interrupt();
  assert.equal((await run).status, "paused");
  assert.equal(textsOf(await conversation.activeBranch()).at(-1), "Third");
});
