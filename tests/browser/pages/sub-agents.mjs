// The page of tests/kills/sub-agents.test.mjs: a conversation whose agent gives two tasks at once to sub-agents, and works in the
// terminal; its sub-agents work in the terminal, too, and edit one file.
import { Agent, Conversation, LLM, fileEditor, indexedDBStore, taskTool, terminal, tool } from "/threadkeep/index.js";

const store = indexedDBStore();
const acting = (name, annotations) =>
  tool({
    name,
    description: "Takes a step.",
    parameters: { type: "object", properties: { step: { type: "string" } }, required: ["step"] },
    annotations,
    async execute({ step }, { idempotencyKey }) {
      const response = await fetch("/act", { method: "POST", body: JSON.stringify({ name, step, key: idempotencyKey }) });
      return response.text();
    },
  });
const agent = new Agent({
  llm: new LLM({ model: "openai/scripted-model", baseUrl: "/v1" }),
  tools: [taskTool(), terminal(), fileEditor(), acting("once"), acting("again", { idempotentHint: true })],
  toolConcurrencyLimit: 2,
});

/** Works on a conversation until it is finished. */
window.work = async (conversationId) => {
  const conversation = await Conversation.open({ agent, store, conversationId });
  if (conversation.events.length === 0) {
    await conversation.workspace.write("lines.txt", "");
    await conversation.sendMessage("Do both tasks.");
  }
  // A call that changes files is repeated after a crash, and nobody is asked.
  const { status } = await conversation.run();
  await conversation.close();
  return status;
};

const logOf = async (id) => {
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  const events = await conversation.events.slice();
  const { stats, state, executionStatus: status } = conversation;
  const found = { id, status, events, stats, tasks: state.agent_state.subagent_tasks, finalResponse: await conversation.finalResponse() };
  await conversation.close();
  return found;
};

/** A conversation, and those of its sub-agents. */
window.inspect = async (id) => {
  const children = (await Conversation.list({ store, subagents: true })).filter(({ parentId }) => parentId === id);
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  const files = {};
  for (const { path } of await conversation.workspace.list(""))
    files[path] = new TextDecoder()
      .decode(await conversation.workspace.read(path))
      .trim()
      .split("\n");
  await conversation.close();
  return { parent: await logOf(id), files, children: await Promise.all(children.map((child) => logOf(child.id))) };
};

document.title = "ready";
