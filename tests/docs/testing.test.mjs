// What docs/testing.md says of stores, and what docs/environments.md says of workers in Vite.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { build } from "vite";
import { memoryStore } from "../../dist/index.js";
import { checkStore } from "../../dist/testing.js";
import { root } from "../../scripts/process.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { storeWith } from "../support/store-with.mjs";

const read = (page) => readFileSync(path.join(root, page), "utf8");

/** Stores in memory by their names, of which each handle is closed by itself. */
function openStores() {
  const stores = new Map();
  return (name) => {
    const store = stores.get(name) ?? memoryStore();
    stores.set(name, store);
    let isOpen = true;
    const ensureOpen = () => {
      if (!isOpen) throw Object.assign(new Error("the store is closed"), { code: "invalid_state" });
    };
    const guarded = Object.keys(storeWith(store)).map((method) => [
      method,
      async (...given) => {
        ensureOpen();
        return store[method](...given);
      },
    ]);
    return storeWith(store, { ...Object.fromEntries(guarded), close: () => (isOpen = false) });
  };
}

test("the example of checkStore() finds nothing wrong with a store whose handles are closed one by one", async () => {
  const code = exampleNamed(read("docs/testing.md"), "checkStore").replaceAll(/^import .*\n/gm, "");
  const failures = [];
  const names = { checkStore, indexedDBStore: openStores(), console: { error: (...words) => failures.push(words) } };
  const reports = await runExample(code, names, "reports");
  assert.ok(reports.length > 50, `${reports.length} requirements`);
  assert.deepEqual(failures, []);
});

test("Vite builds a worker with the library as one file, and as several if workers are modules", async () => {
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(path.join(root, ".cache/vite-worker-"));
  const files = {
    "index.html": '<script type="module" src="./page.js"></script>',
    "page.js": 'new SharedWorker(new URL("./worker.js", import.meta.url), { type: "module" });',
    "worker.js": 'import { serveConversations } from "threadkeep";\nserveConversations({});',
  };
  // Not the workers of the library, which are files that Vite copies.
  const scripts = async (options) => {
    await build({ root: folder, configFile: false, logLevel: "silent", ...options });
    return readdirSync(path.join(folder, "dist/assets")).filter((name) => /^(?!(search|terminal|index)\b).*\.js$/.test(name));
  };
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    assert.equal((await scripts({})).length, 1);
    assert.ok((await scripts({ worker: { format: "es" } })).length > 5);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
