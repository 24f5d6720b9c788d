// The suite of homes over tabs: a handle that writes, and one whose writer is in another tab. The cases are those of
// tests/conversation/homes, which also runs in Node.
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
          for (const home of ["here", "tab"]) {
            const given = { token: crypto.randomUUID() };
            const opened = await first.evaluate((...given) => homes.open(...given), name, given);
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
          assert.deepEqual(seen.tab, seen.here);
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
  globalThis.homes = {
    async open(name, given) {
      this.player = await openFor(caseOf(name), { library, store: library.indexedDBStore(), ...given });
      const { id, home } = this.player.conversation;
      return { id, home };
    },
    play(name) {
      return play(caseOf(name), this.player);
    },
  };
}
