// The model's key in the demo, encrypted with a passkey. Only Chromium has a device that tests can plug in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DemoPage, startDemo } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { plugIn } from "../support/browser/passkeys.mjs";
import { tabs } from "../support/browser/tabs.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

test("a passkey keeps the key", { skip: !availableBrowsers.includes("chromium") && "there is no Chromium" }, async () => {
  const browser = await tabs("chromium");
  try {
    // An address of numbers can have no passkeys.
    const origin = demo.origin.replace("127.0.0.1", "localhost");
    const page = await DemoPage.open(browser, `${origin}/#/`);
    const device = await plugIn(page.page);
    const stored = () => page.page.evaluate(() => JSON.stringify({ ...localStorage }));

    await page.press("Settings");
    await page.choose("#connection", "other");
    await page.fill("#base-url", `${origin}/v1`);
    await page.fill("#model", "openai/scripted-model");
    await page.fill("#api-key", "sk-under-a-passkey");
    await page.click("#remember-key");
    await page.page.waitForSelector('#encryption option[value="passkey"]');
    await page.choose("#encryption", "passkey");
    await page.press("Save");
    await page.shows(/Settings saved/, "#notices");
    assert.doesNotMatch(await stored(), /sk-under-a-passkey/);

    await page.page.reload();
    await page.shows(/key is locked/, "#model-label");
    await page.press("Unlock it");
    await page.shows(/Change/, "#model-label");
    await page.ask("hello");
    assert.equal(demo.requests.at(-1).authorization, "Bearer sk-under-a-passkey");
    assert.doesNotMatch(await stored(), /sk-under-a-passkey/);

    // A device that has declined once does so from then on.
    await device.declines();
    await page.page.reload();
    await page.shows(/key is locked/, "#model-label");
    await page.press("Unlock it");
    await page.shows(/did not unlock/, "#notices");
    // If no passkey is made, the key is not stored in plain text instead.
    await page.press("Settings");
    await page.fill("#api-key", "sk-not-to-be-kept");
    await page.press("Save");
    await page.shows(/in memory only/, "#notices");
    assert.doesNotMatch(await stored(), /sk-not-to-be-kept|sk-under-a-passkey/);
    await page.ask("hello again");
    assert.equal(demo.requests.at(-1).authorization, "Bearer sk-not-to-be-kept");
    assert.deepEqual(browser.problems.splice(0), []);
  } finally {
    await browser.close();
  }
});
