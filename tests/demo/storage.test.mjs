// The demo page's storage: what it takes up, which conversations are the largest, the browser's promise to keep it, and a full disk.
import assert from "node:assert/strict";
import { DemoPage, demoTest } from "./page.mjs";

/** Counts in the page how often the browser is asked, in the place of the browser. */
const countQuestions = () => {
  window.questions = 0;
  // Chromium may have promised it to an earlier page.
  StorageManager.prototype.persisted = async () => false;
  StorageManager.prototype.persist = async () => (window.questions++, false);
};
const questions = ({ page }) => page.evaluate(() => window.questions);
const shown = (page) => page.page.$$eval(".largest a", (links) => links.map(({ textContent }) => textContent));

demoTest(
  "the demo shows what it takes up, the largest conversations, and what to do on a full disk",
  {},
  async ({ kind, browser, demo, step }) => {
    await step("the largest conversations are opened, exported and deleted from the settings", async (page) => {
      await page.ask("Remember that my bike is blue");
      // The model names it a moment later, and the settings have these names.
      await page.shows(/^📝 Remember that my bike/, "#title");
      await page.page.evaluate(() => (location.hash = "#/"));
      await page.until("there is another one", () => document.querySelector("#subtitle").textContent === "");
      await page.ask(`Show me what Markdown can do ${"and more ".repeat(2000)}`);
      await page.shows(/^💬 Show me what Markdown/, "#title");
      await page.press("Settings");
      await page.shows(
        /stored on this device, in this browser\. It takes up [\d.]+ [kM]B\. The browser's limit is [\d.]+ GB, if/,
        ".storage",
      );
      await page.until("both are there", () => document.querySelectorAll(".largest li").length === 2);
      const [largest, other] = await shown(page);
      assert.match(other, /bike/i);
      await page.isAccessible("the storage in the settings");
      await page.page.$eval(".storage", (part) => part.scrollIntoView({ block: "start" }));
      await page.press(`Export “${other}”`);
      await page.shows(/is in your downloads/, ".storage .outcome");
      const { name, bytes } = await page.download(/\.zip$/);
      assert.match(name, /bike/i);
      assert.equal(bytes.subarray(0, 2).toString(), "PK");

      await page.press(`Delete “${other}”`);
      await page.press("Delete");
      await page.shows(/was deleted\.$/, ".storage .outcome");
      await page.until("it is gone", () => document.querySelectorAll(".largest li").length === 1);
      await page.until("and in the list", () => document.querySelectorAll("#conversation-list a.conversation").length === 1);
      await page.shows(/Markdown/, ".items");

      // That of the open conversation leads to a new one.
      const open = await page.page.evaluate(() => location.hash);
      await page.press(`Delete “${largest}”`);
      await page.press("Cancel");
      assert.equal(await page.page.evaluate(() => location.hash), open);
      await page.page.evaluate(() => (location.hash = "#/"));
      await page.click(".largest a");
      await page.until("the settings are closed", () => !document.querySelector("dialog[open]"));
      await page.shows(/Markdown/, ".items");
      await page.press("Settings");
      await page.press(`Delete “${largest}”`);
      await page.press("Delete");
      await page.until("there is nothing to be measured", () => document.querySelector("#largest-heading").hidden);
      await page.until("a new one can begin", () => location.hash === "#/");
    });

    await step("the browser is asked to keep it after the first answer, where that does not ask the user", async (page) => {
      await page.page.evaluate(countQuestions);
      await page.page.focus(".composer-text");
      assert.equal(await questions(page), 0);
      await page.ask("Remember that my bike is blue");
      await page.ask("What is (12 + 30) * 2?");
      assert.equal(await questions(page), kind === "chromium" ? 1 : 0);
      await page.press("Settings");
      await page.press("Ask the browser to protect it");
      await page.shows(/did not agree to protect it/, ".storage .outcome");
      assert.equal(await questions(page), kind === "chromium" ? 2 : 1);
    });

    if (kind === "chromium") {
      await step(
        "a full disk is told of, with a way to what takes up room",
        async ({ page }) => {
          // An origin of its own, because Chromium remembers for a while how much room the other one had.
          const origin = demo.origin.replace("127.0.0.1", "localhost");
          const session = await page.createCDPSession();
          await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 20_000_000 });
          const full = await DemoPage.open(browser, `${origin}/#/`);
          await full.ask("Remember that my bike is blue");
          await full.page.evaluate(fill);
          await full.say("What is (12 + 30) * 2?");
          await full.shows(/There is no room left on this device/, "body");
          await full.press("Make room");
          await full.until("the storage has the focus", () => document.activeElement.matches(".settings .storage"));
          await full.until("the conversation is there, in sight", () => {
            const [row] = document.querySelectorAll(".largest li");
            return row && document.querySelector(".dialog-scroll").getBoundingClientRect().bottom > row.getBoundingClientRect().bottom;
          });
          await full.still();
          await full.page.evaluate(() => indexedDB.deleteDatabase("other data"));
          await full.page.close();
        },
        /QuotaExceeded|no room/i,
      );
    }
  },
);

/** In the page: fills the origin with other data, until a kilobyte is too much. */
async function fill() {
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open("other data");
    request.onupgradeneeded = () => request.result.createObjectStore("rows", { autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (let size = 1 << 20; size >= 1024; ) {
    const isStored = await new Promise((resolve) => {
      const transaction = database.transaction("rows", "readwrite");
      const content = new Uint8Array(size);
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536));
      transaction.objectStore("rows").add(content);
      transaction.oncomplete = () => resolve(true);
      transaction.onabort = () => resolve(false);
    });
    if (!isStored) size /= 2;
  }
  database.close();
}
