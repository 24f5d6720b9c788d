// Branches in the demo page: another answer, an edited message, the arrows between versions, and copies of a conversation.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

/** In the page: how many buttons would begin or show another branch. */
const buttons = () =>
  [...document.querySelectorAll('.verbs button:not([data-verb="copy"], [data-verb="link"], [data-verb="more"])')].filter((button) =>
    button.checkVisibility({ visibilityProperty: true }),
  ).length;
/** The ends of the answers, of which the last is not as before. In a busy page its last words are drawn a moment after it has ended. */
const answersIn = async (page, before = []) => {
  const isDrawn = (before) => {
    const last = [...document.querySelectorAll(".items .entry-agent .prose")].at(-1)?.textContent.replace(/\s+/g, " ").trim() ?? "";
    return /no AI\.( Wording \d+\.)?$/.test(last) && last.slice(-50) !== before;
  };
  await page.until("the last answer is drawn to its end", isDrawn, before.at(-1));
  return page.page.$$eval(".items .entry-agent .prose", (answers) =>
    answers.map(({ textContent }) => textContent.replace(/\s+/g, " ").trim().slice(-50)),
  );
};

for (const kind of availableBrowsers) {
  test(`${kind}: the demo has other answers, edited messages, the versions between them, and copies`, async (context) => {
    const browser = await tabs(kind);
    // Only rows that can be seen are in the document.
    const tall = (body) => async (page) => {
      await page.page.setViewport({ width: 1100, height: 4000 });
      await body(page);
    };
    const step = (name, body) => stepsOf(context, browser, demo)(name, tall(body));
    const arrowsAre = (page, expected) =>
      page.until(
        `the arrows are ${expected}`,
        (expected) =>
          expected ===
          String(
            [...document.querySelectorAll('.parting button:not([aria-disabled="true"])')].map((button) =>
              button.getAttribute("aria-label"),
            ),
          ),
        String(expected),
      );
    try {
      await step("the last answer is given again, the arrows lead from one to the other, and all of it survives a reload", async (page) => {
        const what = "“I have no rule for that. I am…”";
        await page.ask("hello");
        await page.ask("qwertz");
        const first = await answersIn(page);
        await page.press(`Another answer, in place of ${what}`);
        await arrowsAre(page, [`Show version 1 of 2 of ${what}`]);
        const second = await answersIn(page, first);
        assert.notDeepEqual(second, first);
        assert.equal(await page.page.evaluate(() => document.activeElement.className), "composer-text", "the pressed button is gone");
        await page.isAccessible("two versions");
        await photograph(page, `branches-${kind}`);
        const place = () => page.page.$eval(".parting button", (arrow) => arrow.getBoundingClientRect().top);
        await page.page.$eval(".parting", (parting) => parting.scrollIntoView({ block: "center" }));
        const before = await place();
        await page.press(`Show version 1 of 2 of ${what}`);
        await arrowsAre(page, [`Show version 2 of 2 of ${what}`]);
        assert.deepEqual(await answersIn(page), first);
        const stays = (before) => Math.abs(document.querySelector(".parting button").getBoundingClientRect().top - before) < 2;
        await page.until("the arrows stay where they are", stays, before);
        assert.equal(await page.page.evaluate(() => document.activeElement.dataset.verb), "previous", "and so does the focus");
        await page.shows(/Version 1 of 2/, "#chat > [role=status]");
        await page.page.reload();
        await arrowsAre(page, [`Show version 2 of 2 of ${what}`]);
        assert.deepEqual(await answersIn(page), first);
        await page.ask("What is 6 * 7?");
        await page.press(`Show version 2 of 2 of ${what}`);
        await arrowsAre(page, [`Show version 1 of 2 of ${what}`]);
        assert.deepEqual(await answersIn(page, first), second);
        await page.press(`Show version 1 of 2 of ${what}`);
        await page.shows(/= 42/);
      });

      await step("an edited message begins another version, to which one can return", async (page) => {
        await page.ask("Roll a die");
        await page.ask("hello");
        await page.press("Edit “Roll a die”");
        assert.equal(await page.page.$eval(".message-editor textarea", (field) => field.value), "Roll a die");
        await page.isAccessible("editing a message");
        await page.fill(".message-editor textarea", "What is 6 * 7?");
        await page.press("Send as another version");
        await page.shows(/6 \* 7 = 42.*scripted answer/);
        await page.idle();
        assert.deepEqual(
          (await page.calls()).map(({ title }) => title),
          ["Work out 6 * 7"],
        );
        await page.press("Show version 1 of 2 of “What is 6 * 7?”");
        await page.shows(/Roll a die.*hello/);
        assert.deepEqual(
          (await page.calls()).map(({ title }) => title),
          ["Roll the dice"],
        );
        await page.press("Edit “hello”");
        await page.press("Cancel");
        await arrowsAre(page, ["Show version 2 of 2 of “Roll a die”"]);
        // Versions within a version.
        await page.press("Edit “hello”");
        await page.fill(".message-editor textarea", "What is 1 + 1?");
        await page.press("Send as another version");
        await page.shows(/1 \+ 1 = 2.*scripted answer/);
        await page.idle();
        await arrowsAre(page, ["Show version 2 of 2 of “Roll a die”", "Show version 1 of 2 of “What is 1 + 1?”"]);
      });

      await step("a copy goes its own way", async (page) => {
        await page.ask("Roll two dice and tell me the time");
        await page.ask("qwertz");
        await page.shows(/🎲 Roll two dice and tell me/, "#title");
        await page.press("More about “I'll ask the page to do 2 things…”");
        await page.press("Fork");
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

      await step("another tab follows to the other version, and goes back", async (page) => {
        const what = "“Hello. I am scripted-model, a stand-in…”";
        await page.ask("hello");
        const first = await answersIn(page);
        await page.press(`Another answer, in place of ${what}`);
        await arrowsAre(page, [`Show version 1 of 2 of ${what}`]);
        const other = await DemoPage.open(browser, page.page.url());
        const areShown = (expected) =>
          other.until(
            `it shows ${expected}`,
            (selector, expected) => document.querySelector(selector)?.textContent.replace(/\s+/g, " ").includes(expected),
            ".items .entry-agent .prose",
            expected[0],
          );
        await areShown(await answersIn(page, first));
        await other.shows(/Runs in another tab/, ".home-line");
        await page.page.bringToFront();
        await page.press(`Show version 1 of 2 of ${what}`);
        await arrowsAre(page, [`Show version 2 of 2 of ${what}`]);
        // A hidden tab is not drawn.
        await other.page.bringToFront();
        await areShown(first);
        await other.press(`Show version 2 of 2 of ${what}`);
        await page.page.bringToFront();
        await arrowsAre(page, [`Show version 1 of 2 of ${what}`]);
        await other.page.close();
      });

      await step("while the agent works no branch can be begun, and a stopped answer can be given again", async (page) => {
        await page.ask("hello");
        await page.say("A long answer of 60 paragraphs");
        await page.streams();
        assert.equal(await page.page.evaluate(buttons), 0);
        await page.press("Stop");
        await page.idle();
        await page.press("Edit “A long answer of 60 paragraphs”");
        await page.fill(".message-editor textarea", "A long answer of 1 paragraph");
        await page.press("Send as another version");
        await page.shows(/1 paragraph.*Part 1/);
        await page.idle();
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

      await step("a question on the side gets an answer that is not in the conversation, also while the agent works", async (page) => {
        await page.ask("hello");
        const count = await page.text("#subtitle");
        await page.press("Context");
        const ask = async (question) => {
          await page.fill("#question", question);
          await page.press("Ask");
          await page.shows(new RegExp(`“${question}”, not in the conversation.*1 message of yours.*the last of them “hello”`), "#panel");
        };
        await ask("What was this about");
        assert.equal(await page.text("#subtitle"), count);
        assert.doesNotMatch(await page.text(".items"), /What was this about/);
        await page.isAccessible("an answer on the side");
        await photograph(page, `aside-${kind}`);
        await page.say("A long answer of 60 paragraphs");
        await page.streams();
        await page.fill("#question", "And now");
        await page.press("Ask");
        await page.shows(/“And now”, not in the conversation/, "#panel");
        await page.press("Stop");
        await page.idle();
        await page.press("Close the panel");
        assert.equal(await page.page.evaluate(() => document.activeElement.id), "panel-button");
      });

      await step("the panel on a phone holds the focus and gives it back", async (page) => {
        await page.ask("hello");
        await page.page.setViewport({ width: 390, height: 844 });
        await page.press("Context");
        await page.isAccessible("the panel on a phone");
        await page.page.keyboard.press("Escape");
        await page.until("it is closed", () => !document.querySelector("#panel") && document.activeElement.id === "menu-button");
      });
    } finally {
      await browser.close();
    }
  });
}
