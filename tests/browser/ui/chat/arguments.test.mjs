// The arguments of a call that waits, edited in a form of <threadkeep-chat> made from their schema.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the arguments of a call that waits are edited in a form of <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

    await step(
      "arguments are edited in a form of their schema, and what is not sent is kept over a reload, without secrets",
      "",
      async (chat, model) => {
        const trip = {
          to: "Rome",
          seats: 2,
          notes: "Two lines\nof notes",
          stops: ["Pisa", "Siena"],
          contact: { name: "Ann" },
          pin: "hunter2",
          budget: 400,
          other: { a: 1 },
        };
        model.add({ calls: [call("book_trip", trip)] }, { text: "Booked." });
        await chat.say("Book it");
        await chat.shows(/A call waits for you/);
        await chat.press("Edit… book_trip");
        await chat.until("the first field has the focus", () => focused()?.matches(".argument-fields input") && focused().value === "Rome");
        const fields = () =>
          chat.get(() =>
            all(".argument-fields :is(input, textarea, select)").map((field) => [
              field.labels[0]?.textContent,
              field.type,
              field.type === "checkbox" ? field.checked : field.value,
            ]),
          );
        assert.deepEqual(await fields(), [
          ["Destinationrequired", "text", "Rome"],
          ["seatsrequired", "text", "2"],
          ["class", "select-one", ""],
          ["window", "select-one", ""],
          ["notes", "textarea", "Two lines\nof notes"],
          ["Item 1", "text", "Pisa"],
          ["Item 2", "text", "Siena"],
          ["namerequired", "text", "Ann"],
          ["mail", "text", ""],
          ["pin", "password", "hunter2"],
          ["budget", "textarea", "400"],
          ["other", "textarea", '{\n  "a": 1\n}'],
        ]);
        await chat.shows(/A city⟨U\+202E⟩ or an airport/, ".argument-fields");
        await chat.looksRight("a form of arguments", 1400);
        const field = (name) =>
          chat.get((name) => {
            for (const each of all(".argument-fields :is(input, textarea, select)")) each.toggleAttribute("data-sought", false);
            const isSought = (each) => each.labels[0]?.textContent.replace(/required$/, "") === name;
            all(".argument-fields :is(input, textarea, select)").find(isSought).setAttribute("data-sought", name);
          }, name);
        const put = async (name, text) => (await field(name), await chat.fill(`[data-sought="${name}"]`, text));
        await put("seats", "many");
        await chat.shows(/not a number/, ".argument-fields");
        await chat.press("Change book_trip");
        await chat.until(
          "the field that is wrong has the focus",
          () => focused()?.dataset.sought === "seats" && /Correct them first/.test(one(".arguments-wrong").textContent),
        );
        await put("seats", "0");
        await chat.press("Change book_trip");
        await chat.shows(/do not fit the tool book_trip.*seats/, ".arguments-wrong");
        await put("seats", "3");
        await put("Destination", "Milan");
        await put("pin", "swordfish");
        await put("Item 2", "Lucca");
        await chat.press("Remove item 1 of stops");
        await chat.press("Add an item to stops");
        await chat.until("there is another item", () => button("Remove item 2 of stops"));
        await put("Item 2", "Assisi");
        await field("class");
        await chat.get(() => {
          one("[data-sought=class]").value = "1";
          one("[data-sought=class]").dispatchEvent(new Event("change", { bubbles: true }));
        });
        const kept = await chat.get(() => JSON.stringify({ ...sessionStorage }));
        assert.match(kept, /Milan/);
        assert.doesNotMatch(kept, /swordfish|hunter2/, "a secret stays in the form");
        await chat.reload();
        await chat.until("what was written is still there", () => one(".argument-fields input")?.value === "Milan");
        assert.ok(await chat.get(() => !focused()?.closest(".decision")), "a reload moves no focus");
        const after = Object.fromEntries((await fields()).map(([name, , value]) => [name.replace(/required$/, ""), value]));
        assert.deepEqual([after.seats, after.class, after["Item 1"], after["Item 2"], after.pin], ["3", "1", "Lucca", "Assisi", "hunter2"]);
        await chat.press("As JSON");
        const json = JSON.parse(await chat.get(() => one(".arguments-field").value));
        assert.deepEqual(json, { ...trip, to: "Milan", seats: 3, stops: ["Lucca", "Assisi"], class: "business" });
        await chat.press("As a form");
        await chat.until("it is the form again", () => one(".argument-fields"));
        await chat.press("Change book_trip");
        await chat.shows(/Milan/, ".ask-arguments");
        assert.equal(
          await chat.get(() => Object.keys(sessionStorage).filter((name) => name.includes("arguments")).length),
          0,
          "nothing is left",
        );
        await chat.get(() => one(".ask-arguments").focus());
        await chat.page.keyboard.press("End");
        await chat.until("it is read", () => button("Approve book_trip")?.ariaDisabled === "false");
        await chat.press("Approve book_trip");
        await chat.shows(/Booked\./);
        assert.match(JSON.stringify(model.requests.at(-1).body.messages), /Lucca/);
      },
    );
  });
}
