// The files of examples/page-models, run as they are written, with doubles of the models that they ask.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { runExample } from "../support/documented.mjs";

/** The code of a file, without what makes it a module. */
function example(name) {
  const file = path.resolve(import.meta.dirname, `../../examples/page-models/${name}.js`);
  return readFileSync(file, "utf8").replaceAll(/^import .*\n|^export /gm, "");
}

/** The `llm` of an example that finds these names in its page. */
async function llmOf(name, page) {
  const names = { LLM, ...page };
  return runExample(`${example("shared")}\n${example(name)}`, names, "llm");
}

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"] },
  execute: ({ a, b }) => a + b,
});

/** The answers of the models: a call in the text protocol, then its result. */
function said(turns) {
  const reported = turns.at(-1).content;
  if (!reported.startsWith("Result of"))
    return "I add.\n<function=add>\n<parameter=a>2</parameter>\n<parameter=b>3</parameter>\n</function>";
  return `It is ${/add:\s*(\d+)/.exec(reported)[1]}.`;
}

const pieces = (text) => text.match(/.{1,9}/gs);

async function asks(llm) {
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add] }), store: memoryStore() });
  await conversation.sendMessage("What is 2 + 3?");
  const { status, finalResponse } = await conversation.run();
  assert.deepEqual([status, finalResponse], ["finished", "It is 5."]);
  const { stats } = conversation;
  await conversation.close();
  return stats.usage_to_metrics.default;
}

test("Chrome's built-in model calls a tool and answers", async () => {
  const created = [];
  const LanguageModel = {
    async create({ initialPrompts, signal }) {
      assert.ok(signal instanceof AbortSignal);
      assert.equal(initialPrompts[0].role, "system");
      assert.ok(initialPrompts.slice(1).every(({ role, content }) => ["user", "assistant"].includes(role) && typeof content === "string"));
      created.push(initialPrompts.length);
      return {
        async *promptStreaming(question) {
          yield* pieces(said([...initialPrompts, { role: "user", content: question }]));
        },
      };
    },
  };
  const { token_usages: usages } = await asks(await llmOf("chrome", { LanguageModel }));
  assert.deepEqual([created.length, usages], [2, []]);
});

test("WebLLM calls a tool and answers, and its tokens are counted", async () => {
  const asked = [];
  const CreateMLCEngine = async (name) => ({
    name,
    interruptGenerate() {},
    chat: {
      completions: {
        async create({ messages, stream, stream_options: { include_usage: counts } }) {
          assert.ok(stream && counts && messages.every(({ content }) => typeof content === "string"));
          asked.push(messages.length);
          return (async function* () {
            for (const content of pieces(said(messages))) yield { choices: [{ index: 0, delta: { content } }] };
            yield { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
            yield { choices: [], usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } };
          })();
        },
      },
    },
  });
  const { accumulated_token_usage: tokens } = await asks(await llmOf("web-llm", { CreateMLCEngine }));
  assert.deepEqual([asked.length, tokens.prompt_tokens, tokens.completion_tokens], [2, 20, 6]);
});
