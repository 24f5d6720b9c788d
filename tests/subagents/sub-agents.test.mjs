// Sub-agents: their conversations, what they inherit, what is stored, how they wait for the user, and how a repeated call
// finds its conversation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, fileEditor, memoryStore, taskTool, tool } from "../../dist/index.js";
import { threadOf } from "../../dist/thread.js";
import { createModel } from "../support/model.mjs";
import { removing, removingTool } from "../support/removing.mjs";
import { finish } from "../support/chat.mjs";
import { beginOf, isOfSubagent } from "./requests.mjs";
import { endOf } from "../support/ended.mjs";

const task = (args, id) => ({ name: "task", arguments: args, ...(id && { id }) });

/** The texts of the messages of a request, joined. */
const textOf = (body) => JSON.stringify(body.messages);

/**
 * A model for a parent and its sub-agents: `parent` and `child` are lists of replies, and a request belongs to a sub-agent if
 * its first messages contain "SUBAGENT".
 */
function modelOf(parent, child) {
  const left = { parent: [...parent], child: [...child] };
  return createModel((body) => {
    const reply = left[isOfSubagent(body) ? "child" : "parent"].shift();
    return reply ?? { text: "There is nothing left to say." };
  });
}

const wait = { name: "note", description: "Notes a text.", parameters: { type: "object", properties: { text: { type: "string" } } } };

async function open({
  parent,
  child = [],
  options = {},
  tools = [],
  taskOptions = {},
  store = memoryStore(),
  conversationId,
  agentOptions = {},
}) {
  const model = typeof parent === "function" ? createModel(parent) : modelOf(parent, child);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 });
  const agent = new Agent({ llm, tools: [taskTool(taskOptions), ...tools], ...agentOptions });
  const conversation = await Conversation.open({ agent, store, conversationId, ...options });
  return { model, agent, store, conversation };
}

const observations = async (conversation) =>
  (await conversation.events.slice())
    .filter(({ kind, tool_name }) => kind === "ObservationEvent" && tool_name === "task")
    .map(({ observation }) => observation);

test("a task runs in a conversation of its own, and its result and costs come back", async () => {
  const { model, store, conversation } = await open({
    parent: [{ calls: [task({ prompt: "SUBAGENT: count to two", description: "Counts to two" })] }, finish("They counted.")],
    child: [{ text: "one, two" }],
  });
  const seen = [];
  conversation.subscribe((event) => event.kind === "SubagentEvent" && seen.push(event));
  await conversation.sendMessage("Have it counted");
  const result = await conversation.run();
  assert.deepEqual(endOf(result), { status: "finished", finalResponse: "They counted." });
  const tokens = Object.values(conversation.stats.usage_to_metrics).map((metrics) => metrics.accumulated_token_usage.prompt_tokens);
  assert.equal(tokens.length, 2);
  assert.equal(
    result.tokenUsage.prompt_tokens,
    tokens.reduce((sum, count) => sum + count),
    "with the share of the sub-agent",
  );
  assert.equal(result.steps, 2, "without its steps");
  assert.deepEqual(await observations(conversation), [
    {
      content: [{ cache_prompt: false, type: "text", text: "one, two" }],
      is_error: false,
      task_id: "task_00000001",
      subagent: "general-purpose",
      status: "completed",
      kind: "TaskObservation",
    },
  ]);
  const action = (await conversation.events.slice()).find(({ tool_name }) => tool_name === "task");
  assert.deepEqual(action.action, {
    description: "Counts to two",
    prompt: "SUBAGENT: count to two",
    subagent_type: "general-purpose",
    kind: "TaskAction",
  });
  assert.deepEqual(conversation.state.agent.tools, [{ name: "task_tool_set", params: {} }]);
  assert.match(textOf(model.requests.at(-1).body), /Task ID: task_00000001\\nSubagent: general-purpose\\nStatus: completed/);

  // The conversation of the task.
  const all = await Conversation.list({ store, subagents: true });
  const [child] = all.filter(({ parentId }) => parentId === conversation.id);
  assert.equal(all.length, 2);
  assert.deepEqual(
    (await Conversation.list({ store })).map(({ id }) => id),
    [conversation.id],
  );
  const stored = JSON.parse((await store.load(child.id)).baseState);
  const hex = (id) => id.replaceAll("-", "");
  assert.equal(stored.persistence_dir, `workspace/conversations/${hex(conversation.id)}/subagents/${hex(child.id)}`);
  assert.equal(conversation.state.agent_state.subagent_tasks.task_00000001.conversation, child.id);
  assert.equal(conversation.stats.usage_to_metrics["task:task_00000001"].token_usages.length, 1);
  assert.deepEqual([...new Set(seen.map(({ path }) => path.join()))], ["task_00000001"]);
  assert.ok(seen.some(({ event }) => event.kind === "StreamingDeltaEvent"));
  assert.deepEqual(
    seen.filter(({ event }) => event.id).map(({ event }) => event.kind),
    ["SystemPromptEvent", "MessageEvent", "MessageEvent"],
  );
  assert.equal(seen.find(({ event }) => event.kind === "MessageEvent").event.sender, action.id);
  model.check();

  await assert.rejects(Conversation.delete(conversation.id, { store }), { code: "locked_elsewhere" });
  assert.equal((await Conversation.list({ store, subagents: true })).length, 2);
  await conversation.close();
  await Conversation.delete(conversation.id, { store });
  assert.deepEqual(await Conversation.list({ store, subagents: true }), []);
});

test("a task is resumed by its id, also after the conversation was opened again", async () => {
  const script = {
    parent: [
      { calls: [task({ prompt: "SUBAGENT: remember 7" })] },
      finish("Done."),
      { calls: [task({ prompt: "SUBAGENT: which number?", resume: "task_00000001" })] },
      finish("It is 7."),
      { calls: [task({ prompt: "SUBAGENT: more", resume: "task_00000009" })] },
      finish("No such task."),
    ],
    child: [finish("I will."), finish("7")],
  };
  const { model, agent, store, conversation } = await open(script);
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.close();
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.deepEqual(again.warnings, []);
  await again.sendMessage("Which number was it?");
  await again.run();
  assert.deepEqual(
    (await observations(again)).map(({ task_id, content }) => [task_id, content[0].text]),
    [
      ["task_00000001", "I will."],
      ["task_00000001", "7"],
    ],
  );
  assert.match(textOf(model.requests.filter(({ body }) => isOfSubagent(body)).at(-1).body), /remember 7.*which number/);
  assert.equal(again.stats.usage_to_metrics["task:task_00000001"].token_usages.length, 2);
  await again.sendMessage("And now?");
  await again.run();
  const last = (await observations(again)).at(-1);
  assert.deepEqual(
    [last.is_error, last.task_id, last.content[0].text],
    [true, "unknown", "Failed to execute task: Task 'task_00000009' not found. Available tasks: task_00000001"],
  );
  await again.close();
});

test("several tasks run at once, each in its own conversation", async () => {
  let running = 0;
  let most = 0;
  const { conversation, store } = await open({
    async parent(body) {
      if (!isOfSubagent(body))
        return textOf(body).includes("TaskObservation") || body.messages.at(-1).role === "tool"
          ? finish("All done.")
          : { calls: [1, 2, 3].map((n) => task({ prompt: `SUBAGENT ${n}` })) };
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      running--;
      return finish(/SUBAGENT \d/.exec(textOf(body))[0]);
    },
    agentOptions: { toolConcurrencyLimit: 3 },
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const results = await observations(conversation);
  assert.equal(most, 3);
  assert.deepEqual(results.map(({ task_id }) => task_id).sort(), ["task_00000001", "task_00000002", "task_00000003"]);
  assert.deepEqual(results.map(({ content }) => content[0].text).sort(), ["SUBAGENT 1", "SUBAGENT 2", "SUBAGENT 3"]);
  assert.equal((await Conversation.list({ store, subagents: true })).length, 4);
  await conversation.close();
});

test("calls of a sub-agent wait for the user, and are approved, edited and rejected through the parent", async () => {
  const { remove, removed } = removingTool();
  const { model, agent, store, conversation } = await open({
    parent: [{ calls: [task({ prompt: "SUBAGENT: clean up" })] }, finish("Clean.")],
    child: [removing("a", "b"), removing("c"), removing("d"), finish("Removed.")],
    tools: [remove],
  });
  await conversation.sendMessage("Clean up");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  let pending = await conversation.pendingActions();
  assert.deepEqual(
    pending.map(({ tool_name, action }) => [tool_name, action.data.path]),
    [
      ["remove", "a"],
      ["remove", "b"],
    ],
  );
  assert.deepEqual(removed, []);

  // Approves one of two.
  assert.equal((await conversation.run({ approve: [pending[0].id] })).status, "waiting_for_confirmation");
  assert.deepEqual(removed, ["a"]);
  pending = await conversation.pendingActions();
  assert.deepEqual(
    pending.map(({ action }) => action.data.path),
    ["b"],
  );
  await conversation.close();

  // After a reload everything still waits. The other one is rejected.
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.equal(again.executionStatus, "waiting_for_confirmation");
  pending = await again.pendingActions();
  assert.deepEqual(
    pending.map(({ action }) => action.data.path),
    ["b"],
  );
  await again.rejectPendingActions("Keep b", { actionIds: [pending[0].id] });
  assert.deepEqual(await again.pendingActions(), []);
  assert.equal((await again.run()).status, "waiting_for_confirmation");
  assert.match(textOf(model.requests.at(-1).body), /Keep b/);
  pending = await again.pendingActions();
  assert.deepEqual(
    pending.map(({ action }) => action.data.path),
    ["c"],
  );

  // An edited call, then approval of everything.
  await again.editAction(pending[0].id, { path: "e" });
  pending = await again.pendingActions();
  assert.deepEqual(
    pending.map(({ action }) => action.data.path),
    ["e"],
  );
  assert.equal((await again.run()).status, "waiting_for_confirmation");
  assert.deepEqual(removed, ["a", "e"]);
  assert.deepEqual(endOf(await again.run()), { status: "finished", finalResponse: "Clean." });
  assert.deepEqual(removed, ["a", "e", "d"]);
  assert.deepEqual(
    (await observations(again)).map(({ content }) => content[0].text),
    ["Removed."],
  );
  model.check();
  await again.close();
});

test("always allowing a tool reaches a sub-agent that waits, except for calls that the tool wants approved", async () => {
  const wrote = [];
  const note = tool({ ...wait, execute: ({ text }) => (wrote.push(text), "noted") });
  const sign = tool({ name: "sign", description: "Signs.", parameters: { type: "object" }, needsApproval: true, execute: () => "signed" });
  const noted = (text) => ({ calls: [{ name: "note", arguments: { text } }] });
  const { model, conversation } = await open({
    parent: [{ calls: [task({ prompt: "SUBAGENT: note" })] }, finish("Noted.")],
    child: [
      {
        calls: [
          { name: "note", arguments: { text: "a" } },
          { name: "sign", arguments: {} },
        ],
      },
      noted("b"),
      { text: "done" },
    ],
    tools: [note, sign],
    options: { confirmationPolicy: { kind: "AlwaysConfirm" } },
  });
  const thread = threadOf(conversation);
  await thread.opened();
  const effects = () => thread.getSnapshot().approvals.map(({ toolName, canAlwaysAllow }) => [toolName, canAlwaysAllow]);
  await thread.send("Have it noted");
  await thread.resume();
  await thread.alwaysAllow("task");
  assert.deepEqual(effects(), [
    ["note", true],
    ["sign", false],
  ]);
  await assert.rejects(thread.alwaysAllow("sign"), { code: "invalid_options" });
  await thread.alwaysAllow("note");
  assert.deepEqual(effects(), [["sign", false]]);
  await thread.approve();
  assert.deepEqual([effects(), wrote, conversation.executionStatus], [[], ["a", "b"], "finished"]);
  model.check();
  await thread.close();
  await conversation.close();
});

test("the policy, the analyzer, allowed tools, secrets, hooks and limits are inherited, and never become looser", async () => {
  const seen = [];
  const reveal = tool({
    name: "reveal",
    description: "Reveals.",
    parameters: { type: "object" },
    execute: async (_, { secret }) => `it is ${await secret("TOKEN")}`,
  });
  const agents = [
    { name: "careless", permissionMode: "never_confirm", tools: ["reveal"], maxIterationPerRun: 3 },
    { name: "careful", permissionMode: "always_confirm", tools: ["reveal"] },
  ];
  const { store, conversation, model } = await open({
    parent: [
      { calls: [task({ prompt: "SUBAGENT: tell", subagent_type: "careless" })] },
      finish("Told."),
      { calls: [task({ prompt: "SUBAGENT: tell", subagent_type: "careful" })] },
    ],
    child: [
      { calls: [{ name: "reveal", arguments: {} }] },
      finish("it is correct-horse-battery"),
      { calls: [{ name: "reveal", arguments: {} }] },
    ],
    tools: [reveal],
    taskOptions: { agents },
    options: {
      confirmationPolicy: { kind: "ConfirmRisky", threshold: "MEDIUM", confirmUnknown: false },
      securityAnalyzer: { securityRisk: ({ tool_name }) => (tool_name === "reveal" ? "MEDIUM" : "LOW") },
      secrets: { TOKEN: () => "correct-horse-battery" },
      hooks: { preToolUse: ({ tool_name }) => void seen.push(tool_name), userPromptSubmit: ({ message }) => void seen.push(message) },
      maxBudgetPerRun: 3,
    },
  });
  await conversation.sendMessage("Go");
  // The task itself reaches out, by its annotations.
  for (const waits of ["task", "reveal"]) {
    assert.equal((await conversation.run()).status, "waiting_for_confirmation");
    const pending = await conversation.pendingActions();
    assert.deepEqual(
      pending.map(({ tool_name }) => tool_name),
      [waits],
    );
    assert.equal(conversation.securityRisks[pending[0].id], "MEDIUM", "the rating of a sub-agent's call too");
    const thread = threadOf(conversation);
    await thread.opened();
    assert.deepEqual(
      thread.getSnapshot().approvals.map(({ toolName, risk }) => [toolName, risk]),
      [[waits, "MEDIUM"]],
    );
    await thread.close();
  }
  assert.equal((await conversation.run()).status, "finished");
  const [result] = await observations(conversation);
  assert.equal(result.content[0].text, "it is <secret-hidden>");
  assert.doesNotMatch(JSON.stringify(model.requests.map(({ body }) => body)), /correct-horse/);
  const [child] = (await Conversation.list({ store, subagents: true })).filter(({ parentId }) => parentId);
  const stored = JSON.parse((await store.load(child.id)).baseState);
  assert.deepEqual(stored.confirmation_policy, { threshold: "MEDIUM", confirm_unknown: false, kind: "ConfirmRisky" });
  assert.equal(stored.max_iterations, 3);
  assert.deepEqual(seen, ["Go", "task", "reveal", "finish", "finish"]);
  await conversation.sendMessage("Again");
  for (let waits = 0; waits < 2; waits++) assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  const other = (await Conversation.list({ store, subagents: true })).find(({ parentId, id }) => parentId && id !== child.id);
  assert.equal(JSON.parse((await store.load(other.id)).baseState).confirmation_policy.kind, "AlwaysConfirm");
  await conversation.close();
});

test("a task that fails says why, with what it has", async () => {
  const { conversation } = await open({
    parent: [
      { calls: [task({ prompt: "SUBAGENT", subagent_type: "nobody" })] },
      { calls: [task({ prompt: "SUBAGENT", subagent_type: "toolless" })] },
      { calls: [task({ prompt: "SUBAGENT", subagent_type: "modelled" })] },
      { calls: [task({ prompt: "SUBAGENT", subagent_type: "short" })] },
      { calls: [task({ prompt: "SUBAGENT" })] },
      finish("All failed."),
    ],
    child: [
      { text: "", calls: [{ name: "note", arguments: { text: "x" } }] },
      { status: 400, body: "{}" },
    ],
    tools: [tool({ ...wait, execute: () => "noted" })],
    taskOptions: {
      agents: [
        { name: "toolless", tools: ["hammer"] },
        { name: "modelled", model: "fast" },
        { name: "short", tools: ["note"], maxIterationPerRun: 1 },
      ],
    },
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const texts = (await observations(conversation)).map(({ is_error, status, content }) => [is_error, status, content[0].text]);
  assert.deepEqual(texts.slice(0, 4), [
    [true, "error", "Failed to execute task: Unknown agent 'nobody'. Available types: general-purpose, modelled, short, toolless"],
    [true, "error", "Failed to execute task: Tool 'hammer' not registered but was given to agent toolless."],
    [true, "error", "Failed to execute task: Profile fast not found in profile store.\nAvailable profiles: "],
    [true, "error", "The run has taken all 1 steps that it may."],
  ]);
  assert.equal(texts[4][1], "error");
  await conversation.close();
});

test("definitions are read from Markdown as the SDK reads them", async () => {
  const markdown = `---
name: reviewer
description: Reviews texts.
tools: note
max_iteration_per_run: 7
permission_mode: Always_Confirm
color: red
---

You review texts. SUBAGENT.
`;
  const { store, conversation, model } = await open({
    parent: [{ calls: [task({ prompt: "Review", subagent_type: "reviewer" })] }, finish("Reviewed.")],
    child: [finish("It is good.")],
    tools: [tool({ ...wait, execute: () => "noted" })],
    taskOptions: { agents: [markdown] },
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const description = model.requests[0].body.tools.find(({ function: { name } }) => name === "task").function.description;
  assert.match(description, /- \*\*reviewer\*\*: Reviews texts\. \(tools: note\)/);
  assert.deepEqual(
    model.requests[1].body.tools.map(({ function: { name } }) => name),
    ["note", "finish", "think"],
  );
  assert.match(textOf(model.requests[1].body), /You review texts\. SUBAGENT\./);
  const [child] = (await Conversation.list({ store, subagents: true })).filter(({ parentId }) => parentId);
  const stored = JSON.parse((await store.load(child.id)).baseState);
  assert.deepEqual([stored.max_iterations, stored.confirmation_policy.kind], [7, "AlwaysConfirm"]);
  await conversation.close();
});

test("mistakes in the options are errors that name them", async () => {
  for (const [taskOptions, message] of [
    [{ agents: 7 }, /agents of taskTool\(\)/],
    [{ agents: [{}] }, /needs a name/],
    [{ agents: [{ name: "a" }, { name: "a" }] }, /two agents .* a/],
    [{ agents: [{ name: "a", tools: "note" }] }, /agent a .*tools/],
    [{ agents: [{ name: "a", permissionMode: "ask" }] }, /permissionMode/],
    [{ agents: [{ name: "a", maxIterationPerRun: 0 }] }, /maxIterationPerRun/],
    [{ agents: [{ name: "a", maxBudgetPerRun: Infinity }] }, /maxBudgetPerRun/],
    [{ agents: [{ name: "a", modell: "x" }] }, /modell/],
    [{ agents: ["---\nname: [\n---\n"] }, /front matter/],
    [{ maxDepth: 0 }, /maxDepth/],
  ]) {
    await assert.rejects(
      open({ parent: [], taskOptions }),
      ({ code, message: text }) => code === "invalid_options" && message.test(text),
      String(message),
    );
  }
});

test("sub-agents start sub-agents down to the given depth, and their events come with their path", async () => {
  const { conversation, store, model } = await open({
    parent: (body) => {
      const text = beginOf(body);
      const isAnswered = body.messages.at(-1).role === "tool";
      if (text.includes("LEVEL 2")) return finish("deep");
      if (text.includes("LEVEL 1")) return isAnswered ? finish("middle") : { calls: [task({ prompt: "LEVEL 2", subagent_type: "boss" })] };
      return isAnswered ? finish("top") : { calls: [task({ prompt: "LEVEL 1", subagent_type: "boss" })] };
    },
    taskOptions: { agents: [{ name: "boss", tools: ["task"] }] },
  });
  const paths = new Set();
  conversation.subscribe((event) => event.kind === "SubagentEvent" && paths.add(event.path.join("/")));
  await conversation.sendMessage("Go");
  assert.equal((await conversation.run()).finalResponse, "top");
  assert.deepEqual([...paths].sort(), ["task_00000001", "task_00000001/task_00000001"]);
  const hasTask = model.requests.map(({ body }) => [
    /LEVEL \d/.exec(beginOf(body))?.[0],
    body.tools.some(({ function: { name } }) => name === "task"),
  ]);
  assert.deepEqual(
    new Map(hasTask),
    new Map([
      [undefined, true],
      ["LEVEL 1", true],
      ["LEVEL 2", false],
    ]),
  );
  assert.equal((await Conversation.list({ store, subagents: true })).length, 3);
  // The costs of the lowest are among those of the one above it.
  assert.equal(conversation.stats.usage_to_metrics["task:task_00000001"].token_usages.length, 3);
  await conversation.close();
  await Conversation.delete(conversation.id, { store });
  assert.deepEqual(await Conversation.list({ store, subagents: true }), []);
});

test("interrupting and closing the parent stop the sub-agent, which can be resumed", async () => {
  for (const stop of ["interrupt", "close"]) {
    const { model, agent, store, conversation } = await open({
      parent: [
        { calls: [task({ prompt: "SUBAGENT: take long" })] },
        { calls: [task({ prompt: "SUBAGENT: go on", resume: "task_00000001" })] },
        finish("Done."),
      ],
      child: [{ text: "slowly", stallAfter: 1 }, finish("At last.")],
    });
    await conversation.sendMessage("Go");
    const run = conversation.run();
    await model.arrived(2);
    await conversation[stop]();
    await run.catch(() => {});
    await model.left(2);
    await conversation.close();
    const again = await Conversation.open({ agent, store, conversationId: conversation.id });
    await again.sendMessage("Go on");
    assert.equal((await again.run()).status, "finished");
    assert.deepEqual((await observations(again)).at(-1).content[0].text, "At last.");
    await again.close();
  }
});

test("a parent and its sub-agents are exported together, and imported as conversations", async () => {
  const { agent, conversation } = await open({
    parent: [
      { calls: [task({ prompt: "SUBAGENT: count" })] },
      finish("Done."),
      { calls: [task({ prompt: "SUBAGENT: again", resume: "task_00000001" })] },
      finish("Again."),
    ],
    child: [finish("one"), finish("two")],
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const zip = await conversation.exportZip();
  const other = memoryStore();
  const imported = await Conversation.importZip(zip, { store: other });
  assert.deepEqual(
    imported.map(({ id, outcome, warnings }) => [id, outcome, warnings]),
    [[conversation.id, "created", []]],
  );
  const [child] = (await Conversation.list({ store: other, subagents: true })).filter(({ parentId }) => parentId === conversation.id);
  assert.equal(child.eventCount, 4);
  // Byte for byte, as long as it is not continued.
  const names = async (conversationId, from) => {
    const copy = await Conversation.open({ agent, store: from, conversationId });
    const blob = await copy.exportZip();
    await copy.close();
    return blob;
  };
  await conversation.close();
  const back = await names(conversation.id, other);
  assert.ok(Math.abs(back.size - zip.size) < 200, `${back.size} and ${zip.size}`);
  const again = await Conversation.open({ agent, store: other, conversationId: conversation.id });
  await again.setConfirmationPolicy({ kind: "NeverConfirm" });
  await again.sendMessage("Once more");
  await again.run();
  assert.equal((await observations(again)).at(-1).content[0].text, "two");
  await again.close();
  // A sub-agent's conversation that is exported alone becomes an ordinary one.
  const alone = await Conversation.open({ agent, store: other, conversationId: child.id });
  const third = memoryStore();
  await Conversation.importZip(await alone.exportZip(), { store: third });
  assert.deepEqual(
    (await Conversation.list({ store: third })).map(({ id, parentId }) => [id, parentId]),
    [[child.id, null]],
  );
  await alone.close();
});

test("a fork keeps the results of tasks, and cannot resume them", async () => {
  const { conversation } = await open({
    parent: [
      { calls: [task({ prompt: "SUBAGENT" })] },
      finish("Done."),
      { calls: [task({ prompt: "SUBAGENT", resume: "task_00000001" })] },
      { calls: [task({ prompt: "SUBAGENT" })] },
      finish("Done."),
    ],
    child: [finish("one"), finish("two")],
  });
  await conversation.sendMessage("Go");
  await conversation.run();
  const copy = await conversation.fork();
  await copy.sendMessage("Once more");
  await copy.run();
  assert.deepEqual(
    (await observations(copy)).map(({ task_id, status }) => [task_id, status]),
    [
      ["task_00000001", "completed"],
      ["unknown", "error"],
      ["task_00000002", "completed"],
    ],
  );
  await copy.close();
  await conversation.close();
});

test("a sub-agent works on the files of its parent without approval, as the parent does", async () => {
  const create = { calls: [{ name: "file_editor", arguments: { command: "create", path: "/workspace/a.txt", file_text: "from below" } }] };
  const { conversation } = await open({
    parent: [{ calls: [task({ prompt: "SUBAGENT: write" })] }, finish("Written.")],
    child: [create, finish("Done.")],
    tools: [fileEditor()],
  });
  await conversation.sendMessage("Go");
  assert.equal((await conversation.run()).status, "finished");
  assert.equal(new TextDecoder().decode(await conversation.workspace.read("a.txt")), "from below");
  await conversation.close();
});
