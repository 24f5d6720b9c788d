// The shortcuts of <threadkeep-chat>, and the model that is chosen where one writes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, ElementPage, pay, startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

for (const kind of availableBrowsers) {
  test(`${kind}: <threadkeep-chat> has shortcuts, and its model is chosen where one writes`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

    await step("the model is chosen where one writes", "?models", async (chat, model) => {
      const menu = () => chat.get(() => [one(".model-menu select").value, one(".model-menu select").disabled]);
      const choose = (name) =>
        chat.get((name) => {
          const select = one(".model-menu select");
          select.focus();
          select.value = name;
          select.dispatchEvent(new Event("change", { bubbles: true }));
        }, name);
      assert.deepEqual(await menu(), ["Large", false], "the one that the conversation has");
      model.add({ text: "Small talk." });
      await choose("Small");
      await chat.until("the conversation has it", () => one(".model-menu select").value === "Small" && window.changes[0] === "Small");
      await chat.shows(/Small answers from now on/, ".announcements");
      assert.ok(await chat.get(() => focused().matches("select")), "the focus stays");
      await chat.say("Hello");
      await chat.shows(/Small talk/);
      await chat.idle();
      assert.equal(model.requests.at(-1).body.model, "gpt-4o-mini");
      await choose("Broken");
      await chat.shows(/The key was not given/, ".model-menu");
      assert.deepEqual([await menu(), await chat.get(() => window.changes)], [["Small", false], ["Small"]]);
      await chat.looksRight("a menu of models");
      model.add({ calls: [call("hang")] }, { text: "Large again." });
      await chat.say("Wait");
      await chat.until("the tool runs", () => one(".call")?.dataset.state === "running");
      await choose("Large");
      await chat.shows(/Large answers from the next request on/, ".announcements");
      await chat.say("Go on");
      await chat.get(() => window.chat.thread.stop());
      await chat.idle();
      await chat.press("Continue");
      await chat.shows(/Large again/);
      assert.equal(model.requests.at(-1).body.model, "gpt-4o");
      await chat.idle();
      const other = new ElementPage(await browser.page(chat.page.url()), browser);
      await other.ready();
      await other.shows(/Runs in another tab/, ".home-line");
      await other.until("a tab that follows cannot choose, and says why", () => {
        const select = one(".model-menu select");
        return (
          select.disabled &&
          /chosen in the tab that this conversation runs in/.test(one(`#${select.getAttribute("aria-describedby")}`).textContent)
        );
      });
      await other.page.close();
      await chat.get(() => void (window.chat.models = window.chat.models.slice(0, 1)));
      await chat.until("one model is no choice", () => one(".model-menu") === null);
    });

    await step("a letter that is typed in no field goes to the message", "?models&policy=always", async (chat, model) => {
      const { keyboard } = chat.page;
      const written = (wanted, what) => chat.until(what, (wanted) => one(".composer-text").value === wanted, wanted);
      await chat.get(() => one(".scroller").focus());
      await keyboard.type("now say hello?");
      await written("now say hello?", "from the list of messages");
      await chat.get(() => (focused().blur(), document.activeElement.blur()));
      assert.equal(await chat.get(() => document.activeElement === document.body), true);
      await keyboard.type(", please");
      await written("now say hello?, please", "while nothing has the focus");
      await chat.get(() => one(".model-menu select").focus());
      await keyboard.press("S");
      assert.equal(await chat.get(() => focused().matches("select")), true, "a menu has its keys");
      await chat.get(() => one(".attach").focus());
      await keyboard.type("#1 first");
      await written("now say hello?, please#1 first", "from a button");
      await chat.fill(".composer-text", "");

      model.add({ calls: [pay("Ann", 20), pay("Bob", 30)] }, { text: "All paid." });
      await chat.say("Pay both");
      await chat.until("they can be approved", () => button("Approve all 2")?.ariaDisabled !== "true" && button("Approve all 2") !== null);
      await chat.press("Approve all 2");
      await chat.press("Yes, approve all 2");
      await keyboard.type("m and a, then thanks");
      await written("m and a, then thanks", "at once after an approval");
      await chat.shows(/All paid/);
      await chat.idle();
      await written("m and a, then thanks", "and when the run is over");
      await chat.fill(".composer-text", "");
      await chat.press("Edit “Pay both”");
      await keyboard.type(" again");
      assert.equal(await chat.get(() => focused().value), "Pay both again", "another field has its keys");
      model.add({ text: "Paid again." });
      await keyboard.press("Enter");
      await keyboard.type("good");
      await written("good", "at once after an edit");
      await chat.shows(/Paid again/);
    });

    await step("shortcuts: a list of them, and Escape that stops", "", async (chat, model) => {
      const { keyboard } = chat.page;
      const isList = () => chat.get(() => one("dialog")?.open === true);
      const withControl = async (key) => {
        await keyboard.down("Control");
        await keyboard.press(key);
        await keyboard.up("Control");
      };
      await chat.get(() => one(".composer-text").focus());
      await withControl("/");
      await chat.until("the list is open", () => one("dialog")?.open && one("dialog").textContent.includes("Stop the agent"));
      await chat.looksRight("the list of shortcuts");
      await keyboard.press("x");
      await keyboard.press("Escape");
      await chat.until("the focus is where it was", () => one("dialog") === null && focused()?.matches(".composer-text"));
      assert.equal(await chat.get(() => one(".composer-text").value), "", "a key in a dialog is no letter of a message");
      await chat.get(() => one(".scroller").focus());
      await withControl("/");
      await chat.until("the list is open", () => one("dialog")?.open);
      await chat.press("Close");
      await chat.until("it is closed", () => one("dialog") === null && focused()?.matches(".scroller"));

      model.add({ calls: [pay("Ann", 20)] }, { calls: [call("hang")] });
      await chat.say("Pay Ann");
      await chat.until("it can be approved", () => button("Approve transfer_money")?.ariaDisabled === "false");
      await withControl(".");
      await chat.until("the focus is on the button, and nothing is decided", () => nameOf(focused()) === "Approve transfer_money");
      assert.deepEqual(await chat.states(), ["waiting"]);
      await keyboard.press("Enter");
      await chat.until("the tool runs", () => all(".call").at(-1)?.dataset.state === "running");

      await withControl("/");
      await chat.until("the list is open", () => one("dialog")?.open);
      await keyboard.press("Escape");
      await chat.until("Escape closes the list", () => one("dialog") === null);
      assert.equal(await chat.get(() => window.chat.thread.getSnapshot().isRunning), true, "and stops nothing else");
      // Outside of the chat the key is the page's.
      await chat.get(() => (focused().blur(), document.activeElement.blur()));
      await keyboard.press("Escape");
      assert.equal(await chat.get(() => window.chat.thread.getSnapshot().isRunning), true);
      await chat.get(() => one(".scroller").focus());
      // Safari ends a composition before it tells of the key that did.
      const composing = { key: "Escape", keyCode: 229, bubbles: true, composed: true };
      await chat.get((init) => void focused().dispatchEvent(new KeyboardEvent("keydown", init)), composing);
      assert.equal(await chat.get(() => window.chat.thread.getSnapshot().isRunning), true, "the key of a composition stops nothing");
      await keyboard.press("Escape");
      await chat.shows(/Stopped/);
      await chat.shows(/Write what to do instead/, ".next-step");
      await chat.get(() => window.chat.setAttribute("shortcuts", "off"));
      await chat.until("the page has turned them off", () => one(".shortcuts") === null);
      await chat.get(() => one(".scroller").focus());
      await withControl("/");
      await keyboard.type("x");
      assert.deepEqual([await isList(), await chat.get(() => one(".composer-text").value)], [false, ""]);
    });
  });
}
