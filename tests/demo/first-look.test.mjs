// The demo page at first sight, wide and on a phone: its beginning, and the bar over a conversation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

const phone = { width: 390, height: 844 };

let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => demo.close());

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
    } finally {
      await browser.close();
    }
  });
}
