// <threadkeep-chat> as an element: what it opens and closes, and the example of a plain page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { root } from "../../../../scripts/process.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";

test("a server can import the entry: nothing is defined, nothing fails", async () => {
  const { ThreadkeepChat, defineChat } = await import(`${root}/dist/chat.js`);
  assert.equal(typeof ThreadkeepChat, "function");
  defineChat("other-name");
  assert.equal(globalThis.customElements, undefined);
});

for (const kind of availableBrowsers) {
  test(`${kind}: the element opens, closes and follows its properties`, async (context) => {
    const server = await startServer({ model: createModel([]) });
    context.after(() => server.close());
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    const found = await page.evaluate(async () => {
      const { Agent, LLM, indexedDBStore } = await import("/threadkeep/index.js");
      const store = indexedDBStore(crypto.randomUUID());
      const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1" }) });
      const opened = (chat) =>
        new Promise((resolve, reject) => {
          chat.addEventListener("conversation-open", ({ detail }) => resolve(detail.conversationId), { once: true });
          chat.addEventListener("conversation-error", ({ detail }) => reject(detail.error), { once: true });
        });
      // Set before the element is defined.
      const chat = document.createElement("threadkeep-chat");
      chat.options = { agent, store };
      document.body.append(chat);
      const first = opened(chat);
      const { defineChat } = await import("/threadkeep/chat.js");
      const id = await first;
      const results = { isNamed: chat.getAttribute("conversation-id") === id };
      // A page's corners are those of the composer too.
      const composer = chat.shadowRoot.querySelector(".composer");
      const corners = () => [composer, composer.querySelector(".button")].map((element) => getComputedStyle(element).borderRadius);
      results.corners = [corners()];
      chat.style.setProperty("--threadkeep-radius", "0px");
      results.corners.push(corners());
      // Moving it in the document keeps the conversation.
      const thread = chat.thread;
      const place = document.body.appendChild(document.createElement("div"));
      place.append(chat);
      await new Promise(requestAnimationFrame);
      results.isKept = chat.thread === thread && thread.getSnapshot().phase === "open";
      // Another id opens another conversation, and closes this one.
      const second = opened(chat);
      const other = crypto.randomUUID();
      chat.setAttribute("conversation-id", other);
      results.isOther = (await second) === other && chat.thread !== thread;
      results.closed = thread.getSnapshot().phase;
      const last = chat.thread;
      chat.remove();
      await new Promise(requestAnimationFrame);
      results.left = [last.getSnapshot().phase, chat.thread];
      // Texts of another language, another name, and a failure.
      defineChat("my-chat");
      const named = document.createElement("my-chat");
      named.labels = { send: "Senden", messages: "Nachrichten" };
      named.options = { agent, store };
      document.body.append(named);
      await opened(named);
      await new Promise(requestAnimationFrame);
      results.labels = [
        named.shadowRoot.querySelector(".send").textContent,
        named.shadowRoot.querySelector(".scroller").getAttribute("aria-label"),
      ];
      const failing = document.createElement("my-chat");
      failing.options = { agent, store, mistake: 1 };
      document.body.append(failing);
      results.failure = await opened(failing).catch(({ code }) => code);
      document.body.replaceChildren();
      return results;
    });
    assert.deepEqual(found, {
      isNamed: true,
      corners: [
        ["16px", "11px"],
        ["0px", "0px"],
      ],
      isKept: true,
      isOther: true,
      closed: "closed",
      left: ["closed", null],
      labels: ["Senden", "Nachrichten"],
      failure: "invalid_options",
    });
    assert.deepEqual(browser.problems, []);
  });

  test(`${kind}: other options apply to the conversation that is open`, async (context) => {
    const model = createModel(({ model: name }) => ({ text: `I am ${name}.` }));
    const server = await startServer({ model });
    context.after(() => server.close());
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    const found = await page.evaluate(async () => {
      const { Agent, LLM } = await import("/threadkeep/index.js");
      await import("/threadkeep/chat.js");
      const chat = document.body.appendChild(document.createElement("threadkeep-chat"));
      const ids = [];
      for (const model of ["openai/first", "openai/second"]) {
        const opened = new Promise((resolve) => chat.addEventListener("conversation-open", resolve, { once: true }));
        chat.options = { agent: new Agent({ llm: new LLM({ model, baseUrl: "/v1" }) }) };
        ids.push((await opened).detail.conversationId);
        const { conversation } = chat.thread.getSnapshot();
        await conversation.sendMessage("Who are you?");
        await conversation.run();
      }
      const { messages } = chat.thread.getSnapshot();
      return [ids[0] === ids[1], messages.filter(({ role }) => role === "assistant").map(({ parts }) => parts[0].text)];
    });
    assert.deepEqual(found, [true, ["I am first.", "I am second."]]);
    assert.deepEqual(browser.problems, []);
  });

  test(`${kind}: the example goes on after a reload in the middle of a call`, async (context) => {
    const model = createModel([
      { text: "I roll.", calls: [{ name: "roll_dice", arguments: { count: 2 } }] },
      { text: "There **they** are." },
    ]);
    const server = await startServer({ model, mounts: { "/node_modules/threadkeep/dist/": "dist", "/element/": "examples/element" } });
    context.after(() => server.close());
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/element/index.html`);
    const until = (body) => untilIn(page, String(body), body);
    const press = (name) =>
      page.evaluate(
        (name) =>
          [...document.querySelector("threadkeep-chat").shadowRoot.querySelectorAll("button")]
            .find(({ textContent }) => textContent === name)
            .click(),
        name,
      );
    await until(() => location.hash.length > 30 && document.querySelector("threadkeep-chat").shadowRoot.querySelector("slot[name=empty]"));
    await photograph({ page }, `element-empty-${kind}`);
    await page.evaluate(() => document.querySelector("threadkeep-chat").shadowRoot.querySelector("textarea").focus());
    await page.keyboard.type("Two dice, please");
    await page.keyboard.press("Enter");
    await until(() => document.querySelector("threadkeep-chat").shadowRoot.querySelector(".ask"));
    await photograph({ page }, `element-${kind}`);
    await page.reload();
    await until(() => document.querySelector("threadkeep-chat")?.shadowRoot?.querySelector(".ask"));
    await press("Approve");
    await until(() => document.querySelector("threadkeep-chat").shadowRoot.querySelector(".items").textContent.includes("There they are."));
    const shown = await page.evaluate(() =>
      [...document.querySelector("threadkeep-chat").shadowRoot.querySelectorAll(".entry .plain-text")].map(
        ({ textContent }) => textContent,
      ),
    );
    assert.match(shown.join(), /^[⚀-⚅] [⚀-⚅]$/u);
    assert.deepEqual(browser.problems, []);
    model.check();
  });
}
