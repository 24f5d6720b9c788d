// Another model of the demo's settings, in a conversation that is open.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

/** Says its name; `slow` waits until the test lets it go. */
const model = createModel(async ({ model: name, messages }) => {
  if (name === "slow" && messages?.at(-1).role === "user") {
    await new Promise((resolve) => (letGo = resolve));
    return { calls: [{ name: "roll_dice", arguments: { count: 1, sides: 6 } }] };
  }
  return { text: `I am ${name}.` };
});
let letGo;

let demo;
before(async () => (demo = await startDemo({ model: model.handle })));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: another model is chosen in the demo`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    try {
      await step("another model answers from the next request on, also in a run that is under way", async (page) => {
        await page.connect({ baseUrl: `${demo.origin}/v1`, model: "openai/slow" });
        await page.say("Roll a die");
        await page.until("it runs", () => document.querySelector(".composer .stop"));
        await page.connect({ baseUrl: `${demo.origin}/v1`, model: "openai/quick" });
        await page.shows(/quick at/, "#model-label");
        letGo();
        await page.shows(/Roll dice.*I am quick/);
        await page.idle();
        await page.page.evaluate(() => localStorage.clear());
      });
      assert.deepEqual(model.violations, []);
    } finally {
      await browser.close();
    }
  });
}
