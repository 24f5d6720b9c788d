// The terminal in real browsers: its shell runs in a worker, so that an endless command neither blocks the page nor goes on;
// where the worker cannot be loaded or started, the shell runs all the same.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const library = staticFiles("dist");
let server;
let withoutFile;
before(async () => {
  server = await startServer();
  withoutFile = await startServer({
    mounts: {
      "/threadkeep/": (request, response, file) => (file === "/terminal-worker.js" ? false : library(request, response, file)),
    },
  });
});
after(() => Promise.all([server.close(), withoutFile.close()]));

/** Runs commands in a conversation, and returns their exit codes and texts, and how often the page had a turn during those with a limit. */
async function runAll({ conversationId, commands, withoutWorkers }) {
  let ended = 0;
  if (withoutWorkers) delete globalThis.Worker;
  else {
    globalThis.Worker = class extends Worker {
      terminate() {
        ended++;
        super.terminate();
      }
    };
  }
  const { Agent, Conversation, LLM, indexedDBStore, terminal } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o" }), tools: [terminal()] });
  const conversation = await Conversation.open({ agent, conversationId, store: indexedDBStore("terminal") });
  let turns = 0;
  const results = [];
  for (const [command, timeout] of commands) {
    const count = timeout && setInterval(() => turns++, 10);
    const { exit_code: code, content } = await conversation.executeTool("terminal", { command, ...(timeout && { timeout }) });
    results.push([code, content[0].text]);
    clearInterval(count);
  }
  const files = (await conversation.workspace.list("")).map(({ path }) => path).sort();
  await conversation.close();
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  return { results, turns, files, loaded, ended };
}

const facts = [
  ["mkdir notes && cd notes && echo tea > facts.txt && export NAME=x && echo ü | gzip | gunzip | base64 | base64 -d", 0],
  ["pwd; echo $NAME; cat facts.txt", 0],
];
const factsResults = [
  [0, "ü"],
  [0, "/workspace/notes\nx\ntea"],
];

for (const kind of availableBrowsers) {
  test(`${kind}: an endless command does not block the page and is stopped; files, directory and environment outlive a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const conversationId = crypto.randomUUID();
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const commands = [...facts, ["echo before > before.txt; while true; do :; done; echo after > after.txt", 1], ["ls", 0]];
      const { results, turns, files, loaded, ended } = await browser.evaluate(runAll, { conversationId, commands });
      assert.deepEqual(results, [...factsResults, [124, ""], [0, "before.txt\nfacts.txt"]]);
      assert.ok(turns > 0, "the page had no turn while the command ran");
      assert.deepEqual(files, ["notes"]);
      assert.equal(ended, 2, "the worker of the endless command, and with the conversation that of the last one");
      assert.ok(!loaded.some((path) => path.includes("terminal-worker-inline")));
      await page.reload();
      const again = await browser.evaluate(runAll, { conversationId, commands: [facts[1]] });
      assert.deepEqual(again.results, [factsResults[1]]);
    } finally {
      await browser.close();
    }
  });

  test(`${kind}: the shell comes from its copy if its file is missing, and runs in the page if there are no workers`, async () => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${withoutFile.origin}/pages/blank.html`);
      const { results, loaded } = await browser.evaluate(runAll, { conversationId: crypto.randomUUID(), commands: facts });
      assert.deepEqual(results, factsResults);
      assert.ok(loaded.some((path) => path.includes("terminal-worker-inline")));
      await browser.page(`${server.origin}/pages/blank.html`);
      const commands = [...facts, ["while true; do :; done", 60]];
      const inPage = await browser.evaluate(runAll, { conversationId: crypto.randomUUID(), commands, withoutWorkers: true });
      assert.deepEqual(inPage.results.slice(0, 2), factsResults);
      assert.equal(inPage.results[2][0], 126);
      assert.match(inPage.results[2][1], /too many/);
    } finally {
      await browser.close();
    }
  });
}
