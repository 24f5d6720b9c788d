// The resources of an open conversation: analyzers that are functions, tools that have to be closed, calls of the host's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const note = { calls: [{ name: "note", arguments: { text: "x" } }] };

async function open(t, { script = [], tools = [], store = memoryStore(), ...options } = {}) {
  const model = createModel(script);
  const server = await model.listen();
  t.after(() => server.close());
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl: server.baseUrl, numRetries: 1 }), tools });
  const conversation = await Conversation.open({ agent, store, ...options });
  t.after(() => conversation.close());
  return conversation;
}

const noting = (more = {}) =>
  tool({ name: "note", description: "Keeps a note.", parameters: { type: "object" }, execute: () => "kept", ...more });

test("a function analyzer rates calls while it is set, and every call is HIGH where it is missing", async (t) => {
  const store = memoryStore();
  const seen = [];
  const securityRisk = async (action) => (seen.push(action.tool_name), "LOW");
  const first = await open(t, {
    script: [note, { text: "Kept." }],
    tools: [noting()],
    store,
    confirmationPolicy: { kind: "ConfirmRisky" },
    securityAnalyzer: { securityRisk },
  });
  await first.sendMessage("Note it.");
  assert.equal((await first.run()).status, "finished");
  assert.deepEqual(seen, ["note"]);
  await first.close();

  const second = await open(t, { script: [note, note, { text: "Kept." }], tools: [noting()], store, conversationId: first.id });
  await second.sendMessage("And again.");
  assert.equal((await second.run()).status, "waiting_for_confirmation");
  assert.deepEqual(Object.values(second.securityRisks), ["HIGH"]);
  await second.setSecurityAnalyzer({ securityRisk });
  assert.equal((await second.run()).status, "finished", "given again, it judges again");
  assert.deepEqual(second.securityRisks, {});
});

test("a tool that is always allowed does not wait", async (t) => {
  const conversation = await open(t, {
    script: [note, note, { text: "Kept." }],
    tools: [noting()],
    confirmationPolicy: { kind: "AlwaysConfirm" },
  });
  await conversation.sendMessage("Note it twice.");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  await conversation.setAllowedTools(["note"]);
  assert.equal((await conversation.run()).status, "finished");
  assert.deepEqual(conversation.allowedTools, ["note"]);
});

test("a call of the host's own is stopped by its signal, which the tool sees, and leaves no event", async (t) => {
  let signalOfTheTool;
  const begun = new Promise((resolve) => {
    signalOfTheTool = resolve;
  });
  const endless = noting({ execute: (_, { signal }) => (signalOfTheTool(signal), new Promise(() => {})) });
  const conversation = await open(t, {
    tools: [endless, tool({ name: "twice", description: "Doubles.", parameters: { type: "object" }, execute: ({ n }) => 2 * n })],
  });
  const controller = new AbortController();
  const call = conversation.executeTool("note", {}, { signal: controller.signal });
  const signal = await begun;
  assert.equal(signal.aborted, false);
  controller.abort();
  await assert.rejects(call, { code: "aborted" });
  assert.equal(signal.aborted, true);
  assert.equal((await conversation.executeTool("twice", { n: 21 })).content[0].text, "42");
  assert.equal(conversation.events.length, 0);
});

test("close() closes each tool once, and removes what was opened with deleteOnClose", async (t) => {
  const closed = [];
  const store = memoryStore();
  const tools = [
    noting({ close: () => void closed.push("note") }),
    noting({ name: "slow", close: async () => void closed.push("slow") }),
    noting({ name: "plain" }),
  ];
  const stored = await open(t, { tools, store });
  const gone = await open(t, { tools, store, deleteOnClose: true });
  await stored.sendMessage("Stay.");
  await gone.sendMessage("Go.");
  await gone.close();
  await gone.close();
  assert.deepEqual(closed.splice(0).sort(), ["note", "slow"]);
  assert.deepEqual(
    (await Conversation.list({ store })).map(({ id }) => id),
    [stored.id],
  );
  await stored.close();
  assert.equal((await Conversation.list({ store })).length, 1);
});

test("a state that lost its tail reads as one that has nothing in it", async (t) => {
  const store = memoryStore();
  const conversationId = crypto.randomUUID();
  const baseState = JSON.stringify({
    id: conversationId,
    agent: { llm: { model: "scripted" } },
    workspace: { working_dir: "w", kind: "LocalWorkspace" },
  });
  await store.commit(conversationId, { expectedLength: 0, events: [], baseState, files: [], at: Date.now(), durability: "strict" });
  const conversation = await open(t, { store, conversationId });
  assert.deepEqual(
    [conversation.stats, conversation.state.tags, conversation.allowedTools, conversation.securityRisks],
    [{ usage_to_metrics: {} }, {}, [], {}],
  );
});
