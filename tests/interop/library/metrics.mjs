// Tokens and costs: the same answers, counted by the SDK and by the library.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, LLM, LLMRegistry, memoryStore } from "../../../dist/index.js";
import { createModel } from "../../support/model.mjs";
import { open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";

const plain = { prompt_tokens: 1200, completion_tokens: 345, total_tokens: 1545 };
const cached = {
  prompt_tokens: 100_001,
  completion_tokens: 4321,
  total_tokens: 104_322,
  prompt_tokens_details: { cached_tokens: 90_003 },
  completion_tokens_details: { reasoning_tokens: 1234 },
};
const large = {
  prompt_tokens: 280_007,
  completion_tokens: 10_007,
  total_tokens: 290_014,
  prompt_tokens_details: { cached_tokens: 250_001 },
  completion_tokens_details: { reasoning_tokens: 10_000 },
};
const written = {
  prompt_tokens: 9003,
  completion_tokens: 77,
  total_tokens: 9080,
  prompt_tokens_details: { cached_tokens: 4000 },
  cache_creation_input_tokens: 2001,
  cache_read_input_tokens: 4000,
};
const apart = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1350, completion_tokens_details: { reasoning_tokens: 250 } };
const hits = {
  prompt_tokens: 5000,
  completion_tokens: 10,
  total_tokens: 5010,
  prompt_cache_hit_tokens: 4096,
  prompt_cache_miss_tokens: 904,
};
const nothing = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** The SDK's fields of a model, and what its server counts, an answer each. */
const cases = [
  [{ model: "openai/gpt-4o" }, [plain, cached, nothing]],
  [{ model: "gpt-4.1-mini" }, [plain, cached]],
  [{ model: "openai/gpt-5-mini" }, [plain, cached, large]],
  [{ model: "openai/claude-sonnet-4-5" }, [plain, written]],
  [{ model: "openai/some-local-model" }, [plain, cached]],
  [{ model: "openai/some-local-model", input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 }, [plain, cached]],
  [{ model: "litellm_proxy/claude-sonnet-4-5" }, [plain, written, large]],
  [{ model: "litellm_proxy/gemini/gemini-2.5-pro" }, [plain, large]],
  [{ model: "deepseek/deepseek-chat" }, [plain, hits]],
  [{ model: "xai/grok-4.3" }, [plain, apart, cached]],
  [{ model: "groq/openai/gpt-oss-120b" }, [plain, cached]],
  [{ model: "moonshot/kimi-k2.5" }, [plain, cached]],
  [{ model: "openrouter/anthropic/claude-sonnet-4.5" }, [plain, cached]],
  [{ model: "together_ai/zai-org/GLM-4.6" }, [plain]],
  [{ model: "azure/gpt-4o" }, [plain, cached]],
];

export function metricsOfTheSdk(sdk, place) {
  for (const stream of [true, false]) {
    // LiteLLM stumbles over Groq's answers in one piece.
    for (const [fields, usages] of cases.filter(([{ model }]) => stream || !model.startsWith("groq/"))) {
      const name = `${Object.values(fields).join(" ")}, ${stream ? "in pieces" : "in one piece"}`;
      test(name, (t) => (sdk() ? countsTheSame(t, sdk(), { ...fields, stream }, usages) : t.skip("no SDK")));
    }
  }
  test("metrics are continued by Python and again by the page", (t) => (sdk() ? goesOnCounting(t, sdk(), place) : t.skip("no SDK")));
  test("costs by usage id are the same here and in Python, there and back", (t) =>
    sdk() ? countsByUsageId(t, sdk(), place) : t.skip("no SDK"));
}

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

async function countsTheSame(t, sdk, fields, usages) {
  const theirs = await counting(t, usages);
  const { ok, error, metrics } = await sdk.ask({
    command: "meter",
    llm: { ...fields, api_mode: "chat" },
    base_url: theirs.baseUrl,
    questions: usages.length,
  });
  assert.ok(ok, error);
  const ours = await counting(t, usages);
  const llm = Object.fromEntries(Object.entries(fields).map(([name, value]) => [camel(name), value]));
  const conversation = await open(t, { model: ours, store: memoryStore(), tools: [], llm: { ...llm, apiMode: "chat" } });
  for (const _ of usages) await say(conversation, "Go on.");
  assert.deepEqual(counted(conversation.stats.usage_to_metrics.agent), counted(metrics));
}

/** A model that answers every request, also the SDK's, and reports this usage. */
async function counting(t, usages) {
  const model = createModel(
    usages.map((usage, index) => ({ text: `Answer ${index}.`, usage })),
    { checks: false },
  );
  const { baseUrl, close } = await model.listen();
  t.after(() => close());
  return { baseUrl };
}

/** The metrics that do not depend on the clock. Response ids are left out, because the library makes short ones longer. */
function counted({ costs, response_latencies: latencies, token_usages: usages, ...sums }) {
  return {
    ...sums,
    costs: costs.map(({ model, cost }) => ({ model, cost })),
    latencies: latencies.map(({ model }) => model),
    usages: usages.map(({ response_id: _, ...usage }) => usage),
  };
}

async function goesOnCounting(t, sdk, place) {
  const model = await scripted(t, [
    { text: "One.", usage: plain },
    { text: "Two.", usage: cached },
  ]);
  const store = memoryStore();
  const first = await open(t, { model, store, tools: [], llm: { model: "openai/gpt-4o" } });
  await say(first, "Go on.");
  const before = first.stats.usage_to_metrics.agent;
  const directory = path.join(place, "metrics", first.id.replaceAll("-", ""));
  for (const [name, content] of unpacked(await exported(first))) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), content);
  }
  await first.close();
  const { ok, error } = await sdk.resume(directory, "From Python.", { in_place: true });
  assert.ok(ok, error);
  await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  const second = await open(t, { model, store, conversationId: first.id, tools: [], llm: { model: "openai/gpt-4o" } });
  const there = second.stats.usage_to_metrics.agent;
  assert.deepEqual([there.costs.length, there.response_latencies.length, there.token_usages.length], [2, 2, 2]);
  assert.deepEqual(there.token_usages[0], before.token_usages[0]);
  assert.equal(there.accumulated_cost, before.accumulated_cost + there.costs[1].cost);
  await say(second, "Go on.");
  const { accumulated_cost: sum, accumulated_token_usage: tokens, costs, token_usages: usages } = second.stats.usage_to_metrics.agent;
  assert.deepEqual([costs.length, usages.length], [3, 3]);
  assert.deepEqual(costs.slice(0, 2), there.costs);
  assert.equal(sum, there.accumulated_cost + costs[2].cost);
  for (const kind of ["prompt_tokens", "completion_tokens", "cache_read_tokens", "reasoning_tokens"]) {
    assert.equal(
      tokens[kind],
      usages.reduce((whole, usage) => whole + usage[kind], 0),
      kind,
    );
  }
  assert.equal(tokens.context_window, 128_000);
}

/** The number of counted answers by usage id. */
const answersIn = ({ usage_to_metrics: byUsage }) =>
  Object.fromEntries(Object.entries(byUsage).map(([id, { costs }]) => [id, costs.length]));

async function countsByUsageId(t, sdk, place) {
  const model = await scripted(t, () => ({ text: "Well.", usage: cached }));
  const llmRegistry = new LLMRegistry();
  for (const [usageId, name] of Object.entries({ agent: "gpt-4o", small: "gpt-4o-mini", aside: "gpt-4.1-mini" }))
    llmRegistry.add(new LLM({ model: `openai/${name}`, baseUrl: model.baseUrl, apiKey: "sk-scripted", usageId, numRetries: 1 }));
  const store = memoryStore();
  const first = await open(t, { model, store, tools: [], agent: { llmRegistry } });
  await say(first, "Go on.");
  await first.switchLLM("small");
  await say(first, "Go on.");
  await first.askAgent("Well?", { llm: "aside" });
  const { stats } = first;
  assert.deepEqual(answersIn(stats), { agent: 1, small: 1, aside: 1 });
  const directory = path.join(place, "usage-ids", first.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(first)));
  await first.close();

  const there = await sdk.ask({ command: "registered", path: directory, usage_ids: ["aside", "fresh"], in_place: true });
  assert.ok(there.ok, there.error);
  assert.deepEqual(
    [there.registered, there.refused],
    [
      ["small", "aside", "fresh"],
      ["aside", "fresh"],
    ],
  );
  assert.deepEqual(answersIn(there.stats), { agent: 1, small: 2, aside: 2, fresh: 1 });
  assert.deepEqual(there.stats.usage_to_metrics.agent, stats.usage_to_metrics.agent, "a model that Python does not register");
  for (const id of ["small", "aside"])
    assert.deepEqual(there.stats.usage_to_metrics[id].costs[0], stats.usage_to_metrics[id].costs[0], "counted on, not anew");

  const [{ id, outcome, warnings }] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  assert.deepEqual([outcome, warnings], ["continued", []]);
  const second = await open(t, { model, store, conversationId: id, tools: [], agent: { llmRegistry } });
  assert.deepEqual(second.stats, there.stats, "the page has what Python has stored");
  await second.switchLLM("small");
  await say(second, "Go on.");
  await second.askAgent("Well?", { llm: "aside" });
  assert.deepEqual(answersIn(second.stats), { agent: 1, small: 3, aside: 3, fresh: 1 });
  write(directory, unpacked(await exported(second)));
  const checked = await sdk.check(directory);
  assert.deepEqual([checked.refused, checked.base_state_lost], [[], []]);
  const again = await sdk.ask({ command: "registered", path: directory, usage_ids: ["fresh"], in_place: true });
  assert.ok(again.ok, again.error);
  assert.deepEqual(answersIn(again.stats), { agent: 1, small: 4, aside: 3, fresh: 2 });
  for (const [usageId, { accumulated_cost: sum, costs }] of Object.entries(again.stats.usage_to_metrics))
    assert.ok(Math.abs(sum - costs.reduce((whole, { cost }) => whole + cost, 0)) < 1e-9, usageId);
}
