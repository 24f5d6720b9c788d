// Limits of tokens: a run makes no summary that leads nowhere, what no server counts is estimated, and no server refuses what
// several models have written in turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { amount } from "../support/explored.mjs";
import { converse } from "../support/random-conversation.mjs";
import {
  always,
  goesOn,
  instructionsOverTheLimit,
  notCounted,
  overTheLimit,
  rejectedCallOfAnother,
  served,
} from "../support/token-limits.mjs";

const { Agent, Conversation, memoryStore } = library;
const kind = "LLMSummarizingCondenser";

test("a run whose instructions are over the limit fails after one summary, and so does each later one", async () => {
  for (const keepFirst of [1, undefined, 4]) {
    assert.deepEqual(await instructionsOverTheLimit(library, memoryStore(), keepFirst), { runs: Array(5).fill(overTheLimit), requests: 0 });
  }
});

test("what a server does not count is estimated, streamed and not, over every wire API", async () => {
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for (const [model, usages] of [
    ["openai/gpt-4o", [null, zeros]],
    ["openai/gpt-5", [null, zeros]],
    ["anthropic/claude-sonnet-4-5", [null]],
  ]) {
    for (const usage of usages) {
      for (const stream of [true, false]) {
        for (const countTokens of [undefined, (text) => Math.ceil(text.length / 4)]) {
          const { wrong, summaries } = await notCounted(library, memoryStore(), { model, usage, stream, countTokens });
          assert.deepEqual(wrong, []);
          assert.ok(summaries > 0);
        }
      }
    }
  }
});

test("after condense() less of the context window is used, also after a reload", async () => {
  // The server counts a fraction of what is estimated, so that an estimate for the whole view would be more than before.
  const talk = served(library, (body) => ({
    text: "Well. ".repeat(40),
    usage: { prompt_tokens: Math.ceil(JSON.stringify(body).length / 10), completion_tokens: 5, total_tokens: 5 },
  }));
  const small = served(library, always("They talked."));
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

test("Claude goes on after a rejected call of another model, and thinks again", async () => {
  assert.deepEqual(await rejectedCallOfAnother(library, memoryStore()), goesOn);
});

test("random conversations with several models, small limits and servers that count nothing: no request is refused", async () => {
  const count = amount(10, 30);
  const sums = { summaries: 0, thoughts: 0 };
  for (let seed = 1; seed <= count; seed += 1) {
    const { summaries, thoughts } = await converse({ seed });
    sums.summaries += summaries;
    sums.thoughts += thoughts;
  }
  assert.ok(sums.summaries > count / 2 && sums.thoughts > count / 2, JSON.stringify(sums));
});
