// Links to a message of the demo, and conversations that leave it for people to read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

/** In the page: what is copied is kept there. */
const keepCopies = () =>
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (window.copied = text) }, configurable: true });

for (const kind of availableBrowsers) {
  test(`${kind}: the demo links to messages, and gives conversations to people to read`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const linkOf = async (page, name) => {
      await page.page.evaluate(keepCopies);
      await page.press(name);
      await page.until("the link is copied", () => window.copied);
      return page.page.evaluate(() => window.copied);
    };
    try {
      await step("a message's link opens the conversation there, and changes nothing in it", async (page) => {
        await page.ask("hello");
        for (const question of ["What is 6 * 7?", "qwertz", "What is 2 * 3?"]) await page.ask(question);
        await page.page.$eval('[data-verb="link"]', (button) => button.scrollIntoView({ block: "center" }));
        const link = await linkOf(page, "Copy link to “hello”");
        assert.match(new URL(link).hash, /^#\/c\/[\w-]+\/[\w-]+$/);
        const events = await page.events();
        await page.page.goto("about:blank");
        await page.page.goto(link);
        await page.drawn();
        const isMarked = (text) =>
          page.until(
            `${text} is marked`,
            (text) => {
              const [row, ...others] = document.querySelectorAll(".row.marked");
              return others.length === 0 && row?.textContent.includes(text) && row.getBoundingClientRect().top < innerHeight / 2;
            },
            text,
          );
        await isMarked("hello");
        assert.equal(await page.events(), events);
        await page.isAccessible("a marked message");
        for (const [width, scheme] of [
          [1280, "light"],
          [1280, "dark"],
          [390, "light"],
          [390, "dark"],
        ]) {
          if (kind !== "chromium" || !process.env.THREADKEEP_SHOTS) break;
          await page.page.setViewport({ width, height: 800 });
          await page.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
          await photograph(page, `link-${width}-${scheme}`);
        }
        await page.until("it is the one in the list", () => document.querySelectorAll(".conversation[aria-current]").length === 1);
      });

      await step("a link to another version offers it, and HEAD moves only then", async (page) => {
        await page.ask("hello");
        const answer = await page.page.$eval(".row.last .entry-agent", ({ textContent }) => textContent);
        const name = await page.page.$eval('.row.last [data-verb="link"]', (button) => button.getAttribute("aria-label"));
        const link = await linkOf(page, name);
        await page.page.click('.row.last [data-verb="again"]');
        await page.until("there are two versions", () => document.querySelector(".parting"));
        await page.idle();
        await page.page.evaluate((link) => (location.hash = new URL(link).hash), link);
        await page.shows(/another version/, "#notices");
        const here = new URL(link).hash;
        await page.page.evaluate(() => (location.hash = "#/"));
        await page.until("what was told about it is gone with it", () => document.querySelector("#notices").childElementCount === 0);
        await page.page.evaluate((here) => (location.hash = here), here);
        await page.shows(/another version/, "#notices");
        const parting = () => page.page.$eval(".parting", ({ textContent }) => textContent);
        assert.match(await parting(), /2 of 2/);
        await page.press("Show it as it was there: The message of this link is in another version of the conversation");
        await page.until("the first version is shown", () => /1 of 2/.test(document.querySelector(".parting")?.textContent));
        assert.equal((await page.page.$eval(".row.last .entry-agent", ({ textContent }) => textContent)).slice(0, 40), answer.slice(0, 40));
      });

      await step("a conversation leaves as a page and as Markdown", async (page) => {
        await page.ask("Roll three dice");
        for (const [form, ending, pattern] of [
          ["html", /\.html$/, /^<!doctype html>[^]*<summary><code>/],
          ["markdown", /\.md$/, /^# .*Roll three dice\n[^]*\n## User · /],
        ]) {
          await page.press("Export");
          await page.page.click(`label[for="export-${form}"]`);
          await page.press("Export");
          const { name, bytes } = await page.download(ending);
          assert.match(name, /^Roll-three-dice/);
          assert.match(bytes.toString(), pattern);
        }
      });
    } finally {
      await browser.close();
    }
  });
}
