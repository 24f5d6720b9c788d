// The demo page and output that is not to be trusted, under its security policy, and keyboards. Keys are in locked-key.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";

demoTest("the demo takes care of hostile output and keyboards", {}, async ({ demo, step }) => {
  await step(
    "hostile output stays text",
    async (page) => {
      const external = [];
      page.page.on("request", (request) => request.url().startsWith(demo.origin) || external.push(request.url()));
      await page.ask("Show me something unsafe");
      // Until the code for Markdown is there, a text has no links; and its last words are drawn a moment after its end.
      await page.until("its links are drawn", () => document.querySelector(".prose a"));
      await page.shows(/nothing moved, all is well/);
      for (const link of await page.page.$$(".prose a"))
        await link.evaluate((element) => element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })));
      const seen = await page.page.evaluate(() => ({
        ran: window.__unsafe ?? null,
        elements: document.querySelectorAll(
          ".items :is(script, iframe, form, style, svg:not(.icon), [onclick], [onerror], [style]:not(.row, .items))",
        ).length,
        hrefs: [...document.querySelectorAll(".items a[href]")].map((link) => link.protocol),
        composers: document.querySelectorAll(".composer").length,
        isShown: document.body.checkVisibility(),
      }));
      assert.deepEqual(
        { ...seen, hrefs: [...new Set(seen.hrefs)] },
        { ran: null, elements: 0, hrefs: ["https:"], composers: 1, isShown: true },
      );
      assert.deepEqual(
        external.filter((url) => /^https?:/.test(url)),
        [],
      );
    },
    /Content Security Policy|TrustedScript/,
  );

  await step("everything can be done with the keyboard", async (page) => {
    const { keyboard } = page.page;
    const tabTo = async (selector, { back = false } = {}) => {
      if (back) await keyboard.down("Shift");
      for (let presses = 0; !(await page.page.evaluate((wanted) => document.activeElement.matches(wanted), selector)); presses++) {
        assert.ok(presses < 40, `${selector} is not reached with the Tab key`);
        await keyboard.press("Tab");
      }
      if (back) await keyboard.up("Shift");
    };
    await tabTo("#skip-link");
    await keyboard.press("Enter");
    await keyboard.type("Roll a die");
    await keyboard.press("Enter");
    await page.shows(/roll_dice: \d/);
    await page.idle();
    await tabTo(".steps", { back: true });
    await keyboard.press("Enter");
    await tabTo(".call summary");
    await keyboard.press("Enter");
    assert.equal(await page.page.$eval(".call", (call) => call.open), true);
    await tabTo("#export-button", { back: true });
    await keyboard.press("Enter");
    await page.until("the first form has the focus", () => document.activeElement.id === "export-archive");
    await keyboard.press("Escape");
    await page.until("the focus returns", () => document.activeElement.id === "export-button");
  });
});
