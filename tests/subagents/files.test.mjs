// Sub-agents change their parent's files in the transaction of their results, pause with the parent, and never wait where nobody
// can reach them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, fileEditor, memoryStore, taskTool, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { removing, removingTool } from "../support/removing.mjs";
import { finish } from "../support/chat.mjs";
import { isOfSubagent } from "./requests.mjs";
import { deferred } from "../support/deferred.mjs";
import { endOf } from "../support/ended.mjs";
import { storeWith } from "../support/store-with.mjs";

const task = (prompt, resume) => ({ name: "task", arguments: { prompt, ...(resume && { resume }) } });
const edit = (args) => ({ name: "file_editor", arguments: { path: "/workspace/list.txt", ...args } });

/** The next step follows from the results that a request contains, so a model of another page goes on. */
function modelOf(parent, child) {
  return createModel(
    (body) =>
      (isOfSubagent(body) ? child : parent)[body.messages.filter(({ role }) => role === "tool").length] ?? {
        text: "There is nothing left to say.",
      },
  );
}

function agentOf(model, tools = [], options = {}) {
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 });
  return new Agent({ llm, tools: [taskTool(), fileEditor(), ...tools], ...options });
}

/** A store of a page that dies at the commit of this number, which is applied or not. */
function dying(inner, number, isApplied, spansConversations) {
  let commits = 0;
  const store = storeWith(inner, { spansConversations, close() {} });
  const [died, buried] = [deferred(), deferred()];
  store.died = died.promise;
  const never = () => buried.promise.then(() => Promise.reject(Object.assign(new Error("the page is dead"), { code: "invalid_state" })));
  store.commit = async (id, commit) => {
    if (commits >= number + 1) return never();
    if (commits++ < number || isApplied) await inner.commit(id, commit);
    if (commits === number + 1) {
      died.resolve(true);
      return never();
    }
  };
  // Lets the dead page end without another commit, so that nothing keeps the process from ending.
  store.bury = () => buried.resolve();
  return store;
}

const textIn = async (conversation, path) =>
  new TextDecoder().decode(await conversation.workspace.read(path).catch(() => new Uint8Array()));
const linesOf = (text) => text.split("\n").filter((line) => line !== "");

async function prepared(spansConversations, number, isApplied) {
  const inner = memoryStore();
  const parent = [{ calls: [task("SUBAGENT: add")] }, finish("Added.")];
  const child = [
    { calls: [edit({ command: "insert", insert_line: 0, new_str: "one" })] },
    { calls: [edit({ command: "insert", insert_line: 1, new_str: "two" })] },
    finish("Done."),
  ];
  const agent = agentOf(modelOf(parent, child));
  const first = await Conversation.open({ agent, store: inner });
  await first.workspace.write("list.txt", "");
  await first.sendMessage("Go");
  await first.close();
  const store = dying(inner, number, isApplied, spansConversations);
  const conversation = await Conversation.open({ agent, store, conversationId: first.id });
  const run = conversation.run().then(
    () => false,
    () => false,
  );
  const hasDied = await Promise.race([store.died, run]);
  // Another page: the dead one holds its lock, which is that of another store.
  const again = await Conversation.open({ agent, store: dying(inner, Infinity, true, spansConversations), conversationId: first.id });
  const bury = async () => {
    store.bury();
    await conversation.close();
  };
  return { again, hasDied, bury };
}

test("a page that dies at any commit of a sub-agent leaves each of its lines in the file once, and nothing is asked", async () => {
  for (const isApplied of [false, true]) {
    for (let number = 0; ; number++) {
      const { again, hasDied, bury } = await prepared(true, number, isApplied);
      assert.equal((await again.run()).status, "finished", `after ${number} commits`);
      assert.deepEqual(linesOf(await textIn(again, "list.txt")), ["one", "two"], `after ${number} commits`);
      await again.close();
      await bury();
      if (!hasDied) break;
      assert.ok(number < 60, "the run never ends");
    }
  }
});

test("with a store that cannot span conversations, a call that died between file and result is asked about", async () => {
  let asked = 0;
  for (let number = 0; ; number++) {
    const { again, hasDied, bury } = await prepared(undefined, number, true);
    for (let { status } = await again.run(); status !== "finished"; { status } = await again.run()) {
      assert.equal(status, "waiting_for_confirmation");
      const pending = await again.pendingActions();
      assert.deepEqual(
        pending.map(({ tool_name }) => tool_name),
        ["file_editor"],
      );
      asked++;
      await again.rejectPendingActions("It may have run.");
    }
    const lines = linesOf(await textIn(again, "list.txt"));
    assert.equal(new Set(lines).size, lines.length, `${lines} after ${number} commits`);
    await again.close();
    await bury();
    if (!hasDied) break;
  }
  assert.ok(asked >= 2, `asked ${asked} times`);
});

test("sub-agents that work at once on one file lose no line", async () => {
  const parent = [{ calls: ["a", "b", "c"].map((name) => task(`SUBAGENT ${name}`)) }, finish("Added."), finish("Added."), finish("Added.")];
  const model = createModel((body) => {
    const results = body.messages.filter(({ role }) => role === "tool").length;
    if (!isOfSubagent(body)) return parent[results === 0 ? 0 : 1];
    const [, name] = /SUBAGENT (\w)/.exec(JSON.stringify(body.messages));
    return results < 5 ? { calls: [edit({ command: "insert", insert_line: 0, new_str: `${name}${results}` })] } : finish(name);
  });
  const conversation = await Conversation.open({ agent: agentOf(model, [], { toolConcurrencyLimit: 3 }), store: memoryStore() });
  await conversation.workspace.write("list.txt", "");
  const seen = [];
  conversation.workspace.watch(({ path, type }) => seen.push([path, type]));
  await conversation.sendMessage("Go");
  await conversation.run();
  const expected = ["a", "b", "c"].flatMap((name) => [0, 1, 2, 3, 4].map((n) => `${name}${n}`));
  assert.deepEqual(linesOf(await textIn(conversation, "list.txt")).sort(), expected);
  assert.equal(seen.length, 15, "watchers of the parent's files are told of each change");
  assert.deepEqual(await conversation.events.at(0).then(({ kind }) => kind), "SystemPromptEvent");
  await conversation.close();
});

test("a pause reaches sub-agents: what runs ends, nothing else begins, and the next run goes on without asking", async () => {
  const { promise: begun, resolve: begin } = deferred();
  const { promise: paused, resolve: goOn } = deferred();
  const steps = [];
  const step = tool({
    name: "step",
    description: "Takes a step.",
    parameters: { type: "object", properties: { n: { type: "number" } } },
    annotations: { readOnlyHint: true },
    execute: async ({ n }) => {
      steps.push(n);
      begin();
      await paused;
      return "taken";
    },
  });
  const calls = { calls: [1, 2].map((n) => ({ name: "step", arguments: { n } })) };
  const model = modelOf([{ calls: [task("SUBAGENT: two steps")] }, finish("Both.")], [calls, {}, finish("Taken.")]);
  const agent = agentOf(model, [step]);
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("Go");
  const run = conversation.run();
  await begun;
  await conversation.pause();
  goOn();
  assert.equal((await run).status, "paused");
  assert.deepEqual(steps, [1], "the second step has not begun");
  assert.deepEqual(
    (await conversation.pendingActions()).map(({ tool_name }) => tool_name),
    ["task"],
  );
  await conversation.close();
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.equal(again.executionStatus, "paused");
  assert.deepEqual(endOf(await again.run()), { status: "finished", finalResponse: "Both." });
  assert.deepEqual(steps, [1, 2]);
  model.check();
  await again.close();
});

test("a task of executeTool() whose calls need approval fails with what to do, and nothing waits", async () => {
  const { remove, removed } = removingTool();
  const agent = agentOf(modelOf([], [removing("a"), removing("a"), finish("Removed.")]), [remove]);
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store });
  const result = await conversation.executeTool("task", { prompt: "SUBAGENT: clean up" });
  assert.deepEqual([result.is_error, result.status, result.task_id], [true, "error", "task_00000001"]);
  assert.match(result.content[0].text, /needs approval for remove, .*setAllowedTools\(\).*resume "task_00000001"/);
  const [child] = (await Conversation.list({ store, subagents: true })).filter(({ parentId }) => parentId);
  assert.notEqual(child.executionStatus, "waiting_for_confirmation");
  assert.deepEqual(removed, []);
  await conversation.setAllowedTools(["remove"]);
  const next = await conversation.executeTool("task", { prompt: "You may", resume: "task_00000001" });
  assert.deepEqual([next.is_error, next.content[0].text, removed.join()], [false, "Removed.", "a"]);
  await conversation.close();
});

test("setAgentState refuses every name that the library uses itself", async () => {
  const conversation = await Conversation.open({ agent: agentOf(modelOf([], [])), store: memoryStore() });
  for (const name of ["subagent_tasks", "waiting_for_network", "allowed_tools", "head_move"]) {
    for (const value of [null, {}, { task_00000001: null }]) {
      await assert.rejects(conversation.setAgentState({ mine: 1, [name]: value }), { code: "invalid_options", message: new RegExp(name) });
    }
  }
  assert.deepEqual(conversation.state.agent_state, {});
  await conversation.setAgentState({ mine: 1, iterative_refinement_iteration: 2 });
  assert.deepEqual(conversation.state.agent_state, { mine: 1, iterative_refinement_iteration: 2 });
  await conversation.close();
});
