// Images in the demo page: chosen, pasted, dropped, taken back, sent and shown.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { DemoPage, startDemo } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

const picture = path.join(root, "docs/demo.png");

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: images are chosen, pasted, dropped, taken back, sent and shown in the demo`, async (context) => {
    const browser = await tabs(kind);
    const step = (name, body) => context.test(name, body);
    const names = (page) => page.page.$$eval(".attachment-name", (names) => names.map(({ textContent }) => textContent));
    try {
      const page = await DemoPage.open(browser, `${demo.origin}/#/`);
      await step("an image is dropped, chosen and pasted", async () => {
        await page.drop(picture);
        await page.until("the dropped one is there", () => document.querySelectorAll(".attachments li").length === 1);
        await (await page.page.$(".attach-file")).uploadFile(picture);
        await page.until("the chosen one is there", () => document.querySelectorAll(".attachments li").length === 2);
        await page.page.evaluate(paste);
        await page.until("all have a picture", () => document.querySelectorAll(".attachments li img").length === 3);
        assert.deepEqual(await names(page), ["demo.png", "demo.png", "pasted.png"]);
      });

      await step("an image is removed before sending, and the others are sent and shown, also after a reload", async () => {
        await page.press("Remove demo.png");
        assert.deepEqual(await names(page), ["demo.png", "pasted.png"]);
        await page.say("What is in these pictures?");
        await page.shows(/scripted answer/);
        await page.idle();
        assert.deepEqual(await names(page), []);
        const shown = () => document.querySelectorAll(".items .entry-user img.attached").length === 2;
        await page.until("the message shows both", shown);
        await page.page.reload();
        await page.until("the message shows both again", shown);
      });

      await step("an image can be sent without text", async () => {
        await page.page.evaluate(paste);
        await page.until("it is there", () => document.querySelectorAll(".attachments li").length === 1);
        await page.press("Send");
        await page.until("the message shows it", () => document.querySelectorAll(".items .entry-user img.attached").length === 3);
        await page.idle();
      });

      await step("a file that no browser can decode is returned with the text", async () => {
        await page.page.evaluate(paste, "not a picture");
        await page.say("And this?");
        await page.shows(/cannot be read.*give a PNG, JPEG, GIF or WebP/, ".composer-wrong");
        assert.deepEqual(await names(page), ["pasted.png"]);
        assert.equal(await page.page.$eval(".composer-text", ({ value }) => value), "And this?");
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Pastes a picture, or a file that only has the type of one. */
async function paste(text) {
  const canvas = new OffscreenCanvas(20, 10);
  canvas.getContext("2d").fillRect(0, 0, 10, 10);
  const content = text ?? (await canvas.convertToBlob({ type: "image/png" }));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([content], "pasted.png", { type: "image/png" }));
  // Not every browser lets a page make such an event with files in it.
  const event = Object.assign(new Event("paste", { bubbles: true, cancelable: true }), { clipboardData });
  document.querySelector(".composer-text").dispatchEvent(event);
  if (!event.defaultPrevented) throw new Error("pasting was left to the browser");
}
