// Condensers through the API, and the examples of docs/context.md about them, run as they are written.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";

const docs = readFileSync(path.resolve(import.meta.dirname, "../../docs/context.md"), "utf8");

/** Runs an example with these names in scope; the result has the names in `returned`. */
async function run(name, scope, returned) {
  return runExample(exampleNamed(docs, name), scope, `{ ${returned} }`);
}

const llmOf = (script, options = {}) => {
  const model = createModel(script);
  return { model, llm: new LLM({ model: "openai/gpt-4o", baseUrl: "http://model.test/v1", fetch: model.fetch, ...options }) };
};

const fields = {
  user_context: "Wants a plan.",
  completed_tasks: ["1: read"],
  pending_tasks: ["2: write\nin French", "3: check"],
  other: "# no heading",
};

async function refused(condenser, expected) {
  const agent = new Agent({ llm: llmOf([]).llm, condenser });
  await assert.rejects(
    Conversation.open({ agent, store: memoryStore() }),
    ({ code, message }) => code === "invalid_options" && expected.test(message),
  );
}

test("options of condensers are checked and unknown ones refused by name", async () => {
  await refused({ kind: "LLMSummarizingCondenser", maxsize: 9 }, /"maxsize".*maxSize/);
  await refused({ kind: "LLMSummarizingCondenser", maxSize: 6 }, /keepFirst must be less than half of maxSize/);
  await refused({ kind: "LLMSummarizingCondenser", maxTokens: 0.5 }, /maxTokens must be a whole number/);
  await refused({ kind: "LLMSummarizingCondenser", minimumProgress: 1 }, /minimumProgress must be a number between 0 and 1/);
  await refused({ kind: "LLMSummarizingCondenser", hardContextResetMaxRetries: 0 }, /hardContextResetMaxRetries/);
  await refused({ kind: "LLMSummarizingCondenser", llm: {} }, /llm of the condenser must be an LLM/);
  await refused({ kind: "LLMSummarizingCondenser", summary: "list" }, /summary must be/);
  await refused({ kind: "PipelineCondenser", condensers: 7 }, /condensers must be an array/);
  await refused({ kind: "PipelineCondenser", condensers: [{ kind: "NoOpCondenser", x: 1 }] }, /"x"/);
  await refused({ kind: "MyCondenser" }, /kind of a condenser/);
  await refused("text", /condenser must be an object/);
  assert.throws(() => new Agent({ llm: llmOf([]).llm, countTokens: 7 }), /countTokens must be a function/);
});

test("the examples about condensers work", async () => {
  const { model: small, llm: smallLLM } = llmOf([{ text: "A summary." }]);
  const { model, llm } = llmOf([{ text: "Hello." }, { text: "Again." }]);
  const { agent } = await run("condenser", { Agent, llm, small: smallLLM }, "agent");
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  const stored = conversation.state.agent.condenser;
  assert.deepEqual(
    { ...stored, llm: stored.llm.usage_id },
    {
      llm: "condenser",
      max_size: 80,
      max_tokens: 30_000,
      keep_first: 4,
      minimum_progress: 0.1,
      hard_context_reset_max_retries: 5,
      hard_context_reset_context_scaling: 0.8,
      kind: "LLMSummarizingCondenser",
    },
  );
  await conversation.sendMessage("Hi. ".repeat(9000));
  await conversation.run();
  const { usedTokens, limitTokens, reclaimableTokens } = await run("meter", { conversation }, "usedTokens, limitTokens, reclaimableTokens");
  assert.equal(limitTokens, 30_000);
  assert.ok(reclaimableTokens <= usedTokens);
  assert.equal(small.requests.length, usedTokens > 24_000 ? 1 : 0);
  if (small.requests.length === 0) await conversation.condense();
  const [condensation] = await conversation.events.slice(-1);
  assert.deepEqual([condensation.kind, condensation.summary], ["Condensation", "A summary."]);
  assert.deepEqual(Object.keys(conversation.stats.usage_to_metrics).sort(), ["condenser", "default"]);
  assert.equal(await conversation.progress(), null);
  model.requests.length = 0;
  await conversation.close();
});

test("a tokenizer of the host counts, and one that fails is replaced by the estimate", async () => {
  const { llm } = llmOf([]);
  const condenser = { kind: "NoOpCondenser" };
  const texts = [];
  const encode = (text) => {
    texts.push(text);
    return [...text].map(() => 0);
  };
  const { agent } = await run("tokenizer", { Agent, llm, condenser, encode }, "agent");
  const usage = async (agent) => {
    const conversation = await Conversation.open({ agent, store: memoryStore() });
    await conversation.sendMessage("word ".repeat(200));
    const { usedTokens } = await conversation.contextUsage();
    await conversation.close();
    return usedTokens;
  };
  const counted = await usage(agent);
  assert.ok(texts.includes("word ".repeat(200)));
  const failing = await usage(
    new Agent({
      llm,
      countTokens: () => {
        throw new Error("no");
      },
    }),
  );
  assert.ok(failing < counted && failing > 200, `${failing} ${counted}`);
});

test("fields of a structured summary survive a reload and an export", async () => {
  const { model, llm } = llmOf([{ text: "Hello." }, { calls: [{ name: "summary", arguments: fields }] }, { text: "In text." }]);
  const store = memoryStore();
  const options = { agent: new Agent({ llm, condenser: { kind: "LLMSummarizingCondenser", summary: "fields" } }), store };
  const first = await Conversation.open(options);
  const conversationId = first.id;
  await first.sendMessage("Hi");
  await first.run();
  await first.condense();
  const expected = {
    userContext: "Wants a plan.",
    completedTasks: ["1: read"],
    pendingTasks: ["2: write\nin French", "3: check"],
    currentState: "",
    files: [],
    tests: "",
    errors: "",
    branchAndCommits: "",
    dependencies: "",
    other: "# no heading",
  };
  assert.deepEqual(await first.progress(), expected);
  await first.close();
  const { conversation, pendingTasks } = await run(
    "progress",
    { Agent, Conversation, llm, store, conversationId },
    "conversation, pendingTasks",
  );
  assert.deepEqual(pendingTasks, expected.pendingTasks);
  const zip = await conversation.exportZip();
  const elsewhere = memoryStore();
  const [{ id }] = await Conversation.importZip(zip, { store: elsewhere });
  // The stored condenser asks for fields again, without the option.
  const imported = await Conversation.open({ agent: new Agent({ llm }), store: elsewhere, conversationId: id });
  assert.deepEqual(imported.warnings, []);
  assert.deepEqual(await imported.progress(), expected);
  await imported.condense();
  assert.deepEqual(
    model.requests.at(-1).body.tools.map(({ function: { name } }) => name),
    ["summary"],
  );
  assert.equal(await imported.progress(), null);
  await imported.close();
  await conversation.close();
  model.check();
});

test("condense() without a condenser is refused, and so is one without anything to condense", async () => {
  const { llm } = llmOf([]);
  for (const condenser of [undefined, null, { kind: "NoOpCondenser" }, { kind: "LLMSummarizingCondenser" }]) {
    const conversation = await Conversation.open({ agent: new Agent({ llm, condenser }), store: memoryStore() });
    await assert.rejects(conversation.condense(), { code: "invalid_state" });
    assert.equal(conversation.events.length, 0);
    assert.deepEqual(await conversation.contextUsage(), {
      usedTokens: 0,
      limitTokens: (await conversation.contextUsage()).limitTokens,
      reclaimableTokens: 0,
    });
    await conversation.close();
  }
});
