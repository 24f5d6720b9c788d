// Control in the demo page: when calls wait for the user, and secrets. The part itself is in browser/ui/control. How one decides about a call is in
// browser/ui/chat/deciding.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";

/** Firefox complains of a font that was under way when the page was left. */
const leftWhileLoading = /downloadable font: download failed.*status=2152398850/;

demoTest(
  "calls wait in the demo for the decisions of the user, over a reload too",
  { expected: leftWhileLoading, delay: 0 },
  async ({ step }) => {
    /** Says something risky, and waits until the page asks. */
    const askFirst = async (page, text, pattern) => {
      await page.say(text);
      await page.waits(pattern);
    };

    await step("the confirmation policy of a conversation can be chosen", async (page) => {
      await page.ask("Roll a die");
      await page.press("Control");
      await page.isAccessible("control");
      await page.click(".control [value=AlwaysConfirm]");
      await page.shows(/Asks about every call/, "#control-line");
      await page.press("Close the control");
      await page.page.reload();
      await page.shows(/Asks about every call/, "#control-line");
      await askFirst(page, "Roll a die", /A call waits for you/);
      await page.approve();
      await page.shows(/roll_dice: \d.*scripted answer/);
      await page.idle();
      await page.press("Control");
      await page.click(".control [value=NeverConfirm]");
      await page.shows(/Asks about harmful tools only/, "#control-line");
      await page.press("Close the control");
      await page.ask("Roll a die");
      // What does harm is asked about in each case.
      await askFirst(page, "Pay Ann 20 euros", /A call waits for you.*Pay Ann 20/);
    });

    await step("a secret is used by its name and shown nowhere", async (page) => {
      await page.ask("Call the API");
      await page.shows(/no secret API_TOKEN here/);
      await page.press("Control");
      await page.page.type(".control [name=name]", "API_TOKEN");
      await page.page.type(".control [name=value]", "swordfish-7123");
      await page.press("Add");
      await page.shows(/API_TOKEN/, ".secret-names");
      assert.equal(await page.page.$eval(".control [name=value]", (field) => field.value), "");
      await page.press("Close the control");
      await page.ask("Call the API");
      await page.shows(/a friend of this page.*<secret-hidden>/);
      assert.doesNotMatch(await page.page.content(), /swordfish/);
      await page.page.reload();
      await page.shows(/a friend of this page/);
      await page.press("Control");
      await page.shows(/API_TOKEN.*not stored/, ".secret-names");
    });
  },
);
