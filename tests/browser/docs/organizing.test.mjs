// The examples of docs/organizing.md for lists, as they are written there.
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

/** In the page: runs an example with the library and these names in scope, and returns what `result` is after it. */
async function run(code, given, result = "null") {
  const library = await import("/threadkeep/index.js");
  const names = { ...library, button: window.button, output: window.output, ...given };
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
}

/** In the page: conversations with these titles, the oldest first. */
async function talk(titles) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  Object.assign(window, { button: document.createElement("button"), output: document.createElement("output") });
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o" }) });
  const ids = [];
  for (const title of titles) {
    const conversation = await Conversation.open({ agent, tags: { title } });
    await conversation.sendMessage("Hi");
    await conversation.close();
    ids.push(conversation.id);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return ids;
}

for (const kind of availableBrowsers) {
  test(`${kind}: the examples of organizing.md`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const ids = await browser.evaluate(talk, ["A", "B", "C", "D"]);
      const of = (conversationId) => ({ conversationId });
      const titles = "Object.values(groups).map((infos) => infos.map(({ title }) => title).join(''))";
      const groups = () => browser.evaluate(run, example("groups"), {}, titles);
      assert.deepEqual(await groups(), ["", "DCBA", ""]);
      await browser.evaluate(run, "await updateConversations(ids, { pinned: true });", { ids: [ids[2]] });
      await browser.evaluate(run, "await new Promise((over) => setTimeout(over, 2)); await updateConversations(ids, { pinned: true });", {
        ids: [ids[0]],
      });
      assert.deepEqual(await groups(), ["AC", "DB", ""], "what was pinned last is the first");
      await browser.evaluate(run, example("pin"), of(ids[2]));
      assert.deepEqual(await groups(), ["A", "DB", "C"]);

      const missing = "0f8fad5b-d9cb-469f-a165-70867728950e";
      const said = await browser.evaluate(run, example("many"), { selected: [missing, ids[1]] }, "output.value");
      assert.match(said, new RegExp(`^Not all are archived: there is no conversation ${missing}`));
      assert.deepEqual(await groups(), ["A", "D", "CB"]);

      const folders = await browser.evaluate(run, example("folders"), { selected: [ids[0], ids[3]] }, "folders");
      assert.deepEqual(folders, { Work: [ids[3], ids[0]], None: [ids[2], ids[1]] });
      await browser.evaluate(run, example("rename a folder"), {});
      const names = "list.map(({ title, tags }) => `${title} ${tags.folder}`)";
      const renamed = await browser.evaluate(run, "const list = await Conversation.list();", {}, names);
      assert.deepEqual(renamed, ["D Office", "C undefined", "B undefined", "A Office"]);

      await browser.evaluate(run, example("undo"), of(ids[3]));
      assert.deepEqual(await groups(), ["A", "", "CB"]);
      assert.match(await browser.evaluate(run, example("trash"), {}, "output.value"), /^D, deleted on \d[^\n]*$/);
      assert.deepEqual(await browser.evaluate(run, example("start"), {}, "deleted"), [], "it is too early");
      await browser.evaluate(() => window.button.onclick());
      assert.deepEqual(await groups(), ["A", "D", "CB"]);
      await browser.evaluate(run, example("undo"), of(ids[3]));
      assert.deepEqual(await browser.evaluate(run, "const deleted = await emptyTrash({ olderThan: 0 });", {}, "deleted"), [ids[3]]);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
