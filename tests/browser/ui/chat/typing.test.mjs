// What is typed while no field has the focus goes into the message of <threadkeep-chat>: any letter, at any moment, and nothing is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, pay, startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { seed } from "../../../support/explored.mjs";
import { randomFrom } from "../../../support/random.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

/** All that a key of a keyboard writes, but the space, which presses a button. */
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

for (const kind of availableBrowsers) {
  test(`${kind}: what is typed goes into the message of <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);
    const random = randomFrom(seed);
    /** Types what chance gives, without waiting for anything, and returns it. */
    const types = async (chat) => {
      const text = Array.from({ length: 4 }, () => random.of(printable)).join("");
      await chat.page.keyboard.type(text);
      return text;
    };
    const written = (chat, wanted, what) => chat.until(`${what}: ${wanted}`, (wanted) => one(".composer-text").value === wanted, wanted);
    const settled = async (chat, wanted, what) => {
      await written(chat, wanted, what);
      await chat.fill(".composer-text", "");
    };

    await step("every letter, from a button, from the messages, and while nothing has the focus", "", async (chat) => {
      const places = [
        () => one(".attach").focus(),
        () => one(".scroller").focus(),
        () => (focused()?.blur(), document.activeElement.blur()),
      ];
      for (const place of places) {
        for (const letter of printable) {
          await chat.get(place);
          await chat.page.keyboard.press(letter);
        }
        await settled(chat, printable.join(""), String(place));
      }
    });

    await step("on a first visit, before and after the conversation is open", "", async (chat) => {
      await chat.page.goto(chat.page.url().replace(/#.*/, "?again"));
      await untilIn(chat.page, "the field is drawn", () => window.one?.(".composer-text"));
      const before = await types(chat);
      await chat.ready();
      await settled(chat, before + (await types(chat)), "both");
    });

    await step("while an answer streams, and after each act of the user", "?policy=always", async (chat, model) => {
      let release;
      const released = new Promise((resolve) => (release = resolve));
      model.add({ text: ["One ", "and ", "two ", "and three."], pace: (write) => (write > 2 ? released : 20) });
      await chat.say("Count");
      await chat.shows(/One and/);
      let text = await types(chat);
      for (const selector of [".stop", ".scroller", ".attach", ".verbs button"]) {
        await chat.get((selector) => one(selector).focus(), selector);
        text += await types(chat);
      }
      release();
      text += await types(chat);
      await chat.shows(/and three\./);
      await chat.idle();
      await settled(chat, text + (await types(chat)), "while it streams");

      model.add({ text: "Four." });
      await chat.press("Another answer, in place of “One and two and three.”");
      await settled(chat, await types(chat), "after “Another answer”");
      await chat.shows(/Four\./);
      await chat.idle();
      await chat.until("there are two versions", () => one("[data-verb=previous]"));
      await chat.get(() => one("[data-verb=previous]").click());
      text = await types(chat);
      await chat.shows(/and three\./);
      await settled(chat, text + (await types(chat)), "after the arrow of a version");

      model.add({ calls: [pay("Ann", 20)] }, { calls: [pay("Bob", 30)] }, { calls: [call("hang")] }, { text: "Over." });
      await chat.say("Pay");
      await chat.until("it can be approved", () => button("Approve transfer_money")?.ariaDisabled === "false");
      await chat.press("Approve transfer_money");
      text = await types(chat);
      await chat.until("the next one waits", () => one(".approvals")?.textContent.includes("Bob"));
      await settled(chat, text + (await types(chat)), "after “Approve”, and when the next call waits");
      await chat.press("Reject… transfer_money");
      await chat.press("Reject transfer_money");
      text = await types(chat);
      await chat.until("the last one waits", () => one(".approvals")?.textContent.includes("hang"));
      await settled(chat, text + (await types(chat)), "after “Reject”");
      await chat.until("it can be approved", () => button("Approve hang")?.ariaDisabled === "false");
      await chat.press("Approve hang");
      await chat.until("it runs", () => all(".call").at(-1)?.dataset.state === "running");
      await chat.press("Stop");
      text = await types(chat);
      await chat.idle();
      await settled(chat, text + (await types(chat)), "after “Stop”");
      await chat.press("Continue");
      await settled(chat, await types(chat), "after “Continue”");
      await chat.shows(/Over\./);
      await chat.idle();

      model.add({ text: "Paid." });
      await chat.press("Edit “Pay”");
      await chat.page.keyboard.press("Enter");
      text = await types(chat);
      await chat.shows(/Paid\./);
      await settled(chat, text + (await types(chat)), "after an edit");
      await chat.press("Edit “Pay”");
      await chat.page.keyboard.press("Escape");
      await settled(chat, await types(chat), "after an edit that was given up");
    });

    await step("when a dialog has just been closed, and in another conversation", "", async (chat) => {
      const { keyboard } = chat.page;
      for (const how of ["Escape", "Close"]) {
        await chat.get(() => one(".scroller").focus());
        await keyboard.down("Control");
        await keyboard.press("/");
        await keyboard.up("Control");
        await chat.until("the list of shortcuts is open", () => one("dialog")?.open);
        if (how === "Escape") await keyboard.press(how);
        else await chat.press(how);
        await settled(chat, await types(chat), how);
      }
      await chat.get(() => window.chat.removeAttribute("conversation-id"));
      const text = await types(chat);
      await chat.until("it is open", () => window.chat.thread?.getSnapshot().phase === "open");
      await settled(chat, text + (await types(chat)), "another conversation");
    });

    await step("in the list that opens conversations in this chat", "", async ({ page }) => {
      await page.setViewport({ width: 1280, height: 800 });
      await page.goto(page.url().replace(/chat-controls.*/, "conversations.html"));
      await untilIn(page, "both are there", () => window.button?.("New conversation") && chat.shadowRoot.querySelector(".composer-text"));
      await page.evaluate(() => (button("New conversation").focus(), button("New conversation").click()));
      const first = await types({ page });
      await untilIn(page, "it is open", () => chat.thread?.getSnapshot().phase === "open");
      await page.evaluate(() => button("New conversation").focus());
      const wanted = first + (await types({ page }));
      await untilIn(page, wanted, (wanted) => chat.shadowRoot.querySelector(".composer-text").value === wanted, wanted);
      await page.evaluate(() => one("input[type=search], input").focus());
      await page.keyboard.type("x");
      assert.equal(await page.evaluate(() => focused().value), "x", "the field of the search has its keys");
    });

    await step("the field is one line on a phone while it is empty, also while the agent works", "", async (chat, model) => {
      await chat.page.setViewport({ width: 390, height: 780 });
      const height = () => chat.get(() => Math.round(one(".composer").getBoundingClientRect().height));
      const before = await height();
      assert.ok(before < 60, `${before} pixels`);
      model.add({ calls: [call("hang")] }, { text: "Over." });
      await chat.say("Wait");
      await chat.until("it runs", () => all(".call").at(-1)?.dataset.state === "running" && one(".stop"));
      assert.equal(await height(), before);
      assert.deepEqual(
        await chat.get(() =>
          all(".composer-buttons button")
            .filter((each) => each.checkVisibility())
            .map(nameOf),
        ),
        ["Pause", "Stop"],
        "there is nothing to send",
      );
      await photograph(chat, `composer-works-${kind}`);
      await chat.fill(".composer-text", "And");
      await chat.until("it can be sent", () => one(".send").checkVisibility());
      await photograph(chat, `composer-works-text-${kind}`);
      await chat.fill(".composer-text", "");
      assert.equal(await height(), before);
      await chat.press("Stop");
      await chat.idle();
      assert.equal(await height(), before);
      await chat.press("Continue");
      await chat.shows(/Over\./);
    });
  });
}
