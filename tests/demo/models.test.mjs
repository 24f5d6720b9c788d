// The demo's settings of models: what is spoken with one, profiles that are kept, and one that steps in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

/** Says its name; `broken` is overloaded, and `slow` waits until the test lets it go. */
const model = createModel(async ({ model: name, messages }) => {
  if (name === "broken") return { status: 503, headers: { "retry-after": "0" } };
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
  test(`${kind}: the settings of the demo keep profiles of models, and one that steps in`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const connect = async (page, name, { key, baseUrl = `${demo.origin}/v1` } = {}) => {
      await page.choose("#connection", "other");
      await page.fill("#base-url", baseUrl);
      await page.fill("#model", name);
      if (key) await page.fill("#api-key", key);
    };
    const unfold = (page) => page.click(".more summary");
    const keep = async (page, name) => {
      await page.fill("#profile-name", name);
      await page.page.keyboard.press("Enter");
      await page.shows(new RegExp(`Saved as “${name}”`), "dialog");
    };
    const save = async (page) => {
      await page.press("Save");
      await page.until(
        "it is saved",
        () => !document.querySelector("dialog") && /Settings saved/.test(document.querySelector("#notices").textContent),
      );
    };
    /** The last request for an answer: the model also makes titles. */
    const last = () => model.requests.findLast(({ body }) => !/You name conversations/.test(JSON.stringify(body)));

    try {
      await step("rarely used settings are folded away, and unfold where a value is wrong", async (page) => {
        await page.press("Settings");
        assert.equal(await page.page.$eval("#api-key", (field) => field.checkVisibility()), false);
        await page.choose("#connection", "openai");
        assert.equal(await page.page.$eval("#api-key", (field) => field.checkVisibility()), true);
        assert.equal(await page.page.$eval("#api-mode", (field) => field.checkVisibility()), false);
        // A wrong value in a folded part is shown.
        await page.page.$eval("#input-price", (field) => (field.value = "-1"));
        await page.press("Save");
        await page.until(
          "it is unfolded, and the focus there",
          () => document.querySelector(".more").open && document.activeElement.id === "input-price",
        );
      });

      await step("the wire API of a server changes the request", async (page) => {
        for (const [mode, path] of [
          ["anthropic", "/v1/messages"],
          ["responses", "/v1/responses"],
          ["chat", "/v1/chat/completions"],
          ["auto", "/v1/chat/completions"],
        ]) {
          await page.press("Settings");
          if (mode === "anthropic") await connect(page, "openai/talker", { key: "sk-talk" });
          await page.page.$eval(".more", (details) => (details.open = true));
          await page.choose("#api-mode", mode);
          assert.equal(await page.page.$eval("#background", (box) => box.disabled), !["responses", "auto"].includes(mode), mode);
          await save(page);
          await page.ask("Who are you?");
          assert.equal(last().path, path);
          assert.equal(last().body.background, undefined);
        }
        await page.shows(/I am talker/);
      });

      await step("tools in text, and answers in the background", async (page) => {
        await page.press("Settings");
        await connect(page, "openai/talker");
        await unfold(page);
        await page.click("#native-tools");
        await page.shows(/tools in text/, ".more summary");
        await save(page);
        await page.ask("Who are you?");
        assert.equal(last().body.tools, undefined);
        assert.match(JSON.stringify(last().body.messages), /roll_dice/);
        await page.press("Settings");
        await unfold(page);
        await page.click("#native-tools");
        await page.choose("#api-mode", "responses");
        await page.click("#background");
        await page.shows(/OpenAI Responses · in the background/, ".more summary");
        await save(page);
        await page.ask("And now?");
        assert.deepEqual([last().body.background, last().body.store], [true, true]);
      });

      await step("a profile is stored without its key, and can be chosen after a reload", async (page) => {
        await page.press("Settings");
        await connect(page, "openai/first", { key: "sk-of-the-first" });
        await unfold(page);
        await page.choose("#api-mode", "anthropic");
        await page.fill("#profile-name", "not a name");
        await page.press("Save profile");
        await page.shows(/begins with a letter or digit/, "dialog .wrong");
        await page.fill("#input-price", "2.5");
        await keep(page, "first");
        assert.equal(await page.page.$eval("#connection", (select) => select.selectedOptions[0].textContent), "first");
        await page.isAccessible("the settings with a profile");
        await connect(page, "openai/second");
        await save(page);
        await page.ask("Who are you?");
        assert.equal(last().body.model, "second");

        await page.page.reload();
        await page.until("the page has drawn itself", () => document.querySelector(".items"));
        assert.doesNotMatch(await page.page.evaluate(storedProfiles), /sk-of/);
        await page.press("Settings");
        await page.page.waitForSelector('#connection option[value="profile:first"]');
        await page.choose("#connection", "profile:first");
        assert.equal(await page.page.$eval("#input-price", (field) => field.value), "2.5");
        await page.fill("#api-key", "sk-given-again");
        await save(page);
        await page.ask("And now?");
        assert.equal(last().path, "/v1/messages");
        assert.deepEqual([last().body.model, last().headers["x-api-key"]], ["first", "sk-given-again"]);
        await page.shows(/first at/, "#model-label");

        await page.press("Settings");
        assert.equal(await page.page.$eval("#connection", (select) => select.value), "profile:first", "it is known again");
        await unfold(page);
        await page.press("Delete “first”");
        await page.shows(/“first” is deleted/, "dialog");
        assert.equal(await page.page.$('#connection option[value="profile:first"]'), null);
        assert.equal(await page.page.$eval("#model", (field) => field.value), "openai/first");
        assert.equal(await page.page.evaluate(() => document.activeElement.id), "profile-name");
      });

      await step(
        "a profile steps in for a model that fails, with the key of its own server",
        async (page) => {
          const elsewhere = demo.origin.replace("127.0.0.1", "localhost");
          await page.press("Settings");
          await connect(page, "openai/reserve", { baseUrl: `${elsewhere}/v1` });
          await unfold(page);
          await keep(page, "reserve");
          await connect(page, "openai/broken", { key: "sk-broken" });
          await page.choose("#fallback", "reserve");
          await page.page.type("#fallback-key", "sk-reserve");
          await page.isAccessible("the settings with a fallback");
          if (await page.inTheDark()) await page.isAccessible("the same in the dark");
          await page.click("#remember-key");
          await save(page);
          await page.shows(/broken at .*, else reserve/, "#model-label");
          await page.ask("Who are you?");
          await page.shows(/I am reserve/);
          // The page may be asking for a title already.
          const answers = model.requests.filter(({ body }) => !JSON.stringify(body.messages?.[0] ?? "").includes("You name conversations"));
          const asked = answers.slice(-2).map(({ body, headers }) => [body.model, headers.authorization, headers.host]);
          assert.deepEqual(asked, [
            ["broken", "Bearer sk-broken", new URL(demo.origin).host],
            ["reserve", "Bearer sk-reserve", new URL(elsewhere).host],
          ]);

          await page.page.reload();
          await page.shows(/I am reserve/);
          await page.ask("And now?");
          assert.equal(last().headers.authorization, "Bearer sk-reserve", "both keys were kept");
          await page.press("Settings");
          assert.equal(await page.page.$eval("#fallback", (select) => select.value), "reserve");
          assert.equal(await page.page.$eval("#fallback-key", (field) => field.value), "sk-reserve");
          await page.page.evaluate(() => localStorage.clear());
        },
        /status of 503/,
      );

      await step("a key belongs to its server", async (page) => {
        // As it was stored when there was one key only.
        const old = JSON.stringify({ model: "openai/talker", baseUrl: `${demo.origin}/v1`, rememberKey: true, hadKey: true });
        await page.page.evaluate((old) => {
          localStorage.setItem("threadkeep-demo:settings", old);
          localStorage.setItem("threadkeep-demo:api-key", "sk-of-old");
        }, old);
        // A page that goes away while it loads complains of what it did not get.
        await page.page.waitForNetworkIdle({ idleTime: 200 });
        await page.page.reload();
        await page.ask("Who are you?");
        assert.equal(last().headers.authorization, "Bearer sk-of-old");
        await page.press("Settings");
        await page.choose("#connection", "openai");
        assert.equal(await page.page.$eval("#api-key", (field) => field.value), "");
        await page.page.type("#api-key", "sk-of-openai");
        await page.shows(/until you clear it here, like that for 127\.0\.0\.1/, "#key-help");
        await save(page);
        await page.press("Settings");
        await connect(page, "openai/talker");
        await page.page.focus("#model");
        assert.equal(await page.page.$eval("#api-key", (field) => field.value), "sk-of-old");
        await page.press("Cancel");
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("another model answers from the next request on, also in a run that is under way", async (page) => {
        await page.press("Settings");
        await connect(page, "openai/slow");
        await save(page);
        await page.say("Roll a die");
        await page.until("it runs", () => document.querySelector(".composer .stop"));
        await page.press("Settings");
        await page.fill("#model", "openai/quick");
        await save(page);
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

/** Everything in the database of profiles, as text. */
async function storedProfiles() {
  const read = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const database = await read(indexedDB.open("threadkeep-profiles"));
  const rows = await read(database.transaction("profiles").objectStore("profiles").getAll());
  database.close();
  if (rows.length === 0) throw new Error("there are no profiles");
  return JSON.stringify(rows);
}
