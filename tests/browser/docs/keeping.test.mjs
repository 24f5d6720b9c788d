// The examples of docs/keeping.md, as they are written there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { exampleNamed } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const page = readFileSync(path.join(root, "docs/keeping.md"), "utf8");
const example = (name) => exampleNamed(page, name) ?? assert.fail(`no example ${name}`);

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: runs an example with the library and these names in scope, and returns what `result` is after it. */
async function run(code, result) {
  const library = await import("/threadkeep/index.js");
  const names = { ...library, ...window.given };
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
}

async function talk() {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const { fetch } = scriptedModel(["Hello.", "Hello again."]);
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 }) });
  const conversation = await Conversation.open({ agent, tags: { title: "A greeting" } });
  window.given = { agent, conversation, output: {} };
  await conversation.sendMessage("Hi");
  await conversation.run();
}

/** In the page: from now on no event can be added to a database, until the user has made room. */
async function fill() {
  const { add, put } = IDBObjectStore.prototype;
  const { conversation } = window.given;
  await conversation.sendMessage("Hi again");
  const full = () => {
    throw new DOMException("no room", "QuotaExceededError");
  };
  Object.assign(IDBObjectStore.prototype, { add: full, put: full });
  window.given.makeRoom = async (usage, conversations) => {
    window.asked = { usage, conversations };
    Object.assign(IDBObjectStore.prototype, { add, put });
  };
}

/** In the page: the conversation goes on on another device as well, which hands over an archive. */
async function partWays() {
  const { Conversation, memoryStore } = await import("/threadkeep/index.js");
  const { agent, conversation } = window.given;
  const store = memoryStore();
  await Conversation.importZip(await conversation.exportZip(), { store });
  const other = await Conversation.open({ agent, store, conversationId: conversation.id });
  await other.sendMessage("From the other device");
  const zipFromTheOtherDevice = await other.exportZip();
  await conversation.sendMessage("From here");
  await conversation.close();
  window.given = { agent, zipFromTheOtherDevice, output: {} };
}

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of keeping.md`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(talk);
      const shown = await browser.evaluate(run, example("status"), "output.value");
      assert.match(shown, /^\d+\.\d MB of \d+\.\d MB, may be cleared\n0\.0 MB A greeting$/);
      const isKept = await browser.evaluate(run, example("persistence"), "isKept");
      assert.equal(typeof isKept, "boolean");
      await browser.evaluate(fill);
      const texts = await browser.evaluate(run, example("full"), "conversation.toMessages('chat')");
      assert.deepEqual(
        texts.filter(({ role }) => role === "assistant").map(({ content: [{ text }] }) => text),
        ["Hello.", "Hello again."],
      );
      const { usage, conversations } = await browser.evaluate(() => window.asked);
      assert.ok(usage > 0);
      assert.deepEqual(conversations, [], "there is no other one");
      await browser.evaluate(partWays);
      assert.match(await browser.evaluate(run, example("merge"), "output.value"), /^1 further ways, such as [\da-f-]{36}$/);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
