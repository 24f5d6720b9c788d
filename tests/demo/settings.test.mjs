// The demo page for somebody who sees it for the first time: secrets before the first message, the theme, and
// notices. Those of the model are in tests/browser/ui/model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a newcomer to the demo gives secrets, and chooses a theme`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);

    try {
      await step("a secret can be given before the first message", async (page) => {
        await page.press("Control");
        await page.fill("#secret-name", "API_TOKEN");
        await page.fill("#secret-value", "swordfish-7123");
        await page.press("Add");
        await page.shows(/API_TOKEN/, ".secret-names");
        await page.click("#policy-always");
        await page.isAccessible("control before the first message");
        await page.press("Done");
        await page.shows(/Asks about every call/, "#control-line");
        await page.say("Call the API");
        await page.press("Approve call_api");
        await page.shows(/a friend of this page.*<secret-hidden>/);
        await page.idle();
        assert.doesNotMatch(await page.page.content(), /swordfish/);
        await page.shows(/K tokens/, ".spent");
        assert.doesNotMatch(await page.text("#control-line"), /\$/, "the stand-in costs nothing");
        await page.follow("#/");
        await page.shows(/Pick up the thread/, "#chat");
        await page.press("Control");
        assert.equal(await page.text(".secret-names"), "", "it was for that conversation");
        await page.page.evaluate(() => localStorage.clear());
      });

      await step("the theme that was chosen is there before anything is drawn", async (page) => {
        const background = () => page.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        await page.press("Settings");
        const [light, dark] = [await background(), (await page.choose("#theme", "dark"), await background())];
        assert.notEqual(light, dark);
        await page.press("Cancel");
        await page.page.evaluateOnNewDocument(() => {
          new MutationObserver((_, observer) => {
            if (document.body === null) return;
            window.themeAtFirst = document.documentElement.dataset.theme;
            observer.disconnect();
          }).observe(document, { childList: true, subtree: true });
        });
        await page.page.reload();
        await page.drawn();
        assert.deepEqual([await page.page.evaluate(() => window.themeAtFirst), await background()], ["dark", dark]);
        await photograph(page, `dark-${kind}`);
        await page.press("Settings");
        await page.choose("#theme", "system");
        assert.equal(await background(), light);
      });

      await step("a notice takes the place of the one before it about the same thing", async (page) => {
        const save = async () => {
          await page.press("Settings");
          await page.press("Save");
          await page.until("the dialog is closed", () => !document.querySelector("dialog"));
        };
        await save();
        await save();
        await page.shows(/^Settings saved\.$/, "#notices");
        for (const name of ["one", "two"])
          await page.page.evaluate((name) => dispatchEvent(new ErrorEvent("error", { error: new Error(`this is ${name}`) })), name);
        await page.shows(/This is two/, "#notices");
        assert.equal(await page.page.$$eval(".notice-failure", ({ length }) => length), 1);
        const names = await page.page.$$eval("#notices button", (buttons) =>
          buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent),
        );
        assert.deepEqual(names, [...new Set(names)], "no two buttons have the same name");
      });
    } finally {
      await browser.close();
    }
  });
}
