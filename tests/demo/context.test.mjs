// The context of the model in the demo page: the context window, condensing, and the inspector.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";

demoTest("the demo shows the context window, condenses it, and shows the requests", { delay: 0 }, async ({ step }) => {
  await step("a condensation is shown with its summary, after a reload too", async (page) => {
    for (const text of ["Roll a die", "What is 6 * 7?", "hello"]) await page.ask(text);
    await page.press("Context");
    const tab = () => [document.activeElement.id, document.activeElement.getAttribute("aria-selected")];
    assert.deepEqual(await page.page.evaluate(tab), ["context-tab", "true"], "the focus is on the part that was opened");
    await page.shows(/of 32K tokens, \d+%.*Condensing replaces \d+ of them/, "#panel");
    await page.isAccessible("the context window");
    await page.press("Condense now");
    await page.shows(/Condensed: the model now reads this instead of \d+ events/);
    await page.shows(/Condensed\./, "#panel [role=status]");
    assert.equal(await page.page.evaluate(() => document.activeElement.textContent), "Condense now", "the focus stays");
    await page.idle();
    const summary = await page.text(".condensed .summary");
    assert.match(summary, /\S/);
    await page.page.reload();
    await page.shows(/Condensed: the model now reads this/);
    // Until the code for Markdown is there, it is shown as it was written.
    const isShown = (summary) => document.querySelector(".condensed .summary")?.textContent === summary;
    await page.until("the same summary is shown", isShown, summary);
    await page.ask("What is 7 * 7?");
    await page.shows(/7 \* 7 = 49/);
  });

  await step("the inspector shows the request as it was sent, and goes on while another view is shown", async (page) => {
    await page.until("the page records", () => performance.getEntriesByType("resource").some(({ name }) => /devtools/.test(name)));
    await page.ask("hello");
    await page.press("Context");
    await page.press("Inspector");
    const shown = (wanted, times) =>
      page.until(
        "the inspector shows it",
        (text, times) => document.querySelector("threadkeep-inspector")?.shadowRoot.textContent.split(text).length > times,
        wanted,
        times,
      );
    // Also what was asked before somebody looked.
    await shown("/v1/chat/completions", 1);
    await page.press("Files");
    await page.ask("What is 6 * 7?");
    await page.press("Inspector");
    await shown("/v1/chat/completions", 2);
    const names = await page.page.$$eval(".topbar button span", (spans) => spans.filter((span) => span.checkVisibility()).length);
    assert.equal(names, 0, "beside the panel the actions are icons, so that the title has room");
    await page.isAccessible("the inspector");
  });
});
