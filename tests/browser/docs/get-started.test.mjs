// The two chats of docs/get-started.md, as they are written there: the element, and a view of the app's own. Only the model's server is a scripted one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [element, first, agent, page] = blocks("docs/get-started.md");
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
let firstServer;
before(async () => {
  const app = await appOf({ "agent.js": agent, "main.js": page }, ["main.js"]);
  const pages = pageOf({ scripts: ["/app/main.js"], typed: "sk-typed" });
  server = await startServer({ model: createModel(reply), mounts: { "/app/": app }, page: pages });
  const firstApp = await appOf({ "main.js": first }, ["main.js"]);
  const firstPage = pageOf({ scripts: ["/app/main.js"], body: element, typed: "sk-typed" });
  firstServer = await startServer({ model: createModel(reply), mounts: { "/app/": firstApp }, page: firstPage });
});
after(() => Promise.all([server.close(), firstServer.close()]));

for (const kind of availableBrowsers) {
  test(`${kind}: the element asks for a key once, answers, and has everything after a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${firstServer.origin}/`);
      const shows = (text) =>
        untilIn(
          tab,
          `it shows “${text}”`,
          (wanted) => document.querySelector("threadkeep-chat")?.shadowRoot?.textContent.includes(wanted),
          text,
        );
      const field = await tab.waitForSelector("threadkeep-chat >>> textarea");
      for (const text of ["Good day", "And another"]) {
        await field.type(text);
        await field.press("Enter");
        await shows(text);
        await untilIn(tab, "it is answered", isAnswered, text);
      }
      assert.equal(await tab.evaluate(() => globalThis.timesAsked), 1);
      await tab.reload();
      await shows("And another");
      await shows("Hello to you.");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: it streams, calls a tool, asks, and has everything after a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const shows = (text, page = tab) =>
        untilIn(page, `it shows “${text}”`, (wanted) => document.querySelector("main")?.textContent.includes(wanted), text);
      // By the keyboard: the button moves when the line above it ends, and a click at its old place sends nothing.
      const send = (text, page = tab) => page.type("form input", `${text}\n`);
      await untilIn(tab, "the address has the conversation", () => location.hash.length > 1);
      const says = (text) =>
        untilIn(tab, `its line says “${text}”`, (wanted) => document.querySelector("[role=status]").textContent === wanted, text);
      await send("Hello");
      await shows("Hello to you.");
      await says("");
      await send("Roll the dice");
      await shows("[roll_dice: done]");
      await shows("Result:");
      await send("Pay Ann");
      await shows("Allow transfer_money");
      await says("It waits for your decision.");
      await tab.reload();
      await shows("Allow transfer_money");
      await shows("Hello to you.");
      await tab.click("main button");
      await shows("Transferred 20 euros to Ann.");
      // The first tab answers what is sent in the second one, which is asked for no key.
      const second = await browser.page(tab.url());
      await shows("Transferred 20 euros to Ann.", second);
      await send("Roll the dice again", second);
      for (const page of [second, tab]) {
        await shows("Roll the dice again", page);
        const rolled = () => document.querySelector("main").textContent.split("[roll_dice: done]").length === 3;
        await untilIn(page, "the dice have been rolled twice", rolled);
      }
      assert.equal(await second.evaluate(() => globalThis.timesAsked), 0);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Whether the answer to the message of this text is there, behind it. */
function isAnswered(text) {
  const shown = document.querySelector("threadkeep-chat").shadowRoot.textContent;
  return shown.lastIndexOf("Hello to you.") > shown.lastIndexOf(text);
}
