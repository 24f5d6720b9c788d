// The chat of docs/get-started.md, as it is written there. Only the model's server is a scripted one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [agent, page] = blocks("docs/get-started.md");
/** Calls a tool if the last message asks for it, and ends with its result. */
function reply({ input }) {
  const { type, content, output } = input.at(-1);
  if (type === "function_call_output") return { text: `Result: ${JSON.stringify(output)}` };
  const text = JSON.stringify(content);
  if (text.includes("dice")) return { calls: [{ name: "roll_dice", arguments: { sides: 6 } }] };
  if (text.includes("Ann")) return { calls: [{ name: "transfer_money", arguments: { to: "Ann", euros: 20 } }] };
  return { text: "Hello to you." };
}

let server;
before(async () => {
  const app = await appOf({ "agent.js": agent, "main.js": page }, ["main.js"]);
  server = await startServer({ model: createModel(reply), mounts: { "/app/": app }, page: pageOf({ scripts: ["/app/main.js"] }) });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: it streams, calls a tool, asks, and has everything after a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const shows = (text, page = tab) =>
        untilIn(page, `it shows “${text}”`, (wanted) => document.querySelector("main")?.textContent.includes(wanted), text);
      const send = async (text, page = tab) => {
        await page.type("form input", text);
        await page.click("form button");
      };
      await untilIn(tab, "the address has the conversation", () => location.hash.length > 1);
      await tab.type("[type=password]", "sk-typed");
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
      await tab.type("[type=password]", "sk-typed");
      await tab.click("main button");
      await shows("Transferred 20 euros to Ann.");
      // The second tab has no key: the first one answers what is sent there.
      const second = await browser.page(tab.url());
      await shows("Transferred 20 euros to Ann.", second);
      await send("Roll the dice again", second);
      for (const page of [second, tab]) {
        await shows("Roll the dice again", page);
        const rolled = () => document.querySelector("main").textContent.split("[roll_dice: done]").length === 3;
        await untilIn(page, "the dice have been rolled twice", rolled);
      }
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
