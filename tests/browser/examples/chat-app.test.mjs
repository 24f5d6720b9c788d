// The page examples/chat-app, a chat application in thirty lines: what is written is listed, found, left and opened again, also after a
// reload and with the browser's back button.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { blocks } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { faultsOf } from "../../support/browser/axe.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { photograph, tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const source = readFileSync(path.join(root, "examples/chat-app/index.html"), "utf8");

test("it has thirty lines, and docs/conversations.md shows all of them", () => {
  assert.ok(source.trimEnd().split("\n").length <= 30);
  assert.ok(blocks("docs/conversations.md").includes(source));
});

let server;
before(async () => {
  const model = createModel(() => ({ text: "Hello to **you**." }));
  server = await startServer({ model, page: "examples/chat-app", mounts: { "/node_modules/threadkeep/dist/": "dist" } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: examples/chat-app lists what is written, and opens it again`, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/`);
      const until = (what, condition, ...args) => untilIn(page, what, condition, ...args);
      const shows = (element, text) =>
        until(
          `${element} shows “${text}”`,
          (name, text) => document.querySelector(name).shadowRoot?.textContent.includes(text),
          element,
          text,
        );
      const list = (body) => page.evaluate(`(${body})(document.querySelector("threadkeep-conversations").shadowRoot)`);
      const canWrite = () =>
        until("one can write", () => {
          const { shadowRoot, thread } = document.querySelector("threadkeep-chat");
          return thread?.getSnapshot().phase === "open" && shadowRoot.querySelector("textarea:not([disabled])");
        });
      const say = async (text) => {
        await canWrite();
        await page.evaluate(() => document.querySelector("threadkeep-chat").shadowRoot.querySelector("textarea").focus());
        await page.keyboard.type(text);
        await page.keyboard.press("Enter");
        await shows("threadkeep-conversations", text);
        await until("it is answered", () => {
          const { shadowRoot, thread } = document.querySelector("threadkeep-chat");
          return !thread.getSnapshot().isRunning && shadowRoot.querySelector(".prose strong");
        });
      };
      await shows("threadkeep-conversations", "Nothing here yet");
      await canWrite();
      assert.deepEqual(await faultsOf(page), []);
      await say("A bike tour");
      const first = await page.evaluate(() => location.hash);
      await list((view) => view.querySelector(".conversations-begin").click());
      await until("a new one is open", (first) => location.hash !== first, first);
      await say("Dinner for six");
      await page.reload();
      await shows("threadkeep-chat", "Dinner for six");
      await until("it is marked in the list", () =>
        document.querySelector("threadkeep-conversations").shadowRoot.querySelector("[aria-current]")?.textContent.startsWith("Dinner"),
      );
      await list((view) => view.querySelectorAll(".conversation")[1].click());
      await shows("threadkeep-chat", "A bike tour");
      assert.equal(await page.evaluate(() => location.hash), first);
      await page.goBack();
      await shows("threadkeep-chat", "Dinner for six");
      for (const width of [1280, 390]) {
        await page.setViewport({ width, height: 800 });
        await photograph({ page }, `chat-app-${width}-${kind}`);
      }
      // On a narrow screen a choice brings the chat into sight, beside which the list is.
      await list((view) => view.querySelectorAll(".conversation")[1].click());
      await until("the chat is in sight", () => document.querySelector("main").getBoundingClientRect().left < 90);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
