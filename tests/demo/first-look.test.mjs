// The demo page at first sight, wide and on a phone: its beginning, and the bar over a conversation.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";
import { photograph } from "../support/browser/tabs.mjs";

const phone = { width: 390, height: 844 };

demoTest(
  "the demo is right at first sight, wide and on a phone",
  { expected: /downloadable font: download failed.*status=2152398850/, delay: 0 },
  async ({ kind, step }) => {
    await step("the start page begins with its headline", async (page) => {
      for (const viewport of [{ width: 1440, height: 900 }, phone]) {
        await page.page.setViewport(viewport);
        await page.page.reload();
        await page.drawn();
        await page.still();
        await page.until("it has been drawn", () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true)))));
        const [top, headline] = await page.page.evaluate(() => [
          document.querySelector(".scroller").scrollTop,
          document.querySelector("#start-heading").getBoundingClientRect().top,
        ]);
        assert.ok(top === 0 && headline > 0, `${viewport.width} pixels: scrolled by ${top}`);
        await photograph(page, `start-${viewport.width}-${kind}`);
      }
    });

    await step("the bar over a conversation has three things, and leaves the title room", async (page) => {
      await page.ask("hello");
      const names = () =>
        page.page.$$eval(".topbar button", (buttons) =>
          buttons.filter((button) => button.checkVisibility()).map((button) => button.getAttribute("aria-label")),
        );
      assert.deepEqual(await names(), ["Files", "Context", "Export"]);
      await photograph(page, `bar-${kind}`);
      await page.page.setViewport(phone);
      await page.until("there is a drawer", () => document.querySelector("#open-sidebar"));
      assert.deepEqual(await names(), ["Conversations", "Files", "Context", "Export"]);
      assert.ok((await page.page.$eval(".topbar-title", (title) => title.clientWidth)) > 190, "the title has room");
      await page.press("Files");
      await page.press("Close the panel");
      await page.until("the focus returns", () => document.activeElement.id === "files-button");
    });
  },
);
