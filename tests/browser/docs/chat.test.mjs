// The Preact app of docs/chat.md, as it is written there: its own components between those of the package.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const program = blocks("docs/chat.md").find((code) => code.includes("threadkeep/preact"));
const place = blocks("docs/chat.md").find((code) => code.includes('class="threadkeep"'));
/** The agent, of which the page says only that there is one. */
const agent = `
import { Agent, LLM } from "threadkeep";
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", baseUrl: "/v1" }) });
`;

let server;
before(async () => {
  const page = pageOf({
    scripts: ["/files/main.js"],
    body: `<link rel="stylesheet" href="/files/main.css"><h1 id="own">A page</h1><button class="button" id="outside">Outside</button>${place}`,
  });
  server = await startServer({
    model: createModel(() => ({ text: "**Hello** to you." })),
    mounts: { "/files/": await appOf({ "main.tsx": program.replace(/^.*\n/, (pragma) => pragma + agent) }, ["main.tsx"]) },
    page,
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: components of an app and those of the package are one tree, and the styles stay inside`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const shows = (text) => untilIn(tab, `it shows “${text}”`, (wanted) => document.body.innerText.includes(wanted), text);
      await shows("How can I help?");
      assert.equal(await tab.$eval("#chat h1", ({ textContent }) => textContent), "A new chat");
      await tab.type("textarea", "Hello there");
      await tab.keyboard.press("Enter");
      await shows("Hello to you.");
      await untilIn(tab, "the chat has a title", () => document.querySelector("#chat h1").textContent === "Hello there");
      await tab.waitForSelector(".prose strong");

      const keep = await untilIn(tab, "there is a button “Keep”", () =>
        [...document.querySelectorAll("#chat button")].find((button) => button.textContent === "Keep"),
      );
      await keep.click();
      assert.equal(await tab.evaluate(() => localStorage.getItem("kept") !== null), true);

      const styles = await tab.evaluate(() => {
        const of = (selector) => getComputedStyle(document.querySelector(selector));
        return {
          inside: of("#chat .button").borderRadius,
          outside: of("#outside").borderRadius,
          headingInside: of("#chat h1").marginTop,
          headingOutside: of("#own").marginTop,
          leaked: getComputedStyle(document.documentElement).getPropertyValue("--paper"),
        };
      });
      assert.equal(styles.inside, "10px");
      assert.notEqual(styles.outside, "10px");
      assert.equal(styles.headingInside, "0px");
      assert.notEqual(styles.headingOutside, "0px");
      assert.equal(styles.leaked, "");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
