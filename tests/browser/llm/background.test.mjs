// An answer that the provider works on by itself, in real browsers: over a lost connection and over a reload.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** Three connections: one ends after the first piece, one goes silent behind the second, one gives the rest. */
const reply = { text: "Hello, world", pieces: 3, connections: [{ endAfter: 5 }, { stallAfter: 1 }, {}] };

/** Opens the conversation, asks where nothing was asked yet, and runs until `until` has been shown or the run has ended. */
async function converse(baseUrl, conversationId, until) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-5", baseUrl, apiMode: "responses", background: true });
  let shown = "";
  let see;
  const seen = new Promise((resolve) => (see = resolve));
  const listener = ({ content }) => {
    shown += content ?? "";
    if (until && shown.includes(until)) see("seen");
  };
  const conversation = await Conversation.open({
    agent: new Agent({ llm }),
    conversationId,
    store: indexedDBStore("background"),
    tokenCallbacks: [listener],
  });
  if (conversation.events.length === 0) await conversation.sendMessage("Hello?");
  const run = conversation.run();
  if (until) return seen;
  const { finalResponse } = await run;
  return { finalResponse, shown, unfinished: conversation.state.agent_state.background_response ?? null };
}

for (const kind of availableBrowsers) {
  test(`${kind}: an answer outlives its connection and its page, and is asked for once`, async () => {
    const browser = await tabs(kind);
    const model = createModel([reply]);
    const { baseUrl, close } = await model.listen();
    try {
      const conversation = crypto.randomUUID();
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(converse, baseUrl, conversation, "Hello,");
      await page.reload();
      const { finalResponse, shown, unfinished } = await browser.evaluate(converse, baseUrl, conversation);
      assert.equal(finalResponse, "Hello, world");
      assert.equal(shown, "Hello, world");
      assert.equal(unfinished, null);
      assert.deepEqual(
        model.requests.map(({ method, path }) => `${method} ${path}`),
        ["POST /v1/responses", "GET /v1/responses/resp_1", "GET /v1/responses/resp_1"],
      );
      model.check();
    } finally {
      await browser.close();
      await close();
    }
  });
}
