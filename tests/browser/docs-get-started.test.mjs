// The chat of docs/get-started.md, as it is written there, but with a model on this server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers } from "./driver.mjs";
import { tabs } from "./shared.mjs";

const [agent, page] = blocks("docs/get-started.md");
const html = `<!doctype html><meta charset="utf-8"><title>chat</title><script type="module" src="/app/main.js"></script>`;

/** Calls a tool if the last message asks for it, and ends with its result. */
function reply({ messages }) {
  const { role, content } = messages.at(-1);
  const text = JSON.stringify(content);
  if (role === "tool") return { text: `Result: ${text}` };
  if (text.includes("dice")) return { calls: [{ name: "roll_dice", arguments: { sides: 6 } }] };
  if (text.includes("Ann")) return { calls: [{ name: "transfer_money", arguments: { to: "Ann", euros: 20 } }] };
  return { text: "Hello to you." };
}

let server;
before(async () => {
  const scripted = agent.replace('model: "openai/gpt-5-mini", apiKey', 'model: "openai/scripted-model", baseUrl: `${location.origin}/v1`');
  assert.notEqual(scripted, agent);
  const app = await appOf({ "agent.js": scripted, "main.js": page }, ["main.js"]);
  const serve = (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true);
  server = await startServer({ model: createModel(reply), mounts: { "/app/": app, "/chat": serve } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: it streams, calls a tool, asks, and has everything after a reload`, { timeout: 90_000 }, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/chat`);
      const shows = (text) => tab.waitForFunction((wanted) => document.querySelector("main")?.textContent.includes(wanted), { timeout: 30_000 }, text);
      const send = async (text) => {
        await tab.type("input", text);
        await tab.click("form button");
      };
      await tab.waitForFunction(() => location.hash.length > 1);
      await send("Hello");
      await shows("Hello to you.");
      await send("Roll the dice");
      await shows("[roll_dice: done]");
      await shows("Result:");
      await send("Pay Ann");
      await shows("Allow transfer_money");
      await tab.reload();
      await shows("Allow transfer_money");
      await shows("Hello to you.");
      await tab.click("main button");
      await shows("Transferred 20 euros to Ann.");
      assert.deepEqual(browser.problems.filter((problem) => !problem.includes("favicon") && !problem.includes("404")), []);
    } finally {
      await browser.close();
    }
  });
}
