// Confirmation in the demo page: calls that wait for the user, over a reload too, and the user's decisions.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { filesOf, packed } from "../support/files.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

/** Firefox complains of a font that was under way when the page was left. */
const leftWhileLoading = /downloadable font: download failed.*status=2152398850/;

/** The fields that the newest SDK writes differently from the first. */
const newest = new URL("../fixtures/sdk-1.58.2/", import.meta.url);
const risky = JSON.parse(readFileSync(new URL("index.json", newest), "utf8")).conversations.find(({ scenario }) => scenario === "risky");

let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: calls wait in the demo for the decisions of the user, over a reload too`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo, leftWhileLoading);
    /** Says something risky, and waits until the page asks. */
    const askFirst = async (page, text, pattern) => {
      await page.say(text);
      await page.waits(pattern);
    };

    try {
      await step("a risky call waits, over a reload, and runs once approved", async (page) => {
        await askFirst(page, "Pay Ann 20 euros", /A call waits for you.*Pay Ann 20.*high risk.*amount.*20/);
        await page.shows(/A call waits for you/, "#chat > [role=status]");
        await page.isAccessible("a call that waits");
        await page.page.reload();
        await page.waits(/A call waits for you.*high risk.*to.*Ann/);
        assert.equal((await page.calls()).at(-1).state, "waiting");
        await page.page.focus(".ask .button");
        await page.page.keyboard.press("Enter");
        await page.shows(/Paid Ann 20 euros.*scripted answer/);
        await page.idle();
        assert.equal((await page.calls()).at(-1).state, "done");
        await page.until("the focus is where one writes", () => document.activeElement.matches(".composer-text"));
        assert.match(await page.text("#control-line"), /Asks about risky calls$/);
      });

      await step("one of several calls is rejected with a reason, and the others are approved", async (page) => {
        await askFirst(page, "Pay Ann 20 euros, roll two dice and tell me the time", /3 calls wait for you/);
        const first = await page.page.$eval(".ask", ({ dataset }) => [dataset.tool, dataset.risk]);
        assert.deepEqual(first, ["send_payment", "HIGH"], "the riskiest comes first");
        await page.press("Reject… send_payment");
        await page.page.type(".reason-field", "Not on Fridays");
        await page.press("Reject send_payment");
        await page.waits(/2 calls wait for you/);
        await page.until("the focus is where the next decision is", () => document.activeElement.matches(".approval-heading"));
        await page.press("Approve roll_dice");
        await page.waits(/A call waits for you.*clock/);
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["rejected", "done", "waiting"],
        );
        await page.press("Approve get_time");
        await page.shows(/Action rejected: Not on Fridays.*scripted answer/);
        await page.idle();
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["rejected", "done", "done"],
        );
        assert.equal((await page.calls())[0].result, "Not on Fridays");
      });

      await step("several calls are rejected at once", async (page) => {
        await askFirst(page, "Pay Ann 20 euros and roll a die", /2 calls wait for you/);
        await page.shows(/Approves send_payment \(high risk\) and roll_dice \(low risk\)/, ".all-calls");
        await page.press("Reject all…");
        await page.press("Reject all");
        await page.shows(/The user rejected this action.*scripted answer/);
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["rejected", "rejected"],
        );
      });

      await step("on a phone the calls that wait are shown from the first, also beside a notice", async (page) => {
        await page.page.setViewport({ width: 390, height: 780 });
        await askFirst(page, "Pay Ann 20 euros and roll a die", /2 calls wait for you/);
        const fromTheTop = () =>
          document.querySelector(".approval-heading").getBoundingClientRect().top >=
          document.querySelector(".scroller").getBoundingClientRect().top;
        await page.until("the heading is visible", fromTheTop);
        await page.press("Conversations");
        await page.still();
        await page.press("Settings");
        await page.press("Save");
        await page.shows(/Settings saved/, "#notices");
        await page.until("the heading is visible beside a notice", fromTheTop);
        const bottom = await page.page.$eval(".scroller", (scroller) => ((scroller.scrollTop = scroller.scrollHeight), scroller.scrollTop));
        await page.press("Dismiss: Settings saved");
        await page.until("the notice is gone", () => document.querySelector("#notices").childElementCount === 0);
        assert.ok(
          (await page.page.$eval(".scroller", (scroller) => scroller.scrollTop)) > bottom / 2,
          "whoever scrolled to the buttons stays there",
        );
      });

      await step("changed arguments are run, and only the call that ran is shown", async (page) => {
        await askFirst(page, "Pay Ann 20 euros", /A call waits for you/);
        await page.press("Edit… send_payment");
        await page.press("As JSON");
        const change = async (text) => {
          await page.fill(".arguments-field", text);
          await page.press("Change send_payment");
        };
        await change('{"to": "Ann"');
        await page.shows(/This is not JSON/, ".arguments-wrong");
        await change('{"to": "Ann", "amount": -1}');
        await page.shows(/do not fit the tool send_payment/, ".arguments-wrong");
        await change('{"to": 5, "amount": 1}');
        await page.shows(/To: has to be of type string, not number|to: has to be of type string, not number/, ".arguments-wrong");
        await page.isAccessible("arguments that do not fit");
        await change('{"to": "Bert", "amount": 5}');
        await page.waits(/to.*Bert/);
        await page.until("the focus is with the calls", () => document.activeElement.matches(".approval-heading"));
        await page.page.reload();
        await page.waits(/to.*Bert.*5/);
        await page.press("Approve send_payment");
        await page.shows(/Paid Bert 5 euros.*scripted answer/);
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["done"],
        );
        await page.shows(/Arguments before you changed them.*to.*Ann.*20/, ".call-body");
        await page.isAccessible("a call that was changed");
      });

      await step("a tool is always allowed here, until it is not", async (page) => {
        await page.press("Control");
        await page.click("#policy-always");
        await page.press("Done");
        await askFirst(page, "Roll a die", /A call waits for you/);
        await page.press("Always allow roll_dice here…");
        await page.press("Never ask about roll_dice here");
        await page.shows(/roll_dice: \d.*scripted answer/);
        await page.idle();
        await page.ask("Roll two dice");
        await page.page.reload();
        await page.shows(/sum \d/);
        await page.press("Control");
        await page.press("Ask again about roll_dice");
        await page.until("it is forgotten", () => document.activeElement.id === "policy-risky");
        await page.press("Done");
        await askFirst(page, "Roll a die", /A call waits for you/);
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("a message while calls wait decides nothing by itself", async (page) => {
        await askFirst(page, "Pay Ann 20 euros", /A call waits for you/);
        await page.say("What is 6 * 7?");
        await page.shows(/Shall your message wait until you have decided/, ".composer");
        await page.press("Cancel");
        await page.until("the message is still there", () => document.querySelector(".composer-text").value === "What is 6 * 7?");
        await page.press("Send");
        await page.press("Let the message wait");
        await page.shows(/Your message is stored/, ".next");
        await page.page.reload();
        await page.waits(/A call waits for you/);
        await page.press("Approve send_payment");
        await page.shows(/What is 6 \* 7\?.*6 \* 7 = 42/);
        await page.idle();
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["done", "done"],
        );

        await askFirst(page, "Pay Ann 30 euros", /A call waits for you/);
        await page.say("What is 7 * 7?");
        await page.press("Reject it and send");
        await page.shows(/7 \* 7 = 49/);
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["done", "done", "rejected", "done"],
        );
      });

      await step("the rating of an analyzer of the Python SDK is shown, and the call waits here too", async (page) => {
        const file = path.join(tmpdir(), `threadkeep-risky-${process.pid}.zip`);
        context.after(() => rmSync(file, { force: true }));
        writeFileSync(file, packed(risky.id, filesOf(fileURLToPath(new URL(risky.directory, newest)))));
        await page.drop(file);
        await page.waits(/A call waits for you.*high risk/);
        await page.press("Reject… terminal");
        await page.press("Reject terminal");
        await page.shows(/The user rejected this action.*scripted answer/);
      });

      await step("the confirmation policy of a conversation can be chosen", async (page) => {
        await page.ask("Roll a die");
        await page.press("Control");
        await page.isAccessible("control");
        await page.click("#policy-always");
        await page.shows(/Asks about every call/, "#control-line");
        await page.press("Done");
        await page.page.reload();
        await page.shows(/Asks about every call/, "#control-line");
        await askFirst(page, "Roll a die", /Roll the dice/);
        await page.press("Control");
        await page.click("#policy-never");
        await page.shows(/Asks about harmful tools only/, "#control-line");
        await page.press("Done");
        await page.press("Approve roll_dice");
        await page.until("it ran", () => document.querySelectorAll('.call[data-state="done"]').length === 2);
        await page.idle();
        await page.ask("Roll a die");
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["done", "done", "done"],
        );
        await askFirst(page, "Pay Ann 20 euros", /A call waits for you.*Pay Ann 20/);
        assert.equal((await page.calls()).at(-1).state, "waiting", "what does harm is asked about in each case");
      });

      await step("a secret is used by its name and shown nowhere", async (page) => {
        await page.ask("Call the API");
        await page.shows(/no secret API_TOKEN here/);
        await page.press("Control");
        await page.page.type("#secret-name", "API_TOKEN");
        await page.page.type("#secret-value", "swordfish-7123");
        await page.press("Add");
        await page.shows(/API_TOKEN/, ".secret-names");
        assert.equal(await page.page.$eval("#secret-value", (field) => field.value), "");
        await page.press("Done");
        await page.ask("Call the API");
        await page.shows(/a friend of this page.*<secret-hidden>/);
        assert.doesNotMatch(await page.page.content(), /swordfish/);
        await page.page.reload();
        await page.shows(/a friend of this page/);
        await page.press("Control");
        await page.shows(/API_TOKEN.*not stored/, ".secret-names");
        await page.press("Remove API_TOKEN");
        await page.until("it is gone", () => document.querySelector(".secret-names").hidden);
      });

      await step("a budget ends a run, and a hook refuses a tool", async (page) => {
        await page.press("Settings");
        // The scripted model with a price.
        await page.choose("#connection", "other");
        await page.fill("#base-url", `${demo.origin}/v1`);
        await page.fill("#model", "openai/scripted-model");
        await page.click(".more summary");
        await page.fill("#input-price", "1");
        await page.fill("#budget", "0.0001");
        await page.choose("#forbidden", "roll_dice");
        await page.press("Save");
        await page.shows(/at most \$0\.0001 a run/, "#control-line");
        await page.say("What is 6 * 7?");
        await page.shows(/The budget of \$0\.0001 is used up/);
        await page.shows(/at most/, "#control-line");
        await page.shows(/tokens, \$0\.0\d+/, ".spent");
        await page.press("Settings");
        await page.fill("#budget", "1");
        await page.press("Save");
        await page.shows(/at most \$1.* a run/, "#control-line");
        await page.ask("Roll a die");
        await page.shows(/The user has forbidden roll_dice/);
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("a pause lasts", async (page) => {
        await page.say("Count slowly to 3, then roll a die");
        await page.shows(/1 of 3/);
        await page.press("Pause");
        await page.shows(/Paused/);
        await page.idle();
        await page.page.reload();
        await page.press("Continue");
        await page.shows(/scripted answer/);
        await page.idle();
        assert.deepEqual(
          (await page.calls()).map(({ state }) => state),
          ["done", "done"],
        );
      });
    } finally {
      await browser.close();
    }
  });
}
