// Copies of a conversation in the demo page, links to its messages, and the titles that the model gives.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the demo copies conversations, links to their messages, and names them`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    try {
      await step("a copy goes its own way", async (page) => {
        // Only rows that can be seen are in the document.
        await page.page.setViewport({ width: 1100, height: 4000 });
        await page.ask("Roll two dice and tell me the time");
        await page.ask("qwertz");
        await page.shows(/🎲 Roll two dice and tell me/, "#title");
        await page.press("Fork after “I'll ask the page to do 2 things…”");
        await page.shows(/🎲 Roll two dice and tell me \(copy\)/, "#title");
        await page.shows(/The page ran 2 tools/);
        assert.doesNotMatch(await page.text(".items"), /qwertz/);
        await page.ask("What is 6 * 7?");
        await page.shows(/🎲 Roll two dice and tell me \(copy\)/, ".conversation[aria-current]");
        await page.page.evaluate(() =>
          [...document.querySelectorAll(".conversation")]
            .find(({ textContent }) => /Roll two dice and tell me(?! \(copy)/.test(textContent))
            .click(),
        );
        await page.shows(/qwertz/);
        assert.doesNotMatch(await page.text(".items"), /6 \* 7/);
      });

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

      await step("the model names the conversation once, unless the user has", async (page) => {
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
        await page.press("Rename");
        await page.fill("#title-field", "Mine");
        await page.press("Rename");
        await page.ask("What is 8 * 7?");
        assert.equal(await page.text("#title"), "Mine");
      });

      await step("a title that the user gives before the first answer stays", async (page) => {
        await page.say("A long answer of 60 paragraphs");
        await page.streams();
        await page.press("Rename");
        await page.fill("#title-field", "Mine");
        await page.press("Rename");
        await page.press("Stop");
        await page.idle();
        await page.ask("hello");
        assert.equal(await page.text("#title"), "Mine");
        await page.shows(/^Mine/, ".conversation[aria-current]");
      });
    } finally {
      await browser.close();
    }
  });
}
