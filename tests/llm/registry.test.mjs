// The registry of models: what it refuses, everything that takes a model by its usage id, and how the costs are counted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, LLMRegistry, memoryStore, switchLLM, taskTool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const key = "sk-registered-1234";

/** A registered model, whose answers these are. */
function named(usageId, replies) {
  const { fetch } = createModel(replies, { checks: false });
  return new LLM({ model: `openai/${usageId}`, baseUrl: "https://model.test/v1", apiKey: key, usageId, fetch, numRetries: 1 });
}

function registryOf(...llms) {
  const llmRegistry = new LLMRegistry();
  for (const llm of llms) llmRegistry.add(llm);
  return llmRegistry;
}

/** The number of counted answers by usage id. */
const counted = ({ stats }) => Object.entries(stats.usage_to_metrics).map(([id, { token_usages }]) => [id, token_usages.length]);

test("models are registered, found, listed and removed by their usage ids", () => {
  const [main, small] = [new LLM({ model: "openai/gpt-4o" }), named("small", [])];
  const llmRegistry = registryOf(main, small);
  assert.deepEqual(llmRegistry.listUsageIds(), ["default", "small"]);
  assert.equal(llmRegistry.get("default"), main);
  assert.equal(llmRegistry.get("small"), small);
  assert.throws(() => llmRegistry.add(named("small", [])), { code: "invalid_options", message: /usageId small .*remove\(\)/ });
  assert.throws(() => llmRegistry.add({ usageId: "other" }), { code: "invalid_options" });
  assert.equal(llmRegistry.get("small"), small, "what was refused has changed nothing");
  llmRegistry.remove("small");
  llmRegistry.remove("small");
  for (const unknown of ["small", "toString", undefined, {}]) assert.throws(() => llmRegistry.get(unknown), { code: "not_found" });
  llmRegistry.add(small);
  assert.deepEqual(llmRegistry.listUsageIds(), ["default", "small"]);
  assert.ok(!JSON.stringify(llmRegistry).includes(key));
});

test("an agent has a registry of its own, unless it is given one", async () => {
  const llm = named("main", []);
  const llmRegistry = registryOf(llm);
  assert.throws(() => new Agent({ llm, llmRegistry: { main: llm } }), { code: "invalid_options", message: /llmRegistry/ });
  assert.notEqual(new Agent({ llm }).llmRegistry, new Agent({ llm }).llmRegistry);
  const conversation = await Conversation.open({ agent: new Agent({ llm, llmRegistry }), store: memoryStore() });
  const copy = await conversation.fork();
  llmRegistry.add(named("small", []));
  for (const each of [conversation, copy]) {
    await each.switchLLM("small");
    assert.equal(each.state.agent.llm.model, "openai/small");
    await each.close();
  }
});

test("switchLLM, askAgent and generateTitle take names, costs are counted under them, and no key is stored", async () => {
  const store = memoryStore();
  const llm = named("main", [{ text: "From main." }, { text: "From main again." }]);
  const agent = new Agent({ llm, llmRegistry: registryOf(llm) });
  const conversation = await Conversation.open({ agent, store });
  agent.llmRegistry.add(named("small", [{ text: "From small." }]));
  agent.llmRegistry.add(named("aside", [{ text: "An answer." }, { text: "A title" }]));
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.switchLLM("small");
  assert.equal(conversation.state.agent.llm.usage_id, "small");
  await conversation.sendMessage("On");
  assert.equal((await conversation.run()).finalResponse, "From small.");
  assert.equal(await conversation.askAgent("Well?", { llm: "aside" }), "An answer.");
  assert.equal(await conversation.generateTitle({ llm: "aside" }), "A title");
  await conversation.switchLLM("main");
  await conversation.sendMessage("Back");
  assert.equal((await conversation.run()).finalResponse, "From main again.");
  assert.deepEqual(counted(conversation), [
    ["main", 2],
    ["small", 1],
    ["aside", 2],
  ]);
  const { agent: stored } = conversation.state;
  for (const unknown of [
    () => conversation.switchLLM("none"),
    () => conversation.askAgent("Well?", { llm: "none" }),
    () => conversation.generateTitle({ llm: "none" }),
  ])
    await assert.rejects(unknown(), { code: "not_found", message: /usageId none/ });
  assert.deepEqual(conversation.state.agent, stored);
  assert.ok(!JSON.stringify(conversation.state).includes(key));
  await conversation.close();
});

test("costs go on under each usage id after a reload, also of a model that is no longer registered", async () => {
  const store = memoryStore();
  const once = async (usageId, conversationId) => {
    const llm = named("main", []);
    const agent = new Agent({ llm, llmRegistry: registryOf(llm, named(usageId, [{ text: "Well." }])) });
    const conversation = await Conversation.open({ agent, store, conversationId });
    await conversation.askAgent("Well?", { llm: usageId });
    const result = [conversation.id, counted(conversation)];
    await conversation.close();
    return result;
  };
  const [id, first] = await once("gone");
  assert.deepEqual(first, [["gone", 1]]);
  await once("kept", id);
  const [, last] = await once("kept", id);
  assert.deepEqual(last, [
    ["gone", 1],
    ["kept", 2],
  ]);
});

test("a condenser names its model", async () => {
  const open = (name, llmRegistry) => {
    const condenser = { kind: "PipelineCondenser", condensers: [{ kind: "LLMSummarizingCondenser", llm: name, maxSize: 8, keepFirst: 1 }] };
    return Conversation.open({
      agent: new Agent({ llm: named("main", () => ({ text: "Hi." })), llmRegistry, condenser }),
      store: memoryStore(),
    });
  };
  await assert.rejects(open("none", registryOf()), { code: "not_found", message: /usageId none/ });
  const conversation = await open("summaries", registryOf(named("summaries", [{ text: "A summary." }])));
  const { llm } = conversation.state.agent.condenser;
  assert.deepEqual([llm.model, llm.usage_id, llm.api_key], ["openai/summaries", "summaries", "**********"]);
  for (const text of ["One", "Two", "Three"]) {
    await conversation.sendMessage(text);
    await conversation.run();
  }
  await conversation.condense();
  assert.deepEqual(counted(conversation), [
    ["main", 3],
    ["summaries", 1],
  ]);
  await conversation.close();
});

test("a sub-agent has the model that its definition names", async () => {
  const llm = named("main", [
    { calls: [{ name: "task", arguments: { prompt: "Count", subagent_type: "counter" } }] },
    { text: "Counted." },
  ]);
  const tools = [taskTool({ agents: [{ name: "counter", model: "small" }] })];
  const small = named("small", [{ text: "one, two" }]);
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools, llmRegistry: registryOf(small) }),
    store: memoryStore(),
  });
  await conversation.sendMessage("Have it counted");
  assert.equal((await conversation.run()).finalResponse, "Counted.");
  assert.deepEqual(counted(conversation), [
    ["main", 2],
    ["task:task_00000001", 1],
  ]);
  assert.equal(conversation.stats.usage_to_metrics["task:task_00000001"].token_usages[0].model, "openai/small");
  await conversation.close();
});

test("the agent switches to a registered model", async () => {
  const switchTo = (name) => ({ calls: [{ name: "switch_llm", arguments: { profile_name: name, reason: "It is cheaper." } }] });
  const llm = named("main", [switchTo("none"), switchTo("small")]);
  const llmRegistry = registryOf(llm, named("small", [{ text: "Done." }]));
  const agent = new Agent({ llm, llmRegistry, tools: [switchLLM({ profiles: llmRegistry })] });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  await conversation.sendMessage("Go on");
  assert.equal((await conversation.run()).finalResponse, "Done.");
  assert.deepEqual(counted(conversation), [
    ["main", 2],
    ["small", 1],
  ]);
  await conversation.close();
});

test("a follower names models of the writer; their keys stay there", async () => {
  const store = memoryStore();
  const main = named("main", []);
  const llmRegistry = registryOf(main, named("small", [{ text: "From small." }, { text: "An answer." }]));
  const writer = await Conversation.open({ agent: new Agent({ llm: main, llmRegistry }), store });
  await writer.sendMessage("Go");
  const own = named("own", []);
  const agent = new Agent({ llm: main, llmRegistry: registryOf(own) });
  const follower = await Conversation.open({ agent, store, conversationId: writer.id });
  assert.equal(follower.access, "follower");
  await follower.switchLLM("small");
  assert.equal((await follower.run()).finalResponse, "From small.");
  assert.equal(await follower.askAgent("Well?", { llm: "small" }), "An answer.");
  await assert.rejects(follower.switchLLM("own"), { code: "not_found" }, "the writer does not have it");
  await assert.rejects(follower.switchLLM(own), { code: "unsupported" });
  await assert.rejects(follower.askAgent("Well?", { llm: own }), { code: "unsupported" });
  assert.deepEqual(counted(writer), [["small", 2]]);
  await follower.close();
  await writer.close();
});
