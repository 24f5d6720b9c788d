// The examples of docs/organizing.md for a search, as they are written there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { exampleNamed } from "../../support/documented.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const page = readFileSync(path.join(root, "docs/organizing.md"), "utf8");
const example = (name) => exampleNamed(page, name) ?? assert.fail(`no example ${name}`);

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: runs an example with the library in scope, and returns what `result` is after it. */
async function run(code, result) {
  const names = { ...(await import("/threadkeep/index.js")), output: {} };
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
}

async function talk() {
  const { Agent, Conversation, LLM, updateSearchIndex } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "k" }) });
  const conversation = await Conversation.open({ agent, tags: { title: "Kitchen" } });
  await conversation.sendMessage("Is a <b>rice</b> cooker worth it?");
  await conversation.close();
  await updateSearchIndex();
}

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of organizing.md for a search`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(talk);
      assert.equal(await browser.evaluate(run, example("search"), "output.value"), "Kitchen: Is a <b>rice</b> cooker worth it?");
      const marked = await browser.evaluate(run, example("mark"), "line.outerHTML");
      assert.equal(marked, "<p>Is a &lt;b&gt;<mark>rice</mark>&lt;/b&gt; cooker worth it?</p>");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
