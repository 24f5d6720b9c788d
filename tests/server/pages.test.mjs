// Conversations on the real agent server, in pages, which it tells over a socket what happens: an answer streams, two tabs act, and the
// copy has the bytes of the server's files.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { until } from "../support/until.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { isCopied } from "./copy.mjs";
import { serverVersions } from "./setup.mjs";

for (const version of serverVersions) {
  describe(`pages with the agent server ${version}`, () => {
    let upstream;
    let server;
    let web;
    before(async () => {
      const answer = { text: "It is four, and it stays four.", pieces: 6, pace: 30 };
      const model = createModel(({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("and two?")) return { calls: [{ name: "think", arguments: { thought: "Not hard." } }] };
        return last.includes("With the page") ? { calls: [{ name: "add", arguments: { one: 2, other: 2 } }] } : answer;
      });
      upstream = await model.listen();
      web = await startServer();
      server = await startAgentServer({ version, model: upstream.baseUrl });
    });
    after(async () => {
      await server?.stop();
      await web.close();
      await upstream.close();
    });

    for (const kind of availableBrowsers) {
      test(`${kind}: pages are told over a socket what a conversation on the agent server ${version} does`, async (t) => {
        if (server === null) return t.skip("it is not here");
        const browser = await tabs(kind);
        const tab = async () => {
          const page = await browser.page(`${web.origin}/pages/blank.html`);
          await page.evaluate(prepare, {
            host: server.host,
            apiKey: server.apiKey,
            workingDir: server.workspace,
            baseUrl: upstream.baseUrl,
          });
          return page;
        };
        try {
          const [first, second] = [await tab(), await tab()];
          const id = await first.evaluate(() => open());
          const run = await first.evaluate(async () => {
            await conversation.sendMessage("How much is two and two?");
            return conversation.run();
          });
          assert.deepEqual([run.status, run.finalResponse, run.steps], ["finished", "It is four, and it stays four.", 2]);
          const { pieces, events } = await first.evaluate(() => heard);
          assert.ok(pieces.length > 1, JSON.stringify(pieces));
          assert.ok("It is four, and it stays four.".startsWith(pieces.join("")), JSON.stringify(pieces));
          assert.equal(new Set(events).size, events.length);

          // The other tab has the same copy, and a connection of its own.
          assert.equal(await second.evaluate((id) => open(id), id), id);
          const again = await second.evaluate(async () => await conversation.regenerate());
          assert.equal(again.status, "finished");
          await isCopied(server, id, second);
          // The copy is that of both tabs, and the other one may have written it.
          let ids;
          const hasHeard = async () => {
            ids = (await isCopied(server, id, first)).map((text) => JSON.parse(text).id);
            return (await first.evaluate(() => heard.events)).at(-1) === ids.at(-1);
          };
          await until(hasHeard, "the first tab has heard of the last event");
          assert.deepEqual(await first.evaluate(() => heard.events), ids);
          assert.equal(await first.evaluate(async () => (await conversation.branches()).length), 1);
          const files = await first.evaluate(async () => {
            const { workspace } = conversation;
            await workspace.write("notes/ü.bin", Uint8Array.of(0, 255));
            const paths = (await workspace.list("notes")).map(({ path }) => path);
            return [paths, [...(await workspace.read("notes/ü.bin"))], await workspace.executeCommand("ls notes | wc -l; exit 2")];
          });
          const { exitCode, stdout } = files.pop();
          assert.deepEqual([...files, exitCode, Number(stdout)], [["notes/ü.bin"], [0, 255], 2, 1]);

          // Both tabs have the tool, and one of them carries the call out.
          const added = await second.evaluate(async () => {
            await conversation.sendMessage("With the page");
            return conversation.run();
          });
          assert.deepEqual([added.status, added.steps], ["finished", 3]);
          const counts = await Promise.all([first, second].map((page) => page.evaluate(() => added)));
          assert.deepEqual(counts.toSorted(), [0, 1]);
          const results = server.stored(id).filter(({ text }) => text.includes("has this result:\\n4"));
          assert.equal(results.length, 1);
          await first.evaluate(() => conversation.close());
          await second.evaluate(() => conversation.close());
          // A server of 1.43.1 may fail while it stores, without the headers for pages; it is asked again.
          const ofServer = /Cross-Origin|CORS policy|ERR_FAILED/;
          assert.deepEqual(
            browser.problems.filter((problem) => !ofServer.test(problem)),
            [],
          );
        } finally {
          await browser.close();
        }
      });
    }
  });
}

/** For a page: opens a conversation on the server, and keeps what it hears. */
async function prepare({ host, apiKey, workingDir, baseUrl }) {
  const { Agent, Conversation, LLM, agentServer, indexedDBStore, tool } = await import("/threadkeep/index.js");
  const store = indexedDBStore();
  const llm = new LLM({ model: "openai/scripted", apiKey: "sk-scripted", baseUrl });
  globalThis.added = 0;
  const add = tool({
    name: "add",
    description: "Adds.",
    parameters: { type: "object", properties: { one: { type: "integer" }, other: { type: "integer" } }, required: ["one", "other"] },
    execute: ({ one, other }) => {
      added++;
      return one + other;
    },
  });
  globalThis.heard = { pieces: [], events: [] };
  globalThis.open = async (conversationId) => {
    const home = agentServer({ host, apiKey, workingDir });
    globalThis.conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add] }), store, home, conversationId });
    conversation.subscribe((event) => {
      if ("id" in event) heard.events.push(event.id);
      else if (event.kind === "StreamingDeltaEvent" && event.content) heard.pieces.push(event.content);
    });
    return conversation.id;
  };
  /** The texts of the events in the store. */
  globalThis.copied = async () => (await store.events(conversation.id, 0, 100_000)).map(({ json }) => json);
}
