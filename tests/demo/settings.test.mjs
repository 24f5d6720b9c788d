// The settings of the demo page, and notices. The form of the model is in browser/ui/model.
import assert from "node:assert/strict";
import { createModel } from "../support/model.mjs";
import { demoTest } from "./page.mjs";

/** Says its name; `slow` waits until the test lets it go. */
const model = createModel(async ({ model: name, messages }) => {
  if (name !== "slow" || messages?.at(-1).role !== "user") return { text: `I am ${name}.` };
  await new Promise((resolve) => (letGo = resolve));
  return { calls: [{ name: "roll_dice", arguments: { count: 1, sides: 6 } }] };
});
let letGo;

demoTest(
  "a newcomer to the demo chooses when it asks, and a model",
  { mounts: { "/slow/": (request, response) => (model.handle(request, response), true) } },
  async ({ demo, step }) => {
    await step("when it asks can be chosen before the first message", async (page) => {
      await page.press("Control");
      await page.click("#policy-always");
      await page.isAccessible("control before the first message");
      await page.press("Close the control");
      await page.shows(/Asks about every call/, "#control-line");
      await page.say("Roll a die");
      await page.press("Approve roll_dice");
      await page.shows(/roll_dice: \d/);
      await page.idle();
      await page.page.evaluate(() => localStorage.clear());
    });

    await step("another model answers from the next request on, also in a run that is under way, and a budget is named", async (page) => {
      await page.connect({ baseUrl: `${demo.origin}/slow`, model: "openai/slow" });
      await page.say("Roll a die");
      await page.until("it runs", () => document.querySelector(".composer .stop"));
      await page.connect({ baseUrl: `${demo.origin}/slow`, model: "openai/quick" });
      await page.shows(/quick at/, "#model-label");
      letGo();
      await page.shows(/Roll dice.*I am quick/);
      await page.idle();
      await page.press("Settings");
      await page.fill("#budget", "1");
      await page.page.$eval("#budget", (field) => field.blur());
      await page.shows(/at most \$1.* a run/, "#control-line");
      await page.page.evaluate(() => localStorage.clear());
    });

    await step("a notice takes the place of the one before it about the same thing", async (page) => {
      for (const name of ["one", "two"])
        await page.page.evaluate((name) => dispatchEvent(new ErrorEvent("error", { error: new Error(`this is ${name}`) })), name);
      await page.shows(/This is two/, "#notices");
      assert.equal(await page.page.$$eval(".notice-failure", ({ length }) => length), 1);
      const names = await page.page.$$eval("#notices button", (buttons) =>
        buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent),
      );
      assert.deepEqual(names, [...new Set(names)], "no two buttons have the same name");
    });
  },
);
