// The page of docs/model-settings.md, as it is written there: a model is chosen, and the chat is answered by it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [body, program] = blocks("docs/model-settings.md");

let server;
before(async () => {
  server = await startServer({
    model: createModel(({ model }) => ({ text: `I am ${model}.` })),
    mounts: { "/files/": await appOf({ "main.js": program }, ["main.js"]) },
    page: pageOf({ scripts: ["/files/main.js"], body: body.replace(/<script.*<\/script>/, "") }),
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the settings drive the chat by two lines`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const settings = (selector) => tab.waitForSelector(`threadkeep-model >>> ${selector}`);
      await (await settings("[name=provider]")).select("other");
      await (await settings("[name=base-url]")).type(`${server.origin}/v1`);
      await (await settings("[name=model]")).type("openai/small");
      await (await settings("[type=submit]")).click();
      await (await tab.waitForSelector("threadkeep-chat >>> textarea")).type("Who are you?\n");
      await untilIn(tab, "it answers", () =>
        document.querySelector("threadkeep-chat").shadowRoot.querySelector(".items")?.textContent.includes("I am small."),
      );
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
