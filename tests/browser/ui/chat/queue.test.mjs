// Messages that are sent while the agent works: marked in <threadkeep-chat>, edited and taken back until it reads them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, ElementPage, pay, startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

const lastMessages = (model) => JSON.stringify(model.requests.at(-1).body.messages);

for (const kind of availableBrowsers) {
  test(`${kind}: messages sent while the agent works are marked, edited and taken back in <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

    await step("a message that waits is marked, edited and taken back, and nobody reads what was taken back", "", async (chat, model) => {
      model.add({ calls: [call("hang")] }, { text: "I have read one." });
      await chat.say("Begin");
      await chat.until("the tool runs", () => button("Stop") && one(".call")?.dataset.state === "running");
      await chat.say("Frist");
      await chat.say("Second");
      const queued = () => chat.get(() => all(".queued .message").map(({ textContent }) => textContent));
      await chat.until("both are marked", () => all(".queued .queued-mark").length === 2);
      const place = () =>
        chat.get(() => {
          const [composer, field, pause, stop, send] = ["", "-text", " .pause", " .stop", " .send"].map((name) =>
            one(`.composer${name}`).getBoundingClientRect(),
          );
          return {
            field: field.width / composer.width,
            isBeside: pause.top < field.bottom,
            isOneLine: [pause, stop, send].every(({ top, right }) => top === pause.top && right <= composer.right),
          };
        });
      for (const width of [320, 390]) {
        await chat.page.setViewport({ width, height: 800 });
        await chat.fill(".composer-text", "");
        assert.equal((await place()).isBeside, true, "while it is empty, all is one line");
        await chat.fill(".composer-text", "Third");
        const { field, ...buttons } = await place();
        assert.ok(field > 0.75, `the field has ${field} of ${width} pixels`);
        assert.deepEqual(buttons, { isBeside: false, isOneLine: true });
      }
      await chat.fill(".composer-text", "");
      await chat.page.setViewport({ width: 1280, height: 800 });
      const { isBeside, isOneLine } = await place();
      assert.deepEqual({ isBeside, isOneLine }, { isBeside: true, isOneLine: true });
      await chat.looksRight("messages that wait");
      await chat.press("Edit “Frist”");
      await chat.fill(".message-editor textarea", "First");
      await chat.looksRight("an editor of a message that waits");
      await chat.page.keyboard.press("Enter");
      await chat.until("it is edited", () => one(".message-editor") === null && all(".queued .message")[0]?.textContent === "First");
      assert.deepEqual(await queued(), ["First", "Second"], "it keeps its place");
      await chat.shows(/still waits/, ".announcements");
      await chat.fill(".composer-text", "Third");
      await chat.press("Take back “Second”");
      await chat.until(
        "its text is in the field again, before what was there",
        () => one(".composer-text").value === "Second\nThird" && focused().matches(".composer-text"),
      );
      await chat.until("it is gone", () => all(".queued .message").length === 1);
      assert.deepEqual(await queued(), ["First"]);
      await chat.fill(".composer-text", "");
      const stored = () => chat.get(async () => (await window.chat.thread.getSnapshot().conversation.queue.list()).length);
      assert.equal(await stored(), 1);
      await chat.press("Edit “First”");
      await chat.until("the editor is open", () => one(".message-editor"));
      await chat.get(() => window.chat.thread.stop());
      await chat.idle();
      await chat.until("the editor stays, and its message is read", () => one(".message-editor") && one(".queued") === null);
      await chat.page.keyboard.press("Escape");
      await chat.press("Continue");
      await chat.shows(/I have read one/);
      await chat.idle();
      assert.match(lastMessages(model), /First/);
      assert.doesNotMatch(lastMessages(model), /Frist|Second/);
    });

    await step("a message that waits for a decision is still there after a reload, and can be taken back", "", async (chat, model) => {
      model.add({ calls: [pay("Ann", 20)] }, { text: "Paid." });
      await chat.say("Pay Ann");
      await chat.shows(/A call waits for you/);
      await chat.say("And buy milk");
      await chat.press("Let the message wait");
      await chat.until("it waits", () => one(".queued .message")?.textContent === "And buy milk");
      await chat.reload();
      await chat.until("it still waits", () => one(".queued .message")?.textContent === "And buy milk");
      const other = new ElementPage(await browser.page(chat.page.url()), browser);
      await other.ready();
      await other.shows(/Runs in another tab/, ".home-line");
      await other.press("Take back “And buy milk”");
      await other.until("it is gone", () => one(".queued") === null && one(".composer-text").value === "And buy milk");
      await other.fill(".composer-text", "");
      await other.page.close();
      await chat.reload();
      await chat.shows(/A call waits for you/);
      assert.equal(await chat.get(() => one(".queued")), null);
      await chat.press("Approve transfer_money");
      await chat.shows(/Paid\./);
      assert.doesNotMatch(lastMessages(model), /milk/);
    });
  });
}
