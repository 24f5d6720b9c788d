// Calls in the demo page while the model writes them: their name, the file that grows, and the call that takes their place.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { until } from "../support/until.mjs";

const lines = Array.from({ length: 60 }, (_, at) => `${at + 1}. A line of the poem with <b>bold</b> words in it, and more.`);
/** Writes of an answer after which the model waits until the test lets it go on. */
const stops = [25, 120];
let letGo = () => {};

const model = createModel(({ messages }) => {
  const last = messages.at(-1);
  if (last.role !== "user") return { text: "It is written." };
  if (JSON.stringify(messages).includes("You name conversations")) return { text: "A poem" };
  const pace = (index) => (stops.includes(index) ? new Promise((resolve) => (letGo = resolve)) : undefined);
  const args = {
    summary: "Write the poem",
    security_risk: "LOW",
    command: "create",
    path: "/workspace/poem.md",
    file_text: lines.join("\n"),
  };
  if (!JSON.stringify(last.content).includes("dice"))
    return { text: "A poem.", calls: [{ name: "file_editor", arguments: args }], pieces: 20, pace };
  return {
    calls: [{ name: "roll_dice", arguments: { count: 1, sides: 6, summary: "x".repeat(400) } }],
    pieces: 20,
    pace: (index) => pace(index + 5),
  };
});

let demo;
before(async () => (demo = await startDemo({ model: model.handle })));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the demo shows calls while the model writes them`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    /** The last line that can be seen in the box, whether the list is at its end, and how high the box is. */
    const look = (page) =>
      page.page.evaluate(() => {
        const box = document.querySelector(".written");
        const scroller = document.querySelector(".scroller");
        return {
          height: box.getBoundingClientRect().height,
          elements: box.querySelectorAll("b").length,
          isAtEnd: scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 2,
          isEndShown: box.lastElementChild.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom,
        };
      });
    const isWritten = (page, line) =>
      page.until(`line ${line} is written`, (line) => document.querySelector(".written")?.textContent.includes(`\n${line}. `), line);
    try {
      await step("a file is shown while it is written, in a box of bounded height, and the call takes its place", async (page) => {
        await page.say("Write a poem");
        await page.shows(/Write the poem.*being written/, ".call[data-state=streaming]");
        await isWritten(page, 2);
        await page.page.$eval(".call", (call) => (call.dataset.mark = "the same"));
        await photograph(page, `writing-begun-${kind}`);
        letGo();
        await isWritten(page, 20);
        // The list and the box follow what is written with the next frames.
        await until(async () => {
          const { isAtEnd, isEndShown } = await look(page);
          return isAtEnd && isEndShown;
        }, "their ends are in sight");
        const { height, ...rest } = await look(page);
        assert.deepEqual(rest, { elements: 0, isAtEnd: true, isEndShown: true });
        assert.ok(height > 150 && height < 240, `${height}`);
        await page.shows(/being written · [\d,.\s]+ characters/, ".call[data-state=streaming]");
        await page.isAccessible("a call that is being written");
        await photograph(page, `writing-${kind}`);
        await page.page.setViewport({ width: 390, height: 780 });
        assert.equal(await page.page.evaluate(() => document.documentElement.scrollWidth), 390);
        await page.still();
        await photograph(page, `writing-phone-${kind}`);
        if (await page.inTheDark()) {
          await page.isAccessible("a call that is being written, in the dark");
          await photograph(page, `writing-phone-dark-${kind}`);
        }
        await page.page.setViewport({ width: 1280, height: 800 });
        await photograph(page, `writing-wide-dark-${kind}`);
        letGo();
        await page.shows(/It is written/);
        await page.idle();
        const calls = await page.page.$$eval(".call", (all) => all.map(({ dataset: { state, mark } }) => `${state} ${mark}`));
        assert.deepEqual(calls, ["done the same"], "the stored call is the same element");
        assert.equal(await page.page.$(".written"), null);
        await photograph(page, `written-${kind}`);
      });

      await step("another tool has a line with the length of its arguments, and an interrupted call is gone", async (page) => {
        await page.say("Roll the dice");
        await page.shows(/Roll dice.*being written · \d+ characters/, ".call[data-state=streaming]");
        assert.equal(await page.page.$(".written"), null);
        await page.press("Stop");
        await page.until("the call is gone", () => !document.querySelector(".call") && !document.querySelector(".composer .stop"));
      });
    } finally {
      letGo();
      await browser.close();
    }
  });
}
