// The examples of docs/conversations.md beside the application, as they are written there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { exampleNamed, examplesIn } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const text = readFileSync(path.join(root, "docs/conversations.md"), "utf8");
const [links, select] = ["links", "select"].map((name) => exampleNamed(text, name));
const labels = examplesIn(text).find((code) => code.includes("labels ="));

let server;
before(async () => (server = await startServer({ model: createModel([]) })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of conversations.md`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    const run = (code) => page.evaluate((code) => new Function("output", code)((window.output ??= {})), code);
    const until = (what, condition) => untilIn(page, what, condition);
    const click = (selector) =>
      page.evaluate((selector) => document.querySelector("threadkeep-conversations").shadowRoot.querySelector(selector).click(), selector);
    await page.evaluate(async () => {
      const { Conversation } = await import("/threadkeep/index.js");
      await Conversation.importJSON([{ role: "user", content: "Hello" }]);
      await import("/threadkeep/conversations.js");
      document.body.append(document.createElement("threadkeep-conversations"));
    });
    await until("it is listed", () => document.querySelector("threadkeep-conversations").shadowRoot.querySelector(".conversation"));
    await run(select);
    await click(".conversations-begin");
    assert.equal(await page.evaluate(() => window.output.value), "a new conversation");
    await run(links);
    await run(labels);
    await until("rows are links", () => document.querySelector("threadkeep-conversations").shadowRoot.querySelector("a.conversation"));
    await click(".conversation");
    await until("it is marked", () => document.querySelector("threadkeep-conversations").shadowRoot.querySelector("[aria-current]"));
    assert.match(await page.evaluate(() => location.hash), /^#\/[\w-]{36}\/$/);
    await until("it is German", () =>
      /Neues Gespräch.*Heute/.test(document.querySelector("threadkeep-conversations").shadowRoot.textContent),
    );
    assert.deepEqual(browser.problems, []);
  });
}
