// Links to an event: the element reads earlier messages until it is there, scrolls to it, marks it, and copies links of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";

const questions = 30;

for (const kind of availableBrowsers) {
  test(`${kind}: the element shows the event of a link`, async (context) => {
    const answers = Array.from({ length: questions }, (_, number) => ({ text: `Answer ${number}. ${"More of it. ".repeat(60)}` }));
    const model = createModel(answers);
    const server = await startServer({ model });
    const browser = await tabs(kind);
    context.after(async () => {
      await browser.close();
      await server.close();
    });
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    await page.setViewport({ width: 800, height: 700 });
    const ids = await page.evaluate(async (questions) => {
      const { Agent, Conversation, LLM, memoryStore } = await import("/threadkeep/index.js");
      await import("/threadkeep/chat.js");
      const store = memoryStore();
      const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: "/v1" }) });
      const conversation = await Conversation.open({ agent, store });
      const asked = [];
      for (let number = 0; number < questions; number++) {
        asked.push((await conversation.sendMessage(`Question ${number}`)).id);
        await conversation.run();
      }
      const answered = (await conversation.events.slice()).filter(({ kind, source }) => kind === "MessageEvent" && source === "agent");
      await conversation.close();
      window.chat = document.createElement("threadkeep-chat");
      window.missing = [];
      chat.style.height = "700px";
      chat.setAttribute("conversation-id", conversation.id);
      chat.setAttribute("event-id", asked[3]);
      chat.addEventListener("event-missing", ({ detail }) => missing.push(detail.eventId));
      chat.linkOf = (eventId) => `https://example.org/#${eventId}`;
      // Most of the conversation is not loaded.
      chat.options = { agent, store, pageSize: 10 };
      document.body.append(chat);
      return { asked, answered: answered.map(({ id }) => id) };
    }, questions);
    /** Its row is marked and stands where it was scrolled to, with some space above it. */
    const isShown = (text) =>
      untilIn(
        page,
        `“${text}” is marked and in place`,
        (text) => {
          const marked = [...chat.shadowRoot.querySelectorAll(".row.marked")];
          const scroller = chat.shadowRoot.querySelector(".scroller")?.getBoundingClientRect();
          const place = marked[0]?.getBoundingClientRect();
          return marked.length === 1 && marked[0].textContent.includes(text) && Math.abs(place.top - scroller.top - 24) < 3;
        },
        text,
      );
    await isShown("Question 3");
    const stays = await page.evaluate(async () => {
      const top = () => Math.round(chat.shadowRoot.querySelector(".row.marked").getBoundingClientRect().top);
      const before = top();
      for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
      return [before, top()];
    });
    assert.ok(Math.abs(stays[0] - stays[1]) < 3, `nothing scrolls away from it: ${stays}`);

    await page.evaluate((id) => chat.setAttribute("event-id", id), ids.answered[20]);
    await isShown("Answer 20.");
    assert.deepEqual(await page.evaluate(() => missing), []);

    const copied = await page.evaluate(async () => {
      const copies = [];
      Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void copies.push(text) }, configurable: true });
      const row = chat.shadowRoot.querySelector(".row.marked");
      row.querySelector('[data-verb="link"]').click();
      const { until } = await import("/support/until.mjs");
      await until(() => copies.length > 0, "the link is copied");
      return copies;
    });
    assert.deepEqual(copied, [`https://example.org/#${ids.answered[20]}`]);

    await page.evaluate(() => chat.setAttribute("event-id", "0f8fad5b-d9cb-469f-a165-70867728950e"));
    await untilIn(page, "it is missing, and nothing marked", () => missing.length > 0 && !chat.shadowRoot.querySelector(".marked"));
    const after = await page.evaluate(() => ({ missing, marked: chat.shadowRoot.querySelectorAll(".marked").length }));
    assert.deepEqual(after, { missing: ["0f8fad5b-d9cb-469f-a165-70867728950e"], marked: 0 });
    assert.deepEqual(browser.problems.splice(0), []);
  });
}
