// What docs/tabs.md says: its examples do it, and its table says of each method what a handle does whose loop is elsewhere.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";

const page = readFileSync(path.join(root, "docs/tabs.md"), "utf8");
const note = tool({
  name: "note",
  description: "Notes a text.",
  parameters: { type: "object", properties: {} },
  annotations: { destructiveHint: true },
  execute: () => "noted",
});
const agentOf = (replies) => new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: createModel(replies).fetch }), tools: [note] });

test("two handles in one page behave as the page says", async () => {
  const agent = agentOf(() => ({ text: "Hi." }));
  const lines = [];
  const store = memoryStore();
  const { one, two } = await runExample(
    exampleNamed(page, "two handles, which behave as those of two tabs"),
    { agent, store, Conversation, console: { log: (...words) => lines.push(words.join(" ")) } },
    "{ one, two }",
  );
  assert.deepEqual(lines, ["writer follower tab", "Hi.", "writer here"]);
  const sent = (await two.activeBranch()).filter(({ kind, source }) => kind === "MessageEvent" && source === "user");
  assert.deepEqual(
    sent.map(({ llm_message: { content } }) => content[0].text),
    ["Hello!", "And now?"],
  );
  assert.equal(two.id, one.id);
  await two.close();
});

/** What the page says of each name in the first column of its table. */
const said = new Map(
  [...page.matchAll(/^\| (`.+?) \| (.+?) \|$/gm)].flatMap(([, names, what]) =>
    [...names.matchAll(/`(.+?)`/g)].map(([, name]) => [name, what]),
  ),
);

/** A call of each method that goes to the writer. The text of an error counts as done there, if it is the writer's. */
const calls = {
  sendMessage: (two) => two.sendMessage("More"),
  editMessage: (two, { question }) => two.editMessage(question, "Again"),
  regenerate: (two) => two.regenerate(),
  run: (two) => two.run(),
  pause: (two) => two.pause(),
  interrupt: (two) => two.interrupt(),
  rejectPendingActions: (two) => two.rejectPendingActions("No"),
  editAction: async (two) => two.editAction((await two.pendingActions())[0].id, {}),
  "queue.list": (two) => two.queue.list(),
  "queue.edit": async (two) => two.queue.edit((await two.queue.list())[0].id, "Other"),
  "queue.remove": async (two) => two.queue.remove((await two.queue.list())[0].id),
  navigateTo: (two, { question }) => two.navigateTo(question),
  askAgent: (two) => two.askAgent("Why?"),
  setLimits: (two) => two.setLimits({ maxIterationPerRun: 5 }),
  setAllowedTools: (two) => two.setAllowedTools(["note"]),
  setConfirmationPolicy: (two) => two.setConfirmationPolicy({ kind: "NeverConfirm" }),
  setAgentState: (two) => two.setAgentState({ mood: "calm" }),
  setTags: (two) => two.setTags({ title: "Tagged" }),
  allowSecrets: (two) => two.allowSecrets(),
  setSecurityAnalyzer: (two) => two.setSecurityAnalyzer(null),
  executeTool: (two) => two.executeTool("note", {}),
  generateTitle: (two) => two.generateTitle(),
  switchLLM: (two) => two.switchLLM(new LLM({ model: "openai/other" })),
  updateSecrets: (two) => two.updateSecrets({ token: "a secret" }),
  "workspace.write": (two) => two.workspace.write("a.txt", "a"),
  "workspace.makeDirectory": (two) => two.workspace.makeDirectory("a"),
  "workspace.remove": (two) => two.workspace.remove("kept.txt"),
  "workspace.move": (two) => two.workspace.move("kept.txt", "b.txt"),
};
/** Methods that need a state of their own; other tests have them. */
const elsewhere = { retryNow: "waits for a network", condense: "needs a condenser" };

for (const [name, call] of Object.entries(calls)) {
  test(`the table: ${name}`, async () => {
    const waits = /Pending|editAction|queue/.test(name);
    const replies = (_request, index) =>
      waits && index === 0 ? { text: "May I?", calls: [{ name: "note", arguments: {} }] } : { text: "Well." };
    const store = memoryStore();
    const agent = agentOf(replies);
    const one = await Conversation.open({ agent, store });
    await one.workspace.write("kept.txt", "kept");
    const { id: question } = await one.sendMessage("Hello");
    await one.run();
    if (name.startsWith("queue")) await one.sendMessage("It waits", { pending: "keep" });
    const two = await Conversation.open({ agent, store, conversationId: one.id });
    const done = await call(two, { question }).then(
      () => "as at the writer",
      ({ code }) => `\`${code}\``,
    );
    assert.ok(said.get(name)?.startsWith(done), `${name}: ${done}, and the page says: ${said.get(name)}`);
    await two.close();
    await one.close();
  });
}

test("the table has every method that changes a conversation", () => {
  const tested = new Set([
    ...Object.keys(calls),
    ...Object.keys(elsewhere),
    "conversation.draft",
    "conversation.waiting",
    "conversation.limits",
  ]);
  assert.deepEqual(
    [...said.keys()].filter((name) => !tested.has(name)),
    [],
  );
  /** They read, or concern the handle itself. */
  const reading =
    /^(constructor|activeBranch|branches|versions|pendingActions|contextUsage|progress|finalResponse|finalAnswer|export\w+|toMessages|previewFiles|subscribe|takeOver|close|fork)$/;
  const methods = Object.entries(Object.getOwnPropertyDescriptors(Conversation.prototype)).flatMap(([name, { value }]) =>
    typeof value === "function" && !reading.test(name) ? [name] : [],
  );
  assert.deepEqual(
    methods.filter((name) => !said.has(name)),
    [],
  );
});
