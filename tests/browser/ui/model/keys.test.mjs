// The keys of <threadkeep-model>: in memory, or encrypted under a passphrase or a passkey, and nowhere in plain text.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { plugIn } from "../../../support/browser/passkeys.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { dump, ModelPage } from "./page.mjs";

const passphrase = "eight words would be better";
const secrets = /sk-of-mine|eight words/;

let server;
const model = createModel(({ model: name }) =>
  name === "broken" ? { status: 400, error: { message: "sk-of-mine is wrong" } } : { text: "Here I am." },
);
before(async () => (server = await startServer({ model })));
after(() => server.close());

const keysAsked = () => [...new Set(model.requests.map(({ headers }) => headers.authorization))];

for (const kind of availableBrowsers) {
  test(`${kind}: the keys of <threadkeep-model>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = (name, body) =>
      context.test(name, async () => {
        const settings = await ModelPage.open(browser, server.origin);
        const said = [];
        settings.page.on?.("console", (message) => said.push(message.text()));
        await body(settings);
        assert.doesNotMatch(said.join("\n"), secrets);
        // The browser says what the server has answered.
        assert.deepEqual(
          browser.problems.splice(0).filter((problem) => !/status of 400/.test(problem)),
          [],
        );
        await settings.get(async () => {
          await window.settings.store.keys.forget();
          localStorage.clear();
        });
        await settings.page.close();
      });
    const enter = async (settings, { key = "sk-of-mine", kept = "memory" } = {}) => {
      await settings.connect({ baseUrl: `${server.origin}/v1`, model: "openai/small", key });
      await settings.choose("protection", kept);
      if (kept === "passphrase") await settings.fill("passphrase", passphrase);
      await settings.save();
    };
    const isNowhere = async (settings) => assert.doesNotMatch(await settings.get(dump), secrets);

    await step("a key in memory is used, shown never again, and gone with the page", async (settings) => {
      model.requests.length = 0;
      await enter(settings);
      assert.equal(await settings.value("api-key"), "");
      await settings.shows(/The key for 127\.0\.0\.1:\d+ is there, and is not shown again/);
      await settings.ask("Hello");
      await settings.answers(/Here I am/);
      assert.deepEqual(keysAsked(), ["Bearer sk-of-mine"]);
      await isNowhere(settings);
      // Another server does not get it.
      await settings.fill("base-url", "https://llm.example/v1");
      await settings.shows(/^(?!.*is there).*Sent to llm\.example and nowhere else/);
      await settings.get(() => window.settings.reset());
      await settings.press("Remove the key");
      await settings.until("it is gone", () => !button("Remove the key"));
      await enter(settings);
      await settings.reload();
      model.requests.length = 0;
      await settings.ask("And now?");
      await settings.until("it is asked", () => !chat.thread.getSnapshot().isRunning);
      assert.ok(!keysAsked().includes("Bearer sk-of-mine"));
    });

    await step("under a passphrase it is asked for before a request, also while the settings are not shown", async (settings) => {
      await enter(settings, { kept: "passphrase" });
      await isNowhere(settings);
      await settings.reload();
      model.requests.length = 0;
      await settings.shows(/The stored keys are locked/);
      assert.equal(await settings.value("protection"), "passphrase");
      await settings.looksRight("locked");
      await settings.get(() => (window.settings.hidden = true));
      await settings.ask("Hello");
      await settings.shows(/Unlock the key.*Nothing is sent before/, "dialog");
      await settings.until("the field has the focus", () => focused()?.id === "unlock-field");
      await settings.looksRight("question");
      await settings.page.keyboard.type("not this one");
      await settings.page.keyboard.press("Enter");
      await settings.shows(/This is not the passphrase/, "dialog");
      await settings.page.keyboard.press("Escape");
      await settings.until(
        "the run has failed",
        () => chat.thread.getSnapshot().error?.code === "key_locked" || chat.thread.getSnapshot().status === "error",
      );
      assert.deepEqual(model.requests, []);
      await settings.ask("Hello again");
      await settings.until("it is asked again", () => one("dialog[open]"));
      await settings.page.keyboard.type(passphrase);
      await settings.page.keyboard.press("Enter");
      await settings.answers(/Here I am/);
      assert.deepEqual(keysAsked(), ["Bearer sk-of-mine"]);
      await isNowhere(settings);

      // Other settings are saved without it.
      await settings.reload();
      await settings.fill("model", "openai/other");
      await settings.save();
      await settings.shows(/The stored keys are locked/);
      // The connection is tested with it, and what a server repeats is hidden.
      await settings.fill("model", "openai/broken");
      await settings.press("Test the connection");
      await settings.until("it is asked", () => one("#unlock-field"));
      await settings.page.keyboard.type(passphrase);
      await settings.page.keyboard.press("Enter");
      await settings.shows(/did not accept the request/, ".tested");
      await isNowhere(settings);
      // A new key beside it needs no passphrase.
      await settings.connect({ baseUrl: "https://llm.example/v1", key: "sk-of-mine-2" });
      await settings.save();
      await isNowhere(settings);
      await settings.reload();
      await settings.press("Unlock");
      await settings.until("it is asked", () => one("#unlock-field"));
      await settings.page.keyboard.type(passphrase);
      await settings.page.keyboard.press("Enter");
      await settings.shows(/The key for llm\.example is there/);
      const origin = server.origin;
      assert.deepEqual(
        await settings.get(
          (origin) => [window.settings.store.keys.get(origin), window.settings.store.keys.get("https://llm.example")],
          origin,
        ),
        ["sk-of-mine", "sk-of-mine-2"],
      );
      // No longer stored: in memory only.
      await settings.choose("protection", "memory");
      await settings.save();
      assert.deepEqual(
        await settings.get(() => [window.settings.store.keys.isLocked, localStorage.getItem("threadkeep-keys:threadkeep")]),
        [false, null],
      );
      await isNowhere(settings);
    });

    await step("stored keys can be forgotten without the passphrase, and are locked in all tabs", async (settings) => {
      await enter(settings, { kept: "passphrase" });
      const other = await ModelPage.open(browser, server.origin);
      await other.shows(/The stored keys are locked/);
      await other.press("Unlock");
      await other.until("it is asked", () => one("#unlock-field"));
      await other.page.keyboard.type(passphrase);
      await other.page.keyboard.press("Enter");
      await other.shows(/is there, and is not shown again/);
      await other.get(() => window.settings.store.keys.lock());
      await settings.shows(/The stored keys are locked/);
      await settings.press("Forget the stored keys");
      await settings.until("there is none", () => !button("Unlock") && field("protection").value === "memory");
      await other.until("there is none either", () => !button("Unlock"));
      await other.page.close();
    });
  });
}

test("a passkey keeps the key", { skip: !availableBrowsers.includes("chromium") && "there is no Chromium" }, async () => {
  const browser = await tabs("chromium");
  // An address of numbers can have no passkeys.
  const origin = server.origin.replace("127.0.0.1", "localhost");
  const settings = await ModelPage.open(browser, origin);
  try {
    const device = await plugIn(settings.page);
    await settings.connect({ baseUrl: `${origin}/v1`, key: "sk-of-mine" });
    await settings.choose("protection", "passkey");
    await settings.save();
    assert.doesNotMatch(await settings.get(dump), secrets);
    await settings.reload();
    model.requests.length = 0;
    await settings.ask("Hello");
    await settings.until("it is asked", () => one("dialog[open]"));
    await settings.get(() => button("Unlock").click());
    await settings.answers(/Here I am/);
    assert.deepEqual(keysAsked(), ["Bearer sk-of-mine"]);
    assert.doesNotMatch(await settings.get(dump), secrets);
    // If no passkey is made, the key is not stored in plain text instead. A device that has declined once does so from then on.
    await settings.choose("protection", "memory");
    await settings.save();
    await device.declines();
    await settings.choose("protection", "passkey");
    await settings.fill("api-key", "sk-of-mine-2");
    await settings.press("Save");
    await settings.shows(/No passkey was made, so the key is in memory only/, ".saved");
    assert.equal(await settings.value("protection"), "memory");
    assert.doesNotMatch(await settings.get(dump), secrets);
    assert.deepEqual(browser.problems.splice(0), []);
  } finally {
    await browser.close();
  }
});
