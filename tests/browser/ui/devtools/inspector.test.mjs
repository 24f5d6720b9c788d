// `<threadkeep-inspector>` in a page: it shows requests, events, the state and the storage, without the key, and axe finds nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf } from "../../../support/documented.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";

const page = `
import { Agent, Conversation, LLM, memoryStore } from "threadkeep";
import "threadkeep/devtools";
const inspector = document.createElement("threadkeep-inspector");
document.querySelector("main").append(inspector);
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-very-secret-key", baseUrl: location.origin + "/v1" }) });
const conversation = await Conversation.open({ agent, store: memoryStore() });
inspector.conversation = conversation;
await conversation.sendMessage("Hi");
await conversation.run();
document.title = "done";
`;
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>inspector</title><main><h1>Inspector</h1></main><script type="module" src="/app/page.js"></script></html>`;

let server;
before(async () => {
  const app = await appOf({ "page.js": page }, ["page.js"]);
  const serve = (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true);
  server = await startServer({ model: createModel(() => ({ text: "Hello to you." })), mounts: { "/app/": app, "/inspector": serve } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: every view shows its part, and axe finds nothing`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/inspector`);
      await untilIn(tab, "the run is over", () => document.title === "done");
      const shadow = (body, ...args) =>
        tab.evaluate(`(${body})(document.querySelector("threadkeep-inspector").shadowRoot, ...${JSON.stringify(args)})`);
      const shows = (text) =>
        untilIn(
          tab,
          `it shows “${text}”`,
          (wanted) => document.querySelector("threadkeep-inspector").shadowRoot.textContent.includes(wanted),
          text,
        );
      const choose = (name) => shadow((view, wanted) => view.querySelector(`#tab-${wanted}`).click(), name);
      for (const [view, ...texts] of [
        ["Requests", "/v1/chat/completions", "200", "First bytes after", "gpt-4o", "Hello"],
        ["Events", "MessageEvent", "live", "Hello to you."],
        ["State", "finished", "writer", "US dollars"],
        ["Storage", "Events of the conversation", "3"],
      ]) {
        await choose(view);
        await shows(texts[0]);
        await shadow((view) => view.querySelectorAll("summary").forEach((summary) => summary.click()));
        for (const text of texts) await shows(text);
        await photograph({ page: tab }, `inspector-${kind}-${view}`);
        assert.deepEqual(await faultsOf(tab), [], view);
        assert.doesNotMatch(await shadow((view) => view.textContent), /very-secret/);
      }
    } finally {
      await browser.close();
    }
  });
}
