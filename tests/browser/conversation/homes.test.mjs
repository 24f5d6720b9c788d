// The suite of homes: a handle that writes, and those whose writer is in another tab, in a shared worker and in a worker of the page. The
// cases are those of tests/conversation/homes, which also runs in Node.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cases } from "../../conversation/homes/suite.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { startServer } from "../../support/server.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/tests/": "tests" } })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(kind, { timeout: 600_000 }, async (context) => {
    const browser = await tabs(kind);
    const tab = async () => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(prepare);
      return page;
    };
    try {
      const [first, second] = [await tab(), await tab()];
      for (const { name, closes } of cases) {
        await context.test(name, { timeout: 30_000 }, async () => {
          const seen = {};
          for (const home of ["here", "tab", "shared worker", "worker"]) {
            const given = { token: crypto.randomUUID(), home };
            const opened = await first.evaluate((...given) => homes.open(...given), name, given);
            if (home.endsWith("worker")) assert.equal(opened.home, "worker");
            let place = first;
            if (home === "tab") {
              place = second;
              const other = { ...given, conversationId: opened.id };
              assert.equal((await second.evaluate((...given) => homes.open(...given), name, other)).home, "tab");
            }
            seen[home] = await place.evaluate((name) => homes.play(name), name);
            if (home === "tab" && !closes)
              assert.deepEqual(await second.evaluate(() => homes.player.view()), await first.evaluate(() => homes.player.view()));
            if (home === "tab") await second.evaluate(() => homes.player.end());
            await first.evaluate(() => homes.player.end());
          }
          for (const home of ["tab", "shared worker", "worker"]) assert.deepEqual(seen[home], seen.here, home);
        });
      }
      // A request that a page aborts is no problem of the page.
      assert.deepEqual(
        browser.problems.filter((problem) => !/ERR_ABORTED|NS_BINDING_ABORTED/.test(problem)),
        [],
      );
    } finally {
      await browser.close();
    }
  });
}

/** For a page: opens handles for cases, and plays cases with them. */
async function prepare() {
  const [library, { caseOf, openFor, play }] = await Promise.all([
    import("/threadkeep/index.js"),
    import("/tests/conversation/homes/suite.mjs"),
  ]);
  const script = "/pages/homes-worker.mjs";
  const workers = {
    "shared worker": () => new SharedWorker(script, { type: "module" }),
    worker: () => new Worker(script, { type: "module" }),
  };
  const started = {};
  globalThis.homes = {
    async open(name, { home, token, conversationId }) {
      const worker = workers[home] && (started[home] ??= workers[home]());
      const given = { library, store: library.indexedDBStore(), token, conversationId };
      this.player = await openFor(caseOf(name), { ...given, ...(worker && { home: { worker, data: { name, token } } }) });
      const { conversation } = this.player;
      return { id: conversation.id, home: conversation.home };
    },
    play(name) {
      return play(caseOf(name), this.player);
    },
  };
}
