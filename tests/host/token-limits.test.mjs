// Limits of tokens: a run makes no summary that leads nowhere, what no server counts is estimated, and no server refuses what
// several models have written in turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { converse } from "../support/random-conversation.mjs";

const kind = "LLMSummarizingCondenser";

/** A model whose replies come from `script`, and the server behind it. */
function served(script, options = {}) {
  const server = createModel(script);
  return { server, llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789abcdef", fetch: server.fetch, numRetries: 1, ...options }) };
}

const always = (text, usage) => () => ({ text, usage });

test("a run whose instructions are over the limit fails after one summary, and so does each later one", async () => {
  for (const keepFirst of [1, undefined, 4]) {
    const talk = served(always("Hello."));
    const small = served(always("They said hello."));
    const store = memoryStore();
    const open = (maxTokens, conversationId) => Conversation.open({ agent: new Agent({ llm: talk.llm, condenser: { kind, llm: small.llm, maxTokens, keepFirst } }), store, conversationId });
    const fails = async (conversation) => {
      const before = small.server.requests.length;
      await conversation.sendMessage("Hello.");
      await assert.rejects(conversation.run(), ({ code, message }) => code === "llm_context_window" && /maxTokens/.test(message));
      assert.equal(conversation.executionStatus, "error");
      assert.equal(small.server.requests.length - before, 1);
    };
    const fresh = await open(100);
    for (let run = 0; run < 3; run += 1) await fails(fresh);
    assert.equal(talk.server.requests.length, 0);
    await fresh.close();

    const stored = await open(50_000);
    for (let run = 0; run < 5; run += 1) {
      await stored.sendMessage("Hello.");
      await stored.run();
    }
    await stored.close();
    const reopened = await open(100, stored.id);
    for (let run = 0; run < 2; run += 1) await fails(reopened);
    await reopened.close();
  }
});

test("what a server does not count is estimated, streamed and not, over every wire API", async () => {
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for (const [model, usages] of [["openai/gpt-4o", [null, zeros]], ["openai/gpt-5", [null, zeros]], ["anthropic/claude-sonnet-4-5", [null]]]) {
    for (const usage of usages) {
      for (const stream of [true, false]) {
        for (const countTokens of [undefined, (text) => Math.ceil(text.length / 4)]) {
          const talk = served(always("Read.", usage), { model, stream });
          const small = served(always("A text of words."));
          const agent = new Agent({ llm: talk.llm, countTokens, condenser: { kind, llm: small.llm, maxTokens: 4000 } });
          const conversation = await Conversation.open({ agent, store: memoryStore() });
          for (let turn = 0; turn < 7; turn += 1) {
            await conversation.sendMessage("word ".repeat(1600));
            await conversation.run();
            const bytes = JSON.stringify(talk.server.requests.at(-1).body).length;
            const { usedTokens } = await conversation.contextUsage();
            assert.ok(usedTokens > bytes / 8 && usedTokens < bytes, `${usedTokens} tokens for ${bytes} bytes: ${model}`);
            assert.ok(bytes < 25_000, `${bytes} bytes leave: ${model}`);
          }
          assert.ok(small.server.requests.length > 0);
          await conversation.close();
          talk.server.check();
        }
      }
    }
  }
});

test("after condense() less of the context window is used, also after a reload", async () => {
  // The server counts a fraction of what is estimated, so that an estimate for the whole view would be more than before.
  const talk = served((body) => ({ text: "Well. ".repeat(40), usage: { prompt_tokens: Math.ceil(JSON.stringify(body).length / 10), completion_tokens: 5, total_tokens: 5 } }));
  const small = served(always("They talked."));
  const agent = new Agent({ llm: talk.llm, condenser: { kind, llm: small.llm, maxTokens: 50_000 } });
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store });
  for (let turn = 0; turn < 5; turn += 1) {
    await conversation.sendMessage("Tell me more. ".repeat(10));
    await conversation.run();
  }
  const before = await conversation.contextUsage();
  await conversation.condense();
  const after = await conversation.contextUsage();
  assert.ok(after.usedTokens < before.usedTokens, `${before.usedTokens} before, ${after.usedTokens} after`);
  await conversation.close();
  const reloaded = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.deepEqual(await reloaded.contextUsage(), after);
  await reloaded.sendMessage("Hello");
  await reloaded.run();
  const counted = JSON.stringify(talk.server.requests.at(-1).body).length / 10;
  assert.ok(Math.abs(counted - after.usedTokens) < counted / 4, `${after.usedTokens} estimated, ${counted} counted`);
  // The model can tell the summary from what the user says.
  const { content } = talk.server.requests.at(-1).body.messages.find((message) => JSON.stringify(message).includes("They talked."));
  const parts = content.map(({ text }) => text);
  const summary = parts.find((text) => text.includes("They talked."));
  assert.match(summary, /summary/);
  assert.notEqual(summary, "They talked.");
  assert.equal((await reloaded.events.slice(0)).find((event) => event.kind === "Condensation").summary, "They talked.");
  await reloaded.close();
});

const claudes = { model: "anthropic/claude-sonnet-4-5" };
const pay = () => tool({ name: "pay", description: "Pays.", parameters: { type: "object", properties: {} }, needsApproval: true, execute: () => "paid" });

test("Claude goes on after a rejected call of another model, and thinks again", async () => {
  const claude = served([{ reasoning: "Hm.", text: "Hello." }, { text: "Then not." }, { reasoning: "Well.", text: "Good." }], claudes);
  const other = served([{ calls: [{ name: "pay", arguments: {} }] }]);
  const conversation = await Conversation.open({ agent: new Agent({ llm: claude.llm, tools: [pay()] }), store: memoryStore() });
  await conversation.sendMessage("Hi");
  await conversation.run();
  await conversation.switchLLM(other.llm);
  await conversation.sendMessage("Pay Ann");
  await conversation.run();
  assert.equal(conversation.executionStatus, "waiting_for_confirmation");
  await conversation.switchLLM(claude.llm);
  await conversation.sendMessage("No, do not", { pending: "reject" });
  await conversation.run();
  assert.equal(await conversation.finalResponse(), "Then not.");
  await conversation.sendMessage("Thank you");
  await conversation.run();
  assert.deepEqual(claude.server.requests.map(({ body }) => body.thinking?.type), ["enabled", undefined, "enabled"]);
  claude.server.check();
  other.server.check();
  await conversation.close();
});

test("random conversations with several models, small limits and servers that count nothing: no request is refused", async () => {
  const count = Number(process.env.THREADKEEP_CONVERSATIONS ?? 30);
  const sums = { summaries: 0, thoughts: 0 };
  for (let seed = 1; seed <= count; seed += 1) {
    const { summaries, thoughts } = await converse({ seed });
    sums.summaries += summaries;
    sums.thoughts += thoughts;
  }
  assert.ok(sums.summaries > count / 2 && sums.thoughts > count / 2, JSON.stringify(sums));
});
