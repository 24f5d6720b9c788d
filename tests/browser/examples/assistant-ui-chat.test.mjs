// examples/assistant-ui-chat: the components of assistant-ui on conversations of this library.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { before, test } from "node:test";
import { example } from "../../support/example.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { photograph, tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

let app;
before(async () => (app = await example("assistant-ui-chat")));

const mail = (to) => ({ calls: [{ name: "send_mail", arguments: { to, text: "Hi" } }] });

/** A page of the app, as its user sees it. */
class ChatPage {
  constructor(page) {
    this.page = page;
  }

  /** Resolves when the page shows this text, or none of it. */
  shows(text, selector = "#app") {
    return this.#until(
      `shows ${text}`,
      (text, selector) => [...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)),
      text,
      selector,
    );
  }

  gone(text, selector = "#app") {
    return this.#until(
      `no longer shows ${text}`,
      (text, selector) => ![...document.querySelectorAll(selector)].some((element) => element.textContent.includes(text)),
      text,
      selector,
    );
  }

  /** The texts of the messages, in order. */
  async messagesAre(...expected) {
    await this.#until(
      `shows the messages ${expected}`,
      (expected) => {
        return JSON.stringify([...document.querySelectorAll(".viewport .content")].map(({ textContent }) => textContent)) === expected;
      },
      JSON.stringify(expected),
    );
  }

  async press(name, within = "#app") {
    const find = (name, within) =>
      [...document.querySelectorAll(`${within} button`)].findLast(
        (button) => !button.disabled && (button.getAttribute("aria-label") ?? button.textContent) === name,
      );
    await this.#until(
      `has a button ${name}`,
      (name, within) =>
        [...document.querySelectorAll(`${within} button`)].some(
          (button) => !button.disabled && (button.getAttribute("aria-label") ?? button.textContent) === name,
        ),
      name,
      within,
    );
    const button = await this.page.evaluateHandle(find, name, within);
    await button.asElement().evaluate((button) => button.click());
  }

  async type(text, label = "Message") {
    const field = await this.page.waitForSelector(`textarea[aria-label="${label}"]:not(:disabled)`);
    await field.evaluate((field) => field.select());
    await field.type(text);
  }

  async ask(text) {
    await this.type(text);
    await this.press("Send");
  }

  async #until(what, condition, ...args) {
    await untilIn(this.page, `it ${what}`, condition, ...args);
  }
}

for (const kind of availableBrowsers) {
  test(`${kind}: the components of examples/assistant-ui-chat show conversations of this library`, async (context) => {
    const model = createModel([]);
    const server = await startServer({ model, mounts: { "/chat/": app } });
    context.after(() => server.close());
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const url = `${server.origin}/chat/`;
    const open = async (address = url) => new ChatPage(await browser.page(address));
    const step = (name, body) =>
      context.test(name, async () => {
        await body();
        assert.deepEqual(browser.problems.splice(0), []);
        model.check();
      });

    await step("an answer streams, and is there after a reload", async () => {
      const page = await open();
      let finish;
      const rest = new Promise((resolve) => (finish = resolve));
      model.add({ reasoning: ["Let me ", "think."], text: ["The answer ", "is ", "42."], pace: (write) => (write < 4 ? undefined : rest) });
      await page.ask("What is 6 * 7?");
      await page.shows("The answer", ".assistant");
      await page.shows("Stop", "form");
      await page.gone("42.", ".assistant");
      finish();
      await page.shows("The answer is 42.", ".assistant");
      await page.shows("Let me think.", ".reasoning");
      await page.shows("Send", "form");
      await page.shows("What is 6 * 7?", "aside");
      await page.page.reload();
      await page.messagesAre("What is 6 * 7?", "Let me think.The answer is 42.");
      await photograph(page, `assistant-ui-${kind}`);
    });

    await step("a tool's result has the form in which it was returned", async () => {
      const page = await open();
      model.add({ text: "I look.", calls: [{ name: "get_weather", arguments: { city: "Bern" } }] }, { text: "It is clear." });
      await page.ask("Weather in Bern?");
      await page.shows("It is clear.", ".assistant");
      await page.shows('{"city":"Bern","celsius":21,"sky":"clear"}', ".result");
    });

    await step("calls run when the user allows them, one by one, and not when the user denies them", async () => {
      const page = await open();
      model.add({ calls: [...mail("ann").calls, ...mail("bob").calls] });
      await page.ask("Write to Ann and Bob");
      await page.shows("May this call run?", ".tool");
      await page.page.reload();
      await page.shows("May this call run?", ".tool");
      // A message would leave the question open.
      await untilIn(page.page, "no message can be sent", () => document.querySelector("form .primary").disabled);
      await photograph(page, `assistant-ui-approval-${kind}`);
      await page.press("Deny", ".tool:last-of-type");
      await page.shows("The user said no", ".tool .error");
      model.add({ text: "Ann has it." });
      await page.press("Allow", ".tool");
      await page.shows("sent to ann", ".result");
      await page.shows("Ann has it.", ".assistant");
      model.add({ calls: [...mail("eve").calls, ...mail("fay").calls] }, { text: "Both have it." });
      await page.ask("Both");
      await page.shows("fay", ".tool");
      await page.shows("May this call run?", ".tool");
      await page.page.$$eval(".tool button.primary", (buttons) => buttons.forEach((button) => button.click()));
      await page.shows("Both have it.", ".assistant");
      model.add(mail("cid"));
      await page.ask("And Cid");
      model.add({ text: "Cid has it." });
      await page.press("Always allow");
      await page.shows("Cid has it.", ".assistant");
      model.add(mail("dan"), { text: "Dan has it." });
      await page.ask("And Dan");
      await page.shows("Dan has it.", ".assistant");
    });

    await step("an edited message and a new answer are branches, which the picker shows, also after a reload", async () => {
      const page = await open();
      model.add({ text: "Answer one." });
      await page.ask("Question one");
      await page.shows("Answer one.", ".assistant");
      model.add({ text: "Answer two." });
      await page.press("Edit");
      await page.type("Question two", "Edited message");
      await page.press("Save");
      await page.messagesAre("Question two", "Answer two.");
      await page.shows("2/2", ".user .branches");
      model.add({ text: "Answer three." });
      await page.press("Try again");
      await page.messagesAre("Question two", "Answer three.");
      await page.shows("2/2", ".assistant .branches");
      await page.page.reload();
      await page.shows("2/2", ".assistant .branches");
      await photograph(page, `assistant-ui-branches-${kind}`);
      await page.press("Previous version", ".assistant");
      await page.messagesAre("Question two", "Answer two.");
      await page.shows("1/2", ".assistant .branches");
      await page.press("Previous version", ".user");
      await page.messagesAre("Question one", "Answer one.");
      await page.shows("1/2", ".user .branches");
      await page.press("Next version", ".user");
      await page.shows("2/2", ".user .branches");
      await page.shows("Question two", ".user");
    });

    await step("an earlier message is answered again", async () => {
      const page = await open();
      for (const word of ["one", "two"]) {
        model.add({ text: `Answer ${word}.` });
        await page.ask(`Question ${word}`);
        await page.shows(`Answer ${word}.`, ".assistant");
        await page.shows("Send", "form");
      }
      model.add({ text: "Another answer." });
      await page.press("Try again", ".assistant:nth-child(2)");
      await page.messagesAre("Question one", "Another answer.");
      await page.shows("2/2", ".assistant .branches");
    });

    await step("an image is sent, and is there after a reload", async () => {
      const page = await open();
      await page.type("Look");
      await page.page.evaluate(async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 2, height: 2 });
        const blob = await new Promise((resolve) => canvas.toBlob(resolve));
        // The dialog of the browser would open here.
        HTMLInputElement.prototype.click = function () {
          const chosen = new DataTransfer();
          chosen.items.add(new File([blob], "dot.png", { type: "image/png" }));
          this.files = chosen.files;
          this.dispatchEvent(new Event("change"));
        };
      });
      await page.press("Add a file");
      await page.shows("dot.png", "form");
      model.add({ text: "A dot." });
      await page.press("Send");
      await page.shows("A dot.", ".assistant");
      const { content } = model.requests.at(-1).body.messages.at(-1);
      assert.match(content.find(({ type }) => type === "image_url").image_url.url, /^data:image\/png;base64,/);
      await page.page.reload();
      await page.page.waitForSelector(".user img[src^='data:image/png']");
    });

    await step("the list leads from one conversation to the other, and to a new one", async () => {
      const page = await open();
      model.add({ text: "First answer." }, { text: "Second answer." });
      await page.ask("First chat");
      await page.shows("First answer.", ".assistant");
      await page.press("New chat", "aside");
      await page.messagesAre();
      await page.ask("Second chat");
      await page.shows("Second answer.", ".assistant");
      await page.press("First chat", "aside");
      await page.messagesAre("First chat", "First answer.");
      await page.press("Second chat", "aside");
      await page.messagesAre("Second chat", "Second answer.");
      await page.press("Archive First chat", "aside");
      await page.gone("First chat", "aside");
      await page.press("Delete Second chat", "aside");
      await page.gone("Second chat", "aside");
      await page.messagesAre();
    });

    await step("another conversation can be read while an answer streams", async () => {
      const page = await open();
      let finish;
      const rest = new Promise((resolve) => (finish = resolve));
      model.add({ text: ["A long ", "answer."], pace: (write) => (write < 2 ? undefined : rest) });
      await page.ask("Slow chat");
      await page.shows("A long", ".assistant");
      await page.press("New chat", "aside");
      await page.messagesAre();
      finish();
      await page.press("Slow chat", "aside");
      await page.messagesAre("Slow chat", "A long answer.");
    });

    await step("a stopped run keeps the message, and goes on", async () => {
      const page = await open();
      model.add({ text: "Never seen.", stallAfter: 0 });
      const asked = model.arrived(model.requests.length + 1);
      await page.ask("Wait");
      await asked;
      await page.press("Stop");
      await page.shows("The agent has not finished.");
      await page.messagesAre("Wait", "");
      model.add({ text: "Here I am." });
      await page.press("Continue");
      await page.shows("Here I am.", ".assistant");
      await page.gone("The agent has not finished.");
    });

    await step("the failure of a model is shown", async () => {
      const page = await open();
      model.add({ status: 401, body: { error: { message: "wrong key" } } });
      await page.ask("Hello");
      await page.shows("wrong key", ".error");
      browser.problems.splice(0);
    });

    await context.test("a browser that is killed in an answer offers to continue, and nothing runs before that", async () => {
      const profile = mkdtempSync(path.join(tmpdir(), "threadkeep-assistant-ui-"));
      model.add({ text: ["Half an ", "answer."], stallAfter: 2 });
      const first = await launch(kind, { profile });
      let page = new ChatPage(await first.page(url));
      await page.ask("Tell me all");
      await page.shows("Half an", ".assistant");
      const address = page.page.url();
      await first.kill();
      const asked = model.requests.length;
      const second = await launch(kind, { profile });
      context.after(async () => {
        await second.close();
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      });
      page = new ChatPage(await second.page(address));
      await page.shows("The agent has not finished.");
      await page.messagesAre("Tell me all");
      assert.equal(model.requests.length, asked);
      model.add({ text: "The whole answer." });
      await page.press("Continue");
      await page.messagesAre("Tell me all", "The whole answer.");
      assert.deepEqual(second.problems, []);
      model.check();
    });
  });
}
