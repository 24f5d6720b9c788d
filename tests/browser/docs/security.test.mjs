// The examples of docs/stores.md for a store that is locked, as they are written there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { exampleNamed } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const page = readFileSync(path.join(root, "docs/stores.md"), "utf8");
const example = (name) => exampleNamed(page, name) ?? assert.fail(`no example ${name}`);

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: the three examples, one after the other, and what the user sees. */
async function run({ locked, unlock, change }) {
  const library = await import("/threadkeep/index.js");
  const { Agent, LLM } = library;
  const AsyncFunction = (async () => {}).constructor;
  const call = (code, given, result) => {
    const names = { ...library, ...given };
    return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
  };
  const passphrase = "open sesame";
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "k" }) });
  const { store, conversation } = await call(locked, { passphrase, agent }, "{ store, conversation }");
  await conversation.sendMessage("Hello");
  await conversation.close();
  await call(change, { passphrase, longer: "open sesame, please" }, "undefined");
  store.lock();
  const seen = [];
  for (const typed of [passphrase, "open sesame, please"]) {
    const output = { value: "", hidden: true };
    const opened = await call(unlock, { typed, output }, "store");
    await new Promise((resolve) => setTimeout(resolve));
    seen.push([opened.isLocked, output.value, output.hidden]);
    if (!opened.isLocked) seen.push((await opened.list()).length);
  }
  return seen;
}

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of stores.md for a store that is locked`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const seen = await browser.evaluate(run, { locked: example("locked"), unlock: example("unlock"), change: example("change") });
      assert.deepEqual(seen, [[true, "This is not the passphrase.", true], [false, "", false], 1]);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
