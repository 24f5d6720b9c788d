// The view that a host has of a run: its result with what it took, the limits of runs, and each field of the state that changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { openThread } from "../../dist/thread.js";
import { createModel } from "../support/model.mjs";
import { until } from "../support/until.mjs";

const note = () =>
  tool({
    name: "note",
    description: "Notes a text.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: () => "noted",
  });

function agentOf(replies) {
  const model = createModel(replies);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1, inputCostPerToken: 0.001, outputCostPerToken: 0.002 });
  return new Agent({ llm, tools: [note()] });
}

const calls = [{ name: "note", arguments: { text: "a" } }];

test("a result has the steps, tokens, cost and time of its run, as the statistics count them", async () => {
  const conversation = await Conversation.open({
    agent: agentOf([{ calls }, { text: "Done." }, { text: "Again." }]),
    store: memoryStore(),
  });
  const before = () => {
    const { accumulated_cost: cost = 0, accumulated_token_usage: usage } = conversation.stats.usage_to_metrics.default ?? {};
    return { cost, ...usage };
  };
  let last = { cost: 0, prompt_tokens: 0, completion_tokens: 0 };
  for (const steps of [2, 1]) {
    await conversation.sendMessage("Go");
    const result = await conversation.run();
    const now = before();
    assert.equal(result.status, "finished");
    assert.equal(result.steps, steps);
    assert.equal(result.tokenUsage.prompt_tokens, now.prompt_tokens - last.prompt_tokens);
    assert.equal(result.tokenUsage.completion_tokens, now.completion_tokens - last.completion_tokens);
    assert.ok(result.tokenUsage.prompt_tokens > 0);
    assert.ok(Math.abs(result.cost - (now.cost - last.cost)) < 1e-9 && result.cost > 0, `${result.cost}`);
    assert.ok(result.durationMs >= 0 && result.durationMs < 60_000);
    assert.deepEqual(Object.keys(result), ["status", "finalResponse", "finishReason", "steps", "tokenUsage", "cost", "durationMs"]);
    last = now;
  }
  await conversation.close();
});

test("a result says how its answer has ended, and another run goes on with one that was cut", async () => {
  const store = memoryStore();
  const agent = agentOf([
    { text: "One, two,", finish: "length" },
    { text: "three.", finish: "content_filter" },
  ]);
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("Count.");
  const seen = async () => {
    const { status, finalResponse, finishReason, steps } = await conversation.run();
    return [status, finalResponse, finishReason, steps];
  };
  assert.deepEqual(await seen(), ["finished", "One, two,", "length", 1]);
  assert.deepEqual(await seen(), ["finished", "three.", "content_filter", 1]);
  assert.deepEqual(await seen(), ["finished", "three.", "content_filter", 0]);
  await conversation.close();
});

test("a thread passes the result on, together with that of a run for a message that came too late", async () => {
  const thread = openThread({
    agent: agentOf([{ calls }, { text: "Done." }]),
    store: memoryStore(),
    confirmationPolicy: { kind: "AlwaysConfirm" },
  });
  await thread.opened();
  await thread.send("Go");
  await until(() => thread.getSnapshot().approvals.length > 0, "it asks");
  const waiting = await thread.resume();
  assert.deepEqual([waiting.status, waiting.steps, waiting.cost], ["waiting_for_confirmation", 0, 0]);
  const { steps, tokenUsage } = await thread.approve();
  assert.equal(steps, 2);
  assert.ok(tokenUsage.completion_tokens > 0);
  await thread.close();
});

test("limits are read as they were given, replaced while the conversation is open, and refused by name", async () => {
  const store = memoryStore();
  const agent = agentOf([{ calls }, { calls }, { calls }]);
  const conversation = await Conversation.open({ agent, store, maxIterationPerRun: 1, stuckDetection: { monologue: 7 } });
  const thresholds = { actionObservation: 4, actionError: 3, monologue: 7, alternatingPattern: 6 };
  assert.deepEqual(conversation.limits, { maxIterationPerRun: 1, stuckDetection: thresholds });
  await conversation.sendMessage("Go");
  assert.equal((await conversation.run()).steps, 1);
  await conversation.setLimits({ ...conversation.limits, maxIterationPerRun: 2, maxBudgetPerRun: 1.5 });
  assert.deepEqual(conversation.limits, { maxIterationPerRun: 2, maxBudgetPerRun: 1.5, stuckDetection: thresholds });
  assert.equal(conversation.state.max_iterations, 2);
  const result = await conversation.run();
  assert.deepEqual([result.status, result.steps], ["error", 2]);
  await conversation.setLimits({ stuckDetection: false });
  assert.deepEqual(conversation.limits, { maxIterationPerRun: 500, stuckDetection: false });
  assert.equal(conversation.state.stuck_detection, false);
  for (const [limits, message] of [
    [{ maxIterationPerRun: 0 }, "maxIterationPerRun must be a whole number of at least 1"],
    [{ maxBudgetPerRun: -1 }, "maxBudgetPerRun must be a number of dollars above 0"],
    [{ stuckDetection: { monologue: 0.5 } }, "stuckDetection.monologue must be a whole number of at least 1"],
    [{ maxIterations: 3 }, /did you mean maxIterationPerRun\?/],
  ])
    await assert.rejects(conversation.setLimits(limits), { code: "invalid_options", message });
  assert.deepEqual(conversation.limits, { maxIterationPerRun: 500, stuckDetection: false });
  const follower = await Conversation.open({ agent, store, conversationId: conversation.id });
  await assert.rejects(follower.setLimits({ maxIterationPerRun: 0 }), { code: "invalid_options" });
  await follower.setLimits({ maxIterationPerRun: 9 });
  assert.deepEqual([conversation.limits.maxIterationPerRun, follower.state.max_iterations], [9, 9]);
  await follower.close();
  await conversation.close();
  await assert.rejects(conversation.setLimits({}), { code: "invalid_state" });
});

test("each field of the state that changes is a live event after its commit, and secrets are masked", async () => {
  const store = memoryStore();
  const lives = [];
  const cipher = "a passphrase that is long enough";
  const conversation = await Conversation.open({
    agent: agentOf([{ text: "Done." }]),
    store,
    cipher,
    tokenCallbacks: [(live) => lives.push(live)],
  });
  const changes = () => lives.splice(0).filter(({ kind }) => kind === "ConversationStateUpdateEvent");
  conversation.subscribe((event) => {
    if (event.kind !== "ConversationStateUpdateEvent" || ["stats", "secret_registry", "agent"].includes(event.key)) return;
    // A listener finds in the conversation what it has heard.
    assert.deepEqual(conversation.state[event.key] ?? null, event.value);
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const keys = new Set(changes().map(({ key }) => key));
  for (const key of ["last_user_message_id", "leaf_event_id", "execution_status", "stats"]) assert.ok(keys.has(key), key);

  await conversation.updateSecrets({ TOKEN: "swordfish-9f3" });
  const [registry, ...others] = changes();
  assert.deepEqual(others, []);
  assert.equal(registry.key, "secret_registry");
  assert.match(conversation.state.secret_registry.secret_sources.TOKEN.value, /^gAAAA/);
  assert.equal(registry.value.secret_sources.TOKEN.value, "**********");

  await conversation.setAllowedTools(["note"]);
  await conversation.setConfirmationPolicy({ kind: "AlwaysConfirm" });
  await conversation.setTags({ title: "A" });
  await conversation.setTags({ title: "A" });
  const after = changes();
  assert.deepEqual(
    after.map(({ key }) => key),
    ["agent_state", "confirmation_policy", "tags"],
  );
  assert.deepEqual(after[0].value.allowed_tools, ["note"]);
  assert.doesNotMatch(JSON.stringify([registry, after]), /swordfish|gAAAA/);
  await conversation.close();
});
