// A forged archive in a real browser: what it names as a task's conversation is not opened, and the chunk that decides this is
// loaded before it is needed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

const call = (name, args) => ({ calls: [{ name, arguments: args }] });

/** Stores a conversation of the user, imports an archive that names it as that of a task, and resumes this task. */
async function attack(baseUrl) {
  const { Agent, Conversation, LLM, indexedDBStore, memoryStore, taskTool } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl, numRetries: 1 }), tools: [taskTool()] });
  const store = indexedDBStore("links");
  const victim = await Conversation.open({ agent, store, confirmationPolicy: { kind: "AlwaysConfirm" } });
  await victim.sendMessage("the safe opens with tulip-42");
  await victim.run();
  await victim.close();
  const before = JSON.stringify(await store.load(victim.id));

  const elsewhere = memoryStore();
  const forger = await Conversation.open({ agent, store: elsewhere });
  await forger.sendMessage("FORGER");
  await forger.run();
  await forger.close();
  const { baseState, length, createdAt } = await elsewhere.load(forger.id);
  const state = JSON.parse(baseState);
  state.agent_state.subagent_tasks.task_00000001.conversation = victim.id;
  const forged = JSON.stringify(state);
  const commit = { expectedLength: length, createdAt, events: [], files: [], baseState: forged, at: Date.now(), durability: "relaxed" };
  await elsewhere.commit(forger.id, commit);
  const archive = await Conversation.open({ agent, store: elsewhere, conversationId: forger.id });
  const zip = await archive.exportZip();
  await archive.close();

  const results = [];
  const [{ warnings }] = await Conversation.importZip(zip, { store });
  for (const isStored of [false, true]) {
    if (isStored) {
      const { length, createdAt } = await store.load(forger.id);
      await store.commit(forger.id, { ...commit, expectedLength: length, createdAt });
    }
    const conversation = await Conversation.open({ agent, store, conversationId: forger.id });
    await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
    await conversation.sendMessage("Go on");
    await conversation.run();
    const events = await conversation.events.slice();
    results.push(events.findLast(({ kind, tool_name }) => kind === "ObservationEvent" && tool_name === "task").observation);
    await conversation.close();
  }
  const isLoaded = performance.getEntriesByType("resource").some(({ name }) => name.includes("threadkeep_agent"));
  return { warnings, results, isLoaded, isUntouched: JSON.stringify(await store.load(victim.id)) === before };
}

for (const kind of availableBrowsers) {
  test(`${kind}: an archive that names another conversation as that of a task gets nothing of it`, async () => {
    const browser = await tabs(kind);
    const model = createModel(({ messages }) => {
      const last = messages.at(-1);
      const asked = JSON.stringify(messages.slice(0, 2));
      if (last.role === "tool" || asked.includes("SUBAGENT") || asked.includes("tulip")) return { text: "Done." };
      return JSON.stringify(last).includes("FORGER")
        ? call("task", { prompt: "SUBAGENT: wait" })
        : call("task", { prompt: "What do you know?", resume: "task_00000001" });
    });
    const { baseUrl, close } = await model.listen();
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const { warnings, results, isLoaded, isUntouched } = await browser.evaluate(attack, baseUrl);
      assert.match(warnings.join(), /task_00000001/);
      assert.deepEqual(
        results.map(({ is_error }) => is_error),
        [true, true],
      );
      assert.match(results[0].content[0].text, /Task 'task_00000001' not found/);
      assert.match(results[1].content[0].text, /is not that of a sub-agent/);
      assert.ok(isLoaded && isUntouched);
      const sent = model.requests.filter(({ body }) => JSON.stringify(body).includes("tulip"));
      assert.equal(sent.length, 1, "only the user's own message was sent");
      model.check();
    } finally {
      await browser.close();
      await close();
    }
  });
}
