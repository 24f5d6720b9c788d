// Links to messages in the demo page, and the titles that the model gives.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";

demoTest("the demo links to the messages of conversations, and names them", {}, async ({ demo, step }) => {
  await step("a link to a message of another version offers it, and HEAD moves only then", async (page) => {
    await page.ask("hello");
    const href = () => page.page.evaluate(() => window.copied);
    await page.page.evaluate(() => {
      const writeText = async (text) => void (window.copied = text);
      Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    });
    await page.page.click('.row.last [data-verb="link"]');
    await page.until("the link is copied", () => window.copied);
    const { hash } = new URL(await href());
    assert.match(hash, /^#\/c\/[\w-]+\/[\w-]+$/);
    await page.page.click('.row.last [data-verb="again"]');
    await page.shows(/2 of 2/, ".parting");
    await page.idle();
    await page.page.evaluate((hash) => (location.hash = hash), hash);
    await page.shows(/another version/, "#notices");
    await page.shows(/2 of 2/, ".parting");
    await page.press("Show it as it was there: The message of this link is in another version of the conversation");
    await page.shows(/1 of 2/, ".parting");
  });

  await step("the model names the conversation once", async (page) => {
    await page.ask("Roll two dice");
    await page.shows(/^🎲 Roll two dice$/, "#title");
    await page.shows(/🎲 Roll two dice/, ".conversation[aria-current]");
    const before = demo.requests.length;
    await page.ask("What is 6 * 7?");
    await page.page.reload();
    await page.shows(/6 \* 7 = 42/);
    await page.ask("What is 7 * 7?");
    assert.equal(await page.text("#title"), "🎲 Roll two dice");
    assert.equal(demo.requests.length - before, 4, "only the answers were asked for");
  });
});
