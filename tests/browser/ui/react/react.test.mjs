// React's StrictMode shows every view, takes it away and shows it again: the conversation that it opens ends with a writer.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { root } from "../../../../scripts/process.mjs";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

let server;
before(async () => {
  const {
    outputFiles: [{ text }],
  } = await build({
    entryPoints: [path.join(root, "tests/browser/pages/view.mjs")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    external: ["/threadkeep/*"],
    // Only there it shows everything twice.
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const bundle = (_request, response) => (response.writeHead(200, { "content-type": "text/javascript" }).end(text), true);
  server = await startServer({ mounts: { "/react/": bundle } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a view that StrictMode takes away and shows again ends with a writer`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    await browser.page(`${server.origin}/pages/blank.html`);
    const ways = await browser.evaluate(async () => (await import("/react/view.js")).ways);
    for (const way of ways) {
      for (const place of ["memory", "IndexedDB"]) {
        await context.test(`${way}, in ${place}`, async () => {
          // Twice each; the second view comes while the first one's run goes on.
          assert.deepEqual(await browser.evaluate(show, way, place), {
            found: [
              [2, "writer", "writer"],
              [2, "writer", "writer"],
            ],
            messages: 2,
          });
        });
      }
    }
    assert.deepEqual(browser.problems, []);
  });
}

async function show(way, place) {
  const [{ showTwice }, { Agent, Conversation, LLM, indexedDBStore, memoryStore }] = await Promise.all([
    import("/react/view.js"),
    import("/threadkeep/index.js"),
  ]);
  const silent = () => new Promise(() => {});
  const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch: silent, numRetries: 1 }) });
  const options = { agent, conversationId: crypto.randomUUID(), store: place === "memory" ? memoryStore() : indexedDBStore() };
  const found = await showTwice(way, options, async (conversation) => {
    await conversation.sendMessage("Hello");
    conversation.run().catch(() => {});
  });
  const after = await Conversation.open(options);
  const events = await after.events.slice();
  await after.close();
  return { found, messages: events.filter(({ kind }) => kind === "MessageEvent").length };
}
