// What somebody downloads who comes for the first time: the size that the README says, and nothing that such a page does not use.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

for (const kind of availableBrowsers) {
  test(`${kind}: a first visit sends a message and lists the conversation with the main wasm, and with no other parts than those of runs`, async () => {
    const fresh = await startServer();
    const browser = await tabs(kind);
    try {
      await browser.page(`${fresh.origin}/pages/blank.html`);
      const { files, listed } = await browser.evaluate(loadedByAFirstVisit);
      assert.equal(listed, 1);
      // What its runs need is loaded ahead, in the background.
      const ahead = ["threadkeep_run_bg.wasm", "threadkeep_agent_bg.wasm"];
      assert.deepEqual(
        files.filter((file) => !ahead.includes(file)),
        ["threadkeep_bg.wasm"],
      );
    } finally {
      await browser.close();
      await fresh.close();
    }
  });
}

/** Sends a first message and lists the conversation, and says which files of the wasm that has loaded. */
async function loadedByAFirstVisit() {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const conversation = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1" }) }) });
  await conversation.sendMessage("Hello!");
  const known = await Conversation.list();
  await conversation.close();
  const files = performance.getEntriesByType("resource").flatMap(({ name }) => /[^/]+\.wasm$/.exec(name) ?? []);
  return { files, listed: known.length };
}
