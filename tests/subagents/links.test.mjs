// Which conversations a task may open: only those of its own sub-agents, whatever an archive or a store says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, taskTool, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { finish } from "../support/chat.mjs";
import { isOfSubagent } from "./requests.mjs";

const secret = "the safe opens with tulip-42";
const task = (args) => ({ calls: [{ name: "task", arguments: args }] });

/** An agent with the tool `task` and its model, which answers parents and sub-agents from a list each. */
function worker(parent, child = [], tools = []) {
  const left = { parent: [...parent], child: [...child] };
  const model = createModel((body) => left[isOfSubagent(body) ? "child" : "parent"].shift() ?? { text: "There is nothing left to say." });
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 });
  return { model, agent: new Agent({ llm, tools: [taskTool(), ...tools] }) };
}

/** A conversation of the user that asks before every call. */
async function victimIn(store) {
  const { agent } = worker([{ text: "I will keep it." }]);
  const conversation = await Conversation.open({ agent, store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  await conversation.sendMessage(secret);
  await conversation.run();
  await conversation.close();
  return { id: conversation.id, stored: await store.load(conversation.id) };
}

/** The zip of a conversation that has given one task, and whose record of it was changed. */
async function forged(change, parent = [task({ prompt: "SUBAGENT: wait" }), finish("Done.")]) {
  const store = memoryStore();
  const { agent } = worker(parent, [finish("I did.")]);
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.close();
  await edit(store, conversation.id, ({ agent_state }) => change(agent_state.subagent_tasks.task_00000001));
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  const zip = await again.exportZip();
  await again.close();
  return { id: conversation.id, zip };
}

/** Changes a stored base state, as another program may do. */
async function edit(store, id, change) {
  const { baseState, length, createdAt } = await store.load(id);
  const state = JSON.parse(baseState);
  change(state);
  await store.commit(id, {
    expectedLength: length,
    createdAt,
    events: [],
    files: [],
    baseState: JSON.stringify(state),
    at: Date.now(),
    durability: "relaxed",
  });
}

const results = async (conversation) =>
  (await conversation.events.slice())
    .filter(({ kind, tool_name }) => kind === "ObservationEvent" && tool_name === "task")
    .map(({ observation }) => observation);

/** Nothing of the victim was sent to a model, and it is stored as it was. */
async function assertUntouched({ id, stored }, store, model) {
  assert.doesNotMatch(JSON.stringify(model.requests.map(({ body }) => body)), /tulip/);
  assert.deepEqual(await store.load(id), stored);
}

test("an imported task that names another conversation is left out with a warning, and that conversation stays as it is", async () => {
  const store = memoryStore();
  const victim = await victimIn(store);
  const { id, zip } = await forged((record) => (record.conversation = victim.id));
  const [imported] = await Conversation.importZip(zip, { store });
  assert.match(imported.warnings.join(), /task_00000001/);
  const { model, agent } = worker([task({ prompt: "What do you know?", resume: "task_00000001" }), finish("Nothing.")]);
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  assert.deepEqual(conversation.state.agent_state.subagent_tasks ?? {}, {});
  await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
  await conversation.sendMessage("Go on");
  await conversation.run();
  assert.match((await results(conversation)).at(-1).content[0].text, /Task 'task_00000001' not found/);
  await assertUntouched(victim, store, model);
  // The costs of the lost task stay, because a later one does not get its id.
  await conversation.close();
});

test("a stored task that names another conversation never opens it", async () => {
  for (const how of ["resumed", "repeated"]) {
    const store = memoryStore();
    const victim = await victimIn(store);
    const parent = worker(
      [task({ prompt: "SUBAGENT: wait" }), ...(how === "resumed" ? [finish("Done.")] : [])],
      how === "resumed" ? [finish("I did.")] : [{ text: "slowly", stallAfter: 1 }],
    );
    const conversation = await Conversation.open({ agent: parent.agent, store });
    await conversation.sendMessage("Go");
    const run = conversation.run();
    if (how === "repeated") {
      await parent.model.arrived(2);
      // A page that dies: the store is read by another one.
      await edit(store, conversation.id, () => {});
    }
    await (how === "repeated" ? conversation.close() : run);
    await run.catch(() => {});
    await conversation.close();
    await edit(store, conversation.id, (state) => {
      state.agent_state.subagent_tasks.task_00000001.conversation = victim.id;
    });
    const { model, agent } = worker([task({ prompt: "What do you know?", resume: "task_00000001" }), finish("Nothing.")]);
    const again = await Conversation.open({ agent, store, conversationId: conversation.id });
    await again.pendingActions();
    await again.sendMessage("Go on");
    await again.run();
    const last = (await results(again)).at(-1);
    assert.equal(last.is_error, true);
    assert.match(last.content[0].text, /task_00000001/);
    await assertUntouched(victim, store, model);
    await again.close();
  }
});

test("a task that names another sub-agent of the same conversation does not open it either", async () => {
  const store = memoryStore();
  const { agent } = worker(
    [task({ prompt: "SUBAGENT: one" }), task({ prompt: "SUBAGENT: two" }), finish("Done.")],
    [finish("one"), finish("two")],
  );
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.close();
  await edit(
    store,
    conversation.id,
    ({ agent_state: { subagent_tasks: tasks } }) => (tasks.task_00000001.conversation = tasks.task_00000002.conversation),
  );
  const next = worker([task({ prompt: "SUBAGENT: again", resume: "task_00000001" }), finish("Done.")]);
  const again = await Conversation.open({ agent: next.agent, store, conversationId: conversation.id });
  await again.sendMessage("Go on");
  await again.run();
  assert.equal((await results(again)).at(-1).is_error, true);
  assert.equal(next.model.requests.filter(({ body }) => isOfSubagent(body)).length, 0);
  await again.close();
});

test("resuming a task never makes its stored policy looser", async () => {
  const store = memoryStore();
  const note = tool({ name: "note", description: "Notes.", parameters: { type: "object" }, execute: () => "noted" });
  const calls = { calls: [{ name: "note", arguments: {} }] };
  const first = worker([task({ prompt: "SUBAGENT: note" })], [calls], [note]);
  const conversation = await Conversation.open({ agent: first.agent, store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  await conversation.sendMessage("Go");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  const child = conversation.state.agent_state.subagent_tasks.task_00000001.conversation;
  await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
  await conversation.close();
  const { model, agent } = worker([finish("Done.")], [calls], [note]);
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.deepEqual(
    (await again.pendingActions()).map(({ tool_name }) => tool_name),
    ["note"],
  );
  assert.equal((await again.run()).status, "waiting_for_confirmation", "the next call of the sub-agent is asked about, too");
  assert.equal(JSON.parse((await store.load(child)).baseState).confirmation_policy.kind, "AlwaysConfirm");
  model.check();
  await again.close();
});

test("damaged records of tasks are passed over", async () => {
  const store = memoryStore();
  const { agent } = worker([task({ prompt: "SUBAGENT: one" }), finish("Done.")], [finish("one")]);
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("Go");
  await conversation.run();
  await conversation.close();
  for (const damage of [null, 7, { task_00000001: null }, { task_00000001: { conversation: "x" } }, [1]]) {
    await edit(store, conversation.id, ({ agent_state }) => (agent_state.subagent_tasks = damage));
    const next = worker([task({ prompt: "SUBAGENT: two" }), finish("Done.")], [finish("two")]);
    const again = await Conversation.open({ agent: next.agent, store, conversationId: conversation.id });
    await again.sendMessage("Go on");
    assert.equal((await again.run()).status, "finished");
    const last = (await results(again)).at(-1);
    assert.deepEqual([last.is_error, last.content[0].text], [false, "two"]);
    assert.notEqual(last.task_id, "task_00000001", "an id that has costs is not used again");
    await again.close();
  }
});
