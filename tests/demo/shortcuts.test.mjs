// The demo's shortcuts, its search of titles, and the model that is chosen at the message field.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

/** Says its name, and names conversations after their fruit. */
const model = createModel(async ({ model: name, messages }) => {
  const [, fruit = "nothing"] = /Speak of (\w+)/.exec(JSON.stringify(messages)) ?? [];
  return { text: /You name conversations/.test(JSON.stringify(messages)) ? `All about ${fruit}` : `I am ${name}.` };
});

let demo;
before(async () => (demo = await startDemo({ model: model.handle })));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the demo has shortcuts, a search of titles, and a choice of the model at the message field`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const isFocused = (selector) => document.activeElement?.matches(selector);

    await step("new, search, and a list of all shortcuts", async (page) => {
      const { keyboard } = page.page;
      const withControl = async (key, ...more) => {
        const held = ["Control", ...more];
        for (const each of held) await keyboard.down(each);
        await keyboard.press(key);
        for (const each of held) await keyboard.up(each);
      };
      await page.ask("Speak of apples");
      await page.shows(/All about apples/, "#conversation-list");
      await page.page.focus(".scroller");
      await withControl("O", "Shift");
      await page.until("a conversation begins, and the focus is in its field", isFocused, ".composer-text");
      assert.match(page.page.url(), /#\/$/);
      await page.page.focus("#conversation-list a");
      await keyboard.type("now say hello");
      await page.until("letters go to the field", () => document.querySelector(".composer-text").value === "now say hello");
      assert.match(page.page.url(), /#\/$/);
      await page.fill(".composer-text", "");
      await page.ask("Speak of pears");
      await page.shows(/All about pears.*All about apples/, "#conversation-list");
      await page.page.focus(".scroller");
      await withControl("k");
      await page.until("one can search", isFocused, "#conversation-search");
      await keyboard.type("apPLes");
      const titles = () => [...document.querySelectorAll("#conversation-list .conversation-title")].map(({ textContent }) => textContent);
      await page.until("only what was sought is listed", () => document.querySelectorAll("#conversation-list a").length === 1);
      assert.deepEqual(await page.page.evaluate(titles), ["All about apples"]);
      await photograph(page, `demo-search-${kind}`);
      await page.isAccessible("a search");
      await keyboard.press("Enter");
      await page.until("the focus is on what was found", isFocused, "#conversation-list a");
      await keyboard.press("Enter");
      await page.shows(/Speak of apples/);
      await page.fill("#conversation-search", "nothing like it");
      await page.shows(/No title has these words/, "#conversation-search-empty:not([hidden])");
      await page.fill("#conversation-search", "");
      await page.press("Shortcuts");
      await page.shows(/New conversation.*Search the conversations.*Send the message/, "dialog");
      await page.still();
      await photograph(page, `demo-shortcuts-${kind}`);
      await page.isAccessible("the list of shortcuts");
      await keyboard.press("Escape");
      await page.until("the focus is back", isFocused, "#shortcuts-button");
    });

    await step("a profile is chosen at the message field, for this conversation and the next", async (page) => {
      const name = async (profile, id) => {
        await page.press("Settings");
        await page.choose("#connection", "other");
        await page.fill("#base-url", `${demo.origin}/v1`);
        await page.fill("#model", id);
        await page.page.$eval(".more", (details) => (details.open = true));
        await page.fill("#profile-name", profile);
        await page.page.keyboard.press("Enter");
        await page.shows(new RegExp(`Saved as “${profile}”`), "dialog");
        await page.press("Save");
        await page.until("it is saved", () => !document.querySelector("dialog"));
      };
      const chosen = (wanted) => document.querySelector(".model-menu select")?.value === wanted;
      assert.equal(await page.page.$(".model-menu"), null, "there is nothing to choose");
      await name("One", "openai/first");
      await name("Two", "openai/second");
      await page.until("the last one is chosen", chosen, "Two");
      await page.ask("Who are you?");
      await page.shows(/I am second/);
      await page.choose(".model-menu select", "One");
      await page.until("it is another one", chosen, "One");
      await page.shows(/first at/, "#model-label");
      await page.ask("And now?");
      await page.shows(/I am first/);
      await photograph(page, `demo-models-${kind}`);
      await page.isAccessible("the menu of models");
      await page.page.reload();
      await page.drawn();
      await page.until("it is still chosen", chosen, "One");
      await page.choose(".model-menu select", "Two");
      await page.shows(/second at/, "#model-label");
      await page.click("#new-conversation");
      await page.until("another one begins", () => document.querySelector(".start"));
      await page.until("it begins with the same", chosen, "Two");
      await page.ask("And you?");
      await page.shows(/I am second/);
    });

    assert.deepEqual(browser.problems, []);
  });
}
