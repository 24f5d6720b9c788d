// Plugins in real browsers: the code comes with the first of them, a hook runs in the shell's worker, and an endless one is stopped.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

async function withPlugin() {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "https://model.invalid/v1" }) });
  const plain = await Conversation.open({ agent });
  await plain.sendMessage("Hello");
  await plain.close();
  const files = () => performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
  const before = files();
  const hook = 'grep -q forbidden && echo "no: $(cat "$CLAUDE_PLUGIN_ROOT/why.txt")" >&2 && exit 2; exit 0';
  const endless = "while true; do :; done";
  const plugin = (command, timeout) => ({
    "skills/tides/SKILL.md": "---\ndescription: Tides\ntriggers: [tide]\n---\nHigh water.",
    "hooks/hooks.json": JSON.stringify({ UserPromptSubmit: [{ hooks: [{ command, timeout }] }] }),
    "why.txt": "the plugin says so",
  });
  const asked = [];
  const options = { agent, allowPlugins: ({ name }, { isNew }) => asked.push([name, isNew]) > 0 };
  const first = await Conversation.open({ ...options, plugins: [plugin(hook, 60)] });
  const allowed = await first.sendMessage("The tide");
  const denied = await first.sendMessage("forbidden");
  const blocked = first.state.blocked_messages;
  while (!first.state.agent_state.resolved_plugins) await new Promise((resolve) => setTimeout(resolve, 20));
  await first.close();
  const again = await Conversation.open({ ...options, conversationId: first.id, plugins: [plugin(hook, 60)] });
  const resolved = again.resolvedPlugins;
  await again.close();
  const slow = await Conversation.open({ ...options, plugins: [plugin(endless, 1)] });
  const began = performance.now();
  await slow.sendMessage("Hello");
  const took = performance.now() - began;
  const events = await slow.events.slice();
  await slow.close();
  await Promise.all([plain, first, slow].map(({ id }) => Conversation.delete(id)));
  return {
    before: before.filter((name) => /plugin|terminal/.test(name)),
    skills: allowed.activated_skills,
    why: blocked[denied.id],
    wasBlocked: allowed.id in blocked,
    asked,
    resolved,
    took,
    error: events.find(({ kind }) => kind === "HookExecutionEvent").error,
  };
}

for (const kind of availableBrowsers) {
  test(`${kind}: a plugin's skills and hooks work in a page`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const found = await browser.evaluate(withPlugin);
      assert.deepEqual(found.before, []);
      assert.deepEqual([found.skills, found.wasBlocked, found.why], [["tides"], false, "no: the plugin says so"]);
      assert.deepEqual(found.resolved, [{ source: "plugin", resolved_ref: null, repo_path: null, original_ref: null }]);
      assert.deepEqual(
        found.asked.map(([, isNew]) => isNew),
        [true, false, true],
      );
      assert.match(found.error, /took more than 1 seconds/);
      assert.ok(found.took < 30_000, `${found.took} ms`);
    } finally {
      await browser.close();
    }
  });
}
