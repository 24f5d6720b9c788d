// The suite of stores on those that are written in TypeScript: in a directory, and sealed. What differs in browsers, which is the directory
// itself, is in tests/browser/store/; the library's other stores pass the suite in Rust, and in a database of each browser.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { directoryStore, encryptedStore, memoryStore } from "../../dist/index.js";
import { checkStore } from "../../dist/testing.js";
import { diskDirectory, provideLocks } from "../support/disk-directory.mjs";
import { withQuickKeys } from "../support/quick-keys.mjs";
import { storeWith } from "../support/store-with.mjs";

async function passes(open) {
  const reports = await checkStore(open);
  assert.ok(reports.length > 40);
  assert.deepEqual(
    reports.filter(({ failure }) => failure !== undefined),
    [],
  );
}

test("a store in a directory passes the suite", async () => {
  provideLocks();
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-suite-"));
  try {
    const top = diskDirectory(folder);
    await passes(async (place) => directoryStore(await top.getDirectoryHandle(place, { create: true })));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an encrypted store passes the suite", async () => {
  const passphrase = "a passphrase of the test";
  const places = new Map();
  await passes(async (place) => {
    if (!places.has(place)) places.set(place, withQuickKeys(memoryStore(), passphrase));
    // It stays open when one of the handles on it is closed.
    return encryptedStore(storeWith(await places.get(place), { close() {} }), { passphrase });
  });
});
