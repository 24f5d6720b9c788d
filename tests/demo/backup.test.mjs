// The demo's backup: every conversation follows to a folder that the user picks, also in the next page, and comes back from there after
// the site's data was cleared. Only Chromium opens folders; here one of OPFS is picked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { until } from "../support/until.mjs";
import { DemoPage, startDemo } from "./page.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

const pickAFolder = () => {
  window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("Backup", { create: true });
};

/** In the page: the messages of each conversation in the folder, as their files have them. */
async function inFolder() {
  const texts = [];
  const top = await (await navigator.storage.getDirectory()).getDirectoryHandle("Backup");
  for await (const [id, folder] of top.entries()) {
    if (folder.kind !== "directory" || id.startsWith(".")) continue;
    for await (const [name, file] of (await folder.getDirectoryHandle("events")).entries()) {
      if (!name.startsWith("event-")) continue;
      const { kind, llm_message: message } = JSON.parse(await (await file.getFile()).text());
      if (kind === "MessageEvent" && message.role === "user") texts.push(message.content[0].text);
    }
  }
  return texts.sort();
}

test("the backup", { skip: !availableBrowsers.includes("chromium") && "there is no Chromium" }, async () => {
  const browser = await tabs("chromium");
  try {
    const page = await DemoPage.open(browser, `${demo.origin}/#/`);
    await page.page.evaluateOnNewDocument(pickAFolder);
    await page.page.evaluate(pickAFolder);
    await page.ask("Remember that my bike is blue");
    await page.press("Settings");
    await page.shows(/can follow to a folder/, "#backup-state");
    await page.isAccessible("the backup in the settings");
    await page.press("Choose a folder");
    await page.shows(/^Everything is in “Backup”\.$/, "#backup-state");
    assert.deepEqual(await page.page.evaluate(inFolder), ["Remember that my bike is blue"]);
    await page.page.$eval(".backup", (part) => part.scrollIntoView({ block: "center" }));
    await photograph(page, "backup");

    await page.page.reload();
    await page.ask("And that my hat is green");
    // A file that is being written is empty, or not there yet.
    const seen = () => page.page.evaluate(inFolder).catch(() => []);
    await until(async () => (await seen()).length === 2, "the next page goes on", { seen });

    assert.deepEqual(browser.problems, []);
    // The browser loses everything but the folder, which elsewhere is on the user's disk.
    await page.page.goto("about:blank");
    const other = await browser.page(`${demo.origin}/manifest.webmanifest`);
    await other.evaluate(async () => {
      for (const { name } of await indexedDB.databases())
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name);
          request.onsuccess = resolve;
          // While the page before is on its way out it is blocked.
          request.onerror = () => reject(new Error(`${name} was not deleted`));
        });
      for (const name of await caches.keys()) await caches.delete(name);
      localStorage.clear();
    });
    await other.close();
    // Chromium looks for an icon of a file that is no page.
    assert.ok(browser.problems.splice(0).every((problem) => /404/.test(problem)));
    await page.page.goto(`${demo.origin}/#/`);
    await page.press("Settings");
    await page.shows(/can follow to a folder/, "#backup-state");
    await page.press("Choose a folder");
    await page.shows(/^Everything is in “Backup”\.$/, "#backup-state");
    assert.equal((await page.page.evaluate(inFolder)).length, 2);
    await page.press("Restore from it");
    await page.shows(/^1 conversation is back\.$/, ".backup .outcome");
    await page.press("Restore from it");
    await page.shows(/^Everything in the folder is here\.$/, ".backup .outcome");
    await page.press("Stop");
    await page.shows(/can follow to a folder/, "#backup-state");
    await page.page.keyboard.press("Escape");
    await page.until("it is in the list", () => document.querySelectorAll("#conversation-list a.conversation").length === 1);
    assert.deepEqual(browser.problems, []);
  } finally {
    await browser.close();
  }
});
