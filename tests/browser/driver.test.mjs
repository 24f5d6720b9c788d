// What the page tests rely on: pages run in each browser, and a killed one comes back with what it had stored.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, launch } from "./driver.mjs";
import { tabs } from "./shared.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a page imports the library and runs its wasm`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const loaded = await browser.evaluate(async () => (await import("/threadkeep/index.js")).load().then(() => "loaded"));
      assert.equal(loaded, "loaded");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: an uncaught error of a page is a problem of the browser`, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const seen = new Promise((resolve) => page.once("pageerror", resolve));
      await browser.evaluate(() => void setTimeout(() => { throw new Error("on purpose"); }));
      await seen;
      assert.match(browser.problems.join("\n"), /on purpose/);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: what a page stored is there after SIGKILL and a new start`, async () => {
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-kill-${kind}-`));
    const url = `${server.origin}/pages/blank.html`;
    try {
      const first = await launch(kind, { profile });
      await first.page(url);
      assert.equal(await first.evaluate(() => navigator.storage.persist().then(() => "answered")), "answered");
      await first.evaluate(storeMark, "kept");
      await first.kill();
      assert.throws(() => process.kill(first.pid, 0), { code: "ESRCH" });

      const second = await launch(kind, { profile });
      await second.page(url);
      assert.equal(await second.evaluate(readMark), "kept");
      await second.close();
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}

function storeMark(value) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("mark", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("marks");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("marks", "readwrite", { durability: "strict" });
      transaction.objectStore("marks").put(value, 0);
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    };
  });
}

function readMark() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("mark", 1);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const reading = opening.result.transaction("marks").objectStore("marks").get(0);
      reading.onsuccess = () => resolve(reading.result);
      reading.onerror = () => reject(reading.error);
    };
  });
}
