// The demo's search field: below the titles, the messages that have the words, on whatever page of whatever conversation.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { archivesIn } from "../support/archives.mjs";
import { startDemo, stepsOf } from "./page.mjs";

let demo;
const { folder, archive } = archivesIn("found");
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the search field of the demo finds messages, on whatever page they are`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo, /downloadable font: download failed.*status=2152398850/);
    const choose = async (page, conversations) => {
      await (await page.page.$("#import-file")).uploadFile(archive(conversations));
      await page.shows(/Imported/, "#notices");
      await opened(page, ".items .message");
    };
    /** The focus moves with what is opened, and would take what is typed along. */
    const opened = (page, selector) =>
      page.until(
        `${selector} is shown`,
        (selector) => document.querySelector(selector) && document.activeElement.matches(".composer-text, #title"),
        selector,
      );
    const hits = (page) => page.page.$$eval(".of-hit .conversation-title", (titles) => titles.map(({ textContent }) => textContent));
    try {
      await step("messages are found below the titles, and a click leads to them", async (page) => {
        const text = `${"Boil the water first. ".repeat(20)}Then the <b>rice</b> cooker hums. ${"Wait for ten minutes. ".repeat(20)}`;
        await choose(page, [
          { title: "Rice for six" },
          { title: "Dinner", text, days: 2 },
          { title: "Something else", text: "Nothing of it", days: 40 },
        ]);
        await page.page.evaluate(() => (location.hash = "#/"));
        await opened(page, ".start");
        await page.fill("#conversation-search", "r");
        await page.until("titles with it are there", () => document.querySelectorAll(".conversation").length === 2);
        await page.fill("#conversation-search", "rice");
        await page.shows(/Today.*Rice for six.*In messages.*Dinner/, "#conversation-list");
        assert.deepEqual(await hits(page), ["Dinner"]);
        assert.deepEqual(await page.page.$$eval(".of-hit mark", (marks) => marks.map(({ textContent }) => textContent)), ["rice"]);
        await page.shows(/the <b>rice<\/b> cooker hums.*2 days ago/, ".of-hit");
        await page.isAccessible("messages that were found");
        await photograph(page, `found-messages-${kind}`);
        await page.page.focus("#conversation-search");
        await page.page.keyboard.press("ArrowDown");
        await page.page.keyboard.press("ArrowDown");
        await page.until("the focus is on the message", () => document.activeElement.closest(".of-hit"));
        await page.page.keyboard.press("Delete");
        await page.page.keyboard.press("Enter");
        await page.shows(/^Dinner$/, "#title");
        await page.until("the message is marked", () => document.querySelector(".row.marked")?.textContent.includes("cooker hums"));
        assert.match(new URL(page.page.url()).hash, /^#\/c\/[\w-]+\/[\w-]+$/);
        await page.fill("#conversation-search", "zucchini");
        await page.shows(/No title has these words/, "#conversation-search-empty:not([hidden])");
        assert.deepEqual(await hits(page), []);
        await page.fill("#conversation-search", "");
        await page.until("all are listed", () => document.querySelectorAll(".conversation").length === 3);
      });

      await step("while older messages are being read it says so, and finds them later", async (page) => {
        await page.page.evaluate(() => {
          new MutationObserver(() => {
            window.reading ??= /Still reading [\d,]+ older messages…/.exec(
              document.querySelector("#found-messages")?.textContent ?? "",
            )?.[0];
          }).observe(document.querySelector("#conversation-list"), { childList: true, subtree: true });
        });
        const text = (at) => Array.from({ length: 20_000 }, (_, word) => `w${(word * 7919 + at * 104_729).toString(36)}`).join(" ");
        await choose(
          page,
          Array.from({ length: 60 }, (_, at) => ({ title: `Long ${at}`, text: at === 59 ? `${text(at)} needle` : text(at), days: at + 1 })),
        );
        await page.fill("#conversation-search", "needle");
        await page.shows(/In messages.*Long 59/, "#conversation-list");
        await page.until("nothing is missing", () => !/Still reading/.test(document.querySelector("#found-messages").textContent));
        assert.match(await page.page.evaluate(() => window.reading), /Still reading/);
      });
    } finally {
      await browser.close();
    }
  });
}
