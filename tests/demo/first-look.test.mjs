// The demo page at first sight, wide and on a phone: its beginning, its title, what waits, what is deleted, what a crash leaves.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

const phone = { width: 390, height: 844 };

let demo;
const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-first-look-"));
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the demo is right at first sight, wide and on a phone`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo, /downloadable font: download failed.*status=2152398850/);

    try {
      await step("the start page begins with its headline", async (page) => {
        for (const viewport of [{ width: 1440, height: 900 }, phone]) {
          await page.page.setViewport(viewport);
          await page.page.reload();
          await page.drawn();
          await page.still();
          await page.until(
            "it has been drawn",
            () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true)))),
          );
          const [top, headline] = await page.page.evaluate(() => [
            document.querySelector(".scroller").scrollTop,
            document.querySelector("#start-heading").getBoundingClientRect().top,
          ]);
          assert.ok(top === 0 && headline > 0, `${viewport.width} pixels: scrolled by ${top}`);
          await photograph(page, `start-${viewport.width}-${kind}`);
        }
      });

      await step("the message field stays where it is, and a message that was edited leaves no frame around the chat", async (page) => {
        const bottom = () => page.page.$eval(".composer", (composer) => composer.getBoundingClientRect().bottom);
        const before = await bottom();
        await page.ask("What is 6 * 7?");
        await page.shows(/tokens/, ".spent");
        assert.equal(await bottom(), before, "when the tokens are counted");
        await page.press("Edit “What is 6 * 7?”");
        await page.fill(".message-editor textarea", "What is 7 * 7?");
        await page.page.keyboard.press("Enter");
        await page.shows(/7 \* 7 = 49.*scripted answer/);
        await page.idle();
        const frame = () =>
          page.page.$eval(".scroller", (scroller) => [document.activeElement.className, getComputedStyle(scroller).outlineStyle]);
        assert.deepEqual(await frame(), ["composer-text", "none"]);
        await page.page.focus(".scroller");
        await page.page.keyboard.press("ArrowUp");
        await page.until(
          "who goes on with the keyboard sees where the focus is",
          () => getComputedStyle(document.querySelector(".scroller")).outlineStyle === "solid",
        );
      });

      await step("on a phone the actions are in a menu, and leave the title room", async (page) => {
        await page.ask("Remember that my bike is blue");
        await page.page.setViewport(phone);
        assert.ok((await page.page.$eval(".topbar-title", (title) => title.clientWidth)) > 200);
        await page.press("More");
        await page.until("the first action has the focus", () => document.activeElement.id === "files-button");
        assert.deepEqual(
          await page.page.$$eval(".topbar-actions span", (spans) =>
            spans.filter((span) => span.checkVisibility()).map(({ textContent }) => textContent),
          ),
          ["Files", "Context", "Rename", "Export", "Delete"],
        );
        await page.isAccessible("the menu");
        await photograph(page, `menu-${kind}`);
        await page.page.keyboard.press("Escape");
        await page.until(
          "the menu is closed",
          () => document.activeElement.id === "menu-button" && !document.querySelector("#rename-button").checkVisibility(),
        );
        await page.press("More");
        await page.press("Rename");
        await page.press("Cancel");
        await page.until("the focus is where the menu was opened", () => document.activeElement.id === "menu-button");
        await page.click("#menu-button");
        await page.page.mouse.click(100, 400);
        await page.until("a click elsewhere closes it", () => !document.querySelector("#rename-button").checkVisibility());
      });

      await step("the bar over a conversation has three things and a menu", async (page) => {
        await page.ask("hello");
        const names = () =>
          page.page.$$eval(".topbar button", (buttons) =>
            buttons.filter((button) => button.checkVisibility()).map((button) => button.getAttribute("aria-label")),
          );
        assert.deepEqual(await names(), ["Control", "Files", "Context", "More"]);
        await page.press("More");
        assert.deepEqual(await names(), ["Control", "Files", "Context", "More", "Rename", "Export", "Delete"]);
        assert.equal(await page.page.evaluate(() => document.activeElement.id), "rename-button");
        await page.isAccessible("the menu beside three things");
        await photograph(page, `bar-${kind}`);
        await page.page.keyboard.press("Escape");
        await page.until("it is closed", () => document.activeElement.id === "menu-button");
        await page.page.setViewport(phone);
        assert.deepEqual(await names(), ["Conversations", "Control", "More"]);
      });

      await step("three calls that wait fit on a phone, and no button stands out above a payment", async (page) => {
        await page.page.setViewport(phone);
        await page.say("Pay Ann 20 euros, roll two dice and tell me the time");
        await page.waits(/3 calls wait for you.*roll_dice: count 2, sides 6/);
        await photograph(page, `three-calls-${kind}`);
        const inSight = (selector) => {
          const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
          return (
            top >= document.querySelector(".scroller").getBoundingClientRect().top &&
            bottom <= document.querySelector(".dock").getBoundingClientRect().top
          );
        };
        for (const selector of [".approval-heading", ".all-calls .buttons"]) await page.until(`${selector} is in sight`, inSight, selector);
        assert.equal(await page.page.$$eval(".approvals .button.primary", ({ length }) => length), 0);
        await page.isAccessible("three calls that wait");
        await page.press("Details of roll_dice");
        await page.until(
          "the focus is in the card",
          () =>
            document.activeElement.closest('[data-tool="roll_dice"]') && document.querySelector('[data-tool="roll_dice"] .ask-arguments'),
        );
        await page.press("Reject all…");
        await page.press("Reject all");
        await page.shows(/scripted answer/);
      });

      await step("a payment asks each time, and what allowing a tool means is said before", async (page) => {
        await page.press("Control");
        await page.click("#policy-always");
        await page.press("Done");
        await page.say("Pay Ann 9999 euros");
        await page.waits(/A call waits for you/);
        assert.doesNotMatch(await page.text(".next"), /Always allow/);
        await page.press("Approve send_payment");
        await page.shows(/Paid Ann 9999/);
        await page.idle();
        await page.say("Roll a die");
        await page.press("Always allow roll_dice here…");
        await page.shows(/whenever the agent calls it, with whatever arguments, and you are not asked/, ".next");
        await page.until("the harmless answer has the focus", () => document.activeElement.textContent === "Cancel");
        await page.page.keyboard.press("Escape");
        await page.until("nothing is allowed", () => document.activeElement.dataset.opens === "allow");
        await page.press("Always allow roll_dice here…");
        await page.press("Never ask about roll_dice here");
        await page.shows(/roll_dice: \d/);
        await page.idle();
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("what cannot be undone is not the default", async (page) => {
        await page.ask("Roll a die");
        const { hash } = new URL(page.page.url());
        await page.press("Delete");
        await page.until("it is deleted", () => location.hash === "#/");
        await page.page.evaluate((hash) => (location.hash = hash), hash);
        await page.shows(/is in the trash/, "#notices");
        await page.press("Delete");
        await page.until("Cancel has the focus", () => document.activeElement.textContent === "Cancel");
        await page.page.keyboard.press("Enter");
        await page.until("it is still there", () => !document.querySelector("dialog") && location.hash.startsWith("#/c/"));
        await page.press("Restore: This conversation is in the trash");
        await page.until("it is back", () => document.querySelector("#conversation-list .conversation[aria-current]"));
        await page.until("that is no longer told", () => !/is in the trash/.test(document.querySelector("#notices").textContent));
      });

      await step("the example of a crash goes on after the reload, without a question about risks", async (page) => {
        await page.say("Add up the numbers to 3");
        await page.shows(/1 of 3/);
        await page.page.reload();
        await page.shows(/It stopped during Add up the numbers to 3\. That is done again when the agent continues/, ".next");
        assert.doesNotMatch(await page.text(".next"), /risk/);
        await page.press("Continue");
        await page.shows(/The numbers to 3 add up to 6/);
        await page.idle();
      });

      await step("Tab stops once in the list of conversations, and the arrows move in it", async (page) => {
        await page.until("there are several", () => document.querySelectorAll(".conversation").length > 2);
        const stops = () =>
          page.page.$$eval("#conversation-list a", (links) => links.map(({ tabIndex }) => tabIndex).filter((tab) => tab === 0).length);
        assert.equal(await stops(), 1);
        await page.page.focus("#conversation-list a[tabindex='0']");
        await page.page.keyboard.press("ArrowDown");
        await page.until("the second has the focus", () => document.activeElement === document.querySelectorAll("#conversation-list a")[1]);
        assert.equal(await stops(), 1);
        await page.page.keyboard.press("Tab");
        await page.until("the next stop is the menu of its row", () => document.activeElement.matches("[data-act=menu]"));
        await page.page.keyboard.press("Tab");
        await page.until("and the one after that is behind the list", () => document.activeElement.id === "import-button");
      });

      await step("news of one chat do not follow into the next", async (page) => {
        await page.press("Settings");
        await page.press("Save");
        await page.shows(/Settings saved/, "#notices");
        await page.click(".conversation");
        await page.until("the other conversation is open", () => document.querySelector(".items").childElementCount > 0);
        assert.equal(await page.text("#notices"), "");
      });

      await step("many files are imported with one progress, by name, and none twice", async (page) => {
        const names = Array.from({ length: 12 }, (_, at) => path.join(folder, `session-${at}.json`));
        for (const [at, name] of names.entries()) {
          writeFileSync(
            name,
            JSON.stringify({
              id: `${at}`,
              created_at: "2026-01-02T03:04:05Z",
              messages: [
                { role: "user", content: `Question number ${at}` },
                { role: "assistant", content: "Answer" },
              ],
            }),
          );
        }
        const conversations = () =>
          page.page.$$eval(
            ".conversation-title",
            (titles) => titles.map(({ textContent }) => textContent).filter((title) => /^Question/.test(title)).length,
          );
        const input = await page.page.$("#import-file");
        await page.page.evaluate(() => {
          window.shown = new Set();
          new MutationObserver(() =>
            document.querySelectorAll(".notice-work").forEach(({ textContent }) => shown.add(textContent)),
          ).observe(document.querySelector("#notices"), { childList: true });
        });
        await input.uploadFile(...names);
        await page.shows(/Imported 12 conversations/, "#notices");
        await page.until(
          "all are listed by their first words",
          () =>
            [...document.querySelectorAll(".conversation-title")].filter(({ textContent }) => textContent.startsWith("Question number"))
              .length === 12,
        );
        assert.ok((await page.page.evaluate(() => [...shown])).every((text) => /^Importing 12 files( \d+ of 12)?Stop$/.test(text)));
        await input.uploadFile(names[3]);
        await page.shows(/1 conversation had nothing new/, "#notices");
        assert.equal(await conversations(), 12);
      });
    } finally {
      await browser.close();
    }
  });
}
