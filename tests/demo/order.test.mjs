// A message in the middle of an answer, in the demo page: it is shown at once, and placed where the agent has read it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createScriptedModel } from "../../scripts/scripted-model.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { deferred } from "../support/deferred.mjs";

/** The next answer ends when this resolves. */
let end;
const scripted = createScriptedModel({ delay: 10 });
const model = (request, response) => {
  const { promise } = end ?? {};
  end = undefined;
  const write = response.write.bind(response);
  const isEnd = (text) => /"finish_reason":"/.test(text);
  if (promise) response.write = (text, sent) => (isEnd(text) ? void promise.then(() => write(text, sent)) : write(text, sent));
  return scripted(request, response);
};

let demo;
before(async () => (demo = await startDemo({ model })));
after(() => demo.close());

const speech = () =>
  [...document.querySelectorAll(".items .entry-user .message, .items .entry-agent .prose")].map((element) =>
    element.textContent.replace(/\s+/g, " ").slice(0, 40),
  );

for (const kind of availableBrowsers) {
  test(`${kind}: a message in the middle of an answer is shown at once in the demo, and placed where it was read`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    try {
      await step("a message sent in mid-answer is shown as sent, and placed behind that answer", async (page) => {
        const ends = (end = deferred());
        await page.say("hello");
        await page.streams(20);
        await page.say("what is 2 + 3?");
        await page.shows(/what is 2 \+ 3\?/);
        assert.equal(await page.page.$eval(".entry.live .prose", (live) => live.isConnected), true, "the answer goes on above it");
        await page.isAccessible("a message that is not read yet");
        await photograph(page, `order-${kind}-in-the-middle`);
        ends.resolve();
        await page.shows(/= 5/);
        await page.idle();
        const texts = await page.page.evaluate(speech);
        assert.deepEqual([texts[0], texts[2]], ["hello", "what is 2 + 3?"]);
        assert.ok(texts.length >= 4, texts.join(" / "));
        assert.equal(await page.page.evaluate(() => document.querySelector(".items").textContent.includes("Note to the agent")), false);
        await photograph(page, `order-${kind}-after`);
      });

      await step("a page that is closed in the middle of an answer has the message when it is opened again", async (page) => {
        await page.say("A long answer of 60 paragraphs");
        await page.streams();
        await page.say("what is 2 + 3?");
        await page.shows(/what is 2 \+ 3\?/);
        await page.page.reload();
        await page.shows(/60 paragraphs.*what is 2 \+ 3\?/);
        await page.press("Continue");
        await page.shows(/= 5/);
        await page.idle();
      });
    } finally {
      await browser.close();
    }
  });
}
