// Skills in real browsers: opening a conversation that has some waits for their code, and nothing is loaded later.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** Opens a conversation, with a context or without, and returns the wasm files that are there as soon as it is open. */
async function filesOnceOpen(agentContext) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const conversation = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/none" }), agentContext }) });
  const names = performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
  await conversation.close();
  await Conversation.delete(conversation.id);
  return names.filter((name) => name.endsWith(".wasm")).sort();
}

/** Opens conversations with and without skills, and counts the files that are fetched once one with skills is open. */
async function converse() {
  const { Agent, Conversation, LLM, loadSkills } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "https://model.invalid/v1" });
  const fetched = () => performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
  const plain = await Conversation.open({ agent: new Agent({ llm }) });
  await plain.sendMessage("Hello");
  await plain.close();

  const fetch = async () => new Response("---\nname: sailing\ntriggers: [boat]\n---\nMind the tide.");
  const skills = await loadSkills("https://skills.invalid/sailing/SKILL.md", { fetch });
  const first = await Conversation.open({ agent: new Agent({ llm, agentContext: { skills } }) });
  const opened = fetched();
  const message = await first.sendMessage("About a boat");
  await first.navigateTo(null);
  const after = fetched();
  await first.close();
  // Another opening, without a context: that of the conversation applies.
  const second = await Conversation.open({ agent: new Agent({ llm }), conversationId: first.id });
  const [system] = await second.activeBranch();
  const { activated_knowledge_skills: activated } = second.state;
  await second.sendMessage("A boat again");
  const branch = await second.activeBranch();
  const { warnings } = second;
  await second.close();
  await Promise.all([plain, first].map(({ id }) => Conversation.delete(id)));
  return {
    more: after.length - opened.length,
    message,
    system,
    activated,
    warnings,
    branch,
  };
}

for (const kind of availableBrowsers) {
  test(`${kind}: the code of skills is loaded when a conversation is opened that has some, and not later`, async (context) => {
    const browser = await tabs(kind);
    try {
      await context.test("opening waits for the code of skills where there are some", async () => {
        const skills = [{ name: "sailing", content: "Mind the tide." }];
        for (const [agentContext, files] of [
          [undefined, ["threadkeep_bg.wasm"]],
          [{ skills }, ["threadkeep_agent_bg.wasm", "threadkeep_bg.wasm", "threadkeep_run_bg.wasm"]],
        ]) {
          const page = await browser.page(`${server.origin}/pages/blank.html`);
          assert.deepEqual(await browser.evaluate(filesOnceOpen, agentContext), files);
          await page.close();
        }
      });
      await context.test("skills are loaded with the conversation, stored with the message, and used after a reload", async () => {
        await browser.page(`${server.origin}/pages/blank.html`);
        const found = await browser.evaluate(converse);
        assert.equal(found.more, 0);
        assert.deepEqual(found.message.activated_skills, ["sailing"]);
        assert.match(found.message.extended_content[0].text, /nobody has checked it[^]*Mind the tide\./);
        assert.deepEqual([found.activated, found.warnings], [["sailing"], []]);
        assert.equal(found.system, undefined);
        assert.match(found.branch[0].dynamic_context.text, /<name>sailing<\/name>/);
        assert.deepEqual(found.branch[1].activated_skills, []);
      });
    } finally {
      await browser.close();
    }
  });
}
