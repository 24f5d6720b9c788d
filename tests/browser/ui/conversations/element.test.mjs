// `<threadkeep-conversations>` and the page around it: what it does to a chat, links in place of one, its texts, its properties, and its
// component in a Preact app.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { root } from "../../../../scripts/process.mjs";
import { appOf } from "../../../support/documented.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { startList } from "./page.mjs";

let served;
before(async () => (served = await startList("element")));
after(() => {
  rmSync(served.folder, { recursive: true, force: true });
  return served.close();
});

test("a server can import the entry: nothing is defined, nothing fails", async () => {
  const { ThreadkeepConversations, defineConversations } = await import(`${root}/dist/conversations.js`);
  assert.equal(typeof ThreadkeepConversations, "function");
  defineConversations("other-name");
  assert.equal(globalThis.customElements, undefined);
});

for (const kind of availableBrowsers) {
  test(`${kind}: the element drives a chat, or links, and follows its properties`, async (context) => {
    const browser = await tabs(kind);
    const step = served.stepsOf(context, browser);
    const isMarked = (page, title) =>
      page.until(`“${title}” is marked`, (title) => one("[aria-current] .conversation-title")?.textContent === title, title);
    try {
      await step("a chat has what the user chooses, and what begins in it is listed and marked", "", async (page) => {
        await page.shows(/Nothing here yet/, ".conversations-list");
        await page.page.setViewport({ width: 1280, height: 800 });
        await page.until("one can write", () => chat.shadowRoot.querySelector("textarea:not([disabled])"));
        await page.get(() => chat.shadowRoot.querySelector("textarea").focus());
        await page.page.keyboard.type("A new one");
        await page.page.keyboard.press("Enter");
        await isMarked(page, "A new one");
        await page.until("it is answered", () => /Hello to you/.test(chat.shadowRoot.textContent));
        await page.press("New conversation");
        await page.until("a new one is shown, in which one writes", () => {
          const field = chat.shadowRoot.activeElement;
          return !one("[aria-current]") && field?.matches("textarea") && !/Hello to you/.test(chat.shadowRoot.textContent);
        });
        await page.get(() => one(".conversation").click());
        await isMarked(page, "A new one");
        await page.until("it is shown", () => /Hello to you/.test(chat.shadowRoot.textContent));
        // The page may do something else with a choice.
        await page.get(() => list.addEventListener("conversation-select", (event) => event.preventDefault(), { once: true }));
        await page.press("New conversation");
        assert.equal(await page.get(() => chat.hasAttribute("conversation-id")), true);
        assert.deepEqual((await page.get(() => window.events)).at(-1), ["select", { conversationId: null, eventId: null }]);
      });

      await step("without a chat the rows are links, or tell of what was chosen", "?links", async (page) => {
        await page.until("it is listed", () => one("a.conversation"));
        await page.get(() => one("a.conversation").click());
        await isMarked(page, "A new one");
        assert.match(await page.get(() => location.hash), /^#[\w-]{36}$/);
        await page.act("A new one", "Delete");
        await page.until("the address is that of a new one", () => location.hash === "");
        await page.press("Undo: “A new one” was moved to the trash");
        await isMarked(page, "A new one");
        await page.get(() => (list.linkOf = undefined));
        await page.until("it is a button", () => one("button.conversation"));
        await page.get(() => one("button.conversation").click());
        assert.equal((await page.get(() => window.events)).at(-1)[0], "select");
      });

      await step("texts and times of another language, another store, and another name", "?german", async (page) => {
        await page.shows(/Neues Gespräch.*Heute.*A new one.*gerade eben|Neues Gespräch.*Heute.*A new one.*vor/);
        await page.get(async () => {
          const { memoryStore } = await import("/threadkeep/index.js");
          list.store = memoryStore();
        });
        await page.shows(/Nothing here yet/);
        await page.get(() => (list.store = undefined));
        await page.shows(/A new one/);
        const isOther = await page.get(async () => {
          const { defineConversations } = await import("/threadkeep/conversations.js");
          defineConversations("my-list");
          document.querySelector("main").replaceChildren(document.createElement("my-list"));
          await new Promise(requestAnimationFrame);
          return document.querySelector("my-list").shadowRoot.querySelector("nav") !== null;
        });
        assert.equal(isOther, true);
        assert.equal(
          await page.get(() => {
            try {
              list.chat = 7;
              return undefined;
            } catch ({ code }) {
              return code;
            }
          }),
          "invalid_options",
        );
      });
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: the list is a component of a Preact app`, async (context) => {
    const source = `/** @jsxImportSource preact */
      import { render } from "preact";
      import { useState } from "preact/hooks";
      import { ConversationsView } from "threadkeep/preact";
      import { Conversation } from "threadkeep";
      await Conversation.importJSON([{ role: "user", content: "Hello" }]);
      function App() {
        const [id, setId] = useState<string | null>(null);
        return <ConversationsView conversationId={id} onSelect={({ conversationId }) => setId(conversationId)}><p id="foot">Below</p></ConversationsView>;
      }
      render(<App />, document.querySelector("main")!);`;
    const html = `<!doctype html><html lang="en"><title>x</title><link rel="icon" href="data:,"><main class="threadkeep"></main><script type="module" src="/app/app.js"></script></html>`;
    const app = await appOf({ "app.tsx": source }, ["app.js"]);
    const page = (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true);
    const server = await startServer({ model: createModel([]), mounts: { "/app/": app, "/app-page": page } });
    context.after(() => server.close());
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const tab = await browser.page(`${server.origin}/app-page`);
    await untilIn(tab, "it is listed", () => document.querySelector(".conversation") && document.querySelector("#foot"));
    await tab.evaluate(() => document.querySelector(".conversation").click());
    await untilIn(tab, "it is marked", () => document.querySelector(".conversation[aria-current]"));
    assert.deepEqual(browser.problems, []);
  });
}
