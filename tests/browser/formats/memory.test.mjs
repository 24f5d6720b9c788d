// What an import costs in memory, in Chromium, whose processes say what they have used at most.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import { conversation, eventId, eventPath, folder } from "../../support/archive-entries.mjs";
import { deflatedZeros, zip } from "../../support/zip-bytes.mjs";
import { root } from "../../../scripts/process.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { peakOf, treeOf } from "../../support/browser/process-tree.mjs";

const megabyte = 1 << 20;
const skip = !availableBrowsers.includes("chromium") || !existsSync("/proc/self/status");

/** Imports an archive in a page of its own. Resolves to what the import gave, and the most megabytes that the page's process had. */
async function imported(bytes) {
  const place = path.join(root, ".cache/archive-memory");
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, "archive.zip"), bytes);
  const server = await startServer({ mounts: { "/archives/": ".cache/archive-memory" } });
  const browser = await launch("chromium");
  try {
    await browser.page(`${server.origin}/pages/blank.html`);
    const result = await browser.evaluate(async () => {
      const { Conversation, indexedDBStore } = await import("/threadkeep/index.js");
      const zip = await (await fetch("/archives/archive.zip")).blob();
      return Conversation.importZip(zip, { store: indexedDBStore("memory") }).then(
        ([{ eventCount }]) => eventCount,
        ({ message }) => message,
      );
    });
    return { result, peak: Math.max(...treeOf(browser.pid).map(({ pid }) => peakOf(pid))) };
  } finally {
    await browser.close();
    await server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

test("chromium: a bomb that lies about its size is refused before it fills the memory", { skip }, async () => {
  for (const size of [1000, 120 * megabyte]) {
    const { result, peak } = await imported(
      zip([...conversation(1), { name: `${folder}/x`, packed: await deflatedZeros(1200 * megabyte), size }]),
    );
    assert.match(result, /longer than its header states/);
    assert.ok(peak < 500, `${Math.round(peak)} MB for one that says ${size} bytes`);
  }
});

test("chromium: an event of 120 MB is imported with less than eleven times its size", { skip }, async () => {
  const text = "lörem ☃ ipsum ".repeat((118 * megabyte) / 17);
  const content = Buffer.from(`{"id":"${eventId(0)}","kind":"MessageEvent","text":"${text}"}`);
  const event = { name: eventPath(0), packed: deflateRawSync(content, { level: 1 }), size: content.length, crc: crc32(content) };
  const { result, peak } = await imported(zip([...conversation(0), event]));
  assert.equal(result, 1);
  assert.ok(peak < 1300, `${Math.round(peak)} MB`);
});
