// The conformance suite on every store in real browsers, and what only a browser can do to a database: other tabs,
// other versions, deletion, a full disk, a connection that is gone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { checksIn, tabs } from "../../support/browser/tabs.mjs";
import { until } from "../../support/until.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: every store passes the suite, and goes through what a browser does to a database`, async (context) => {
    const browser = await tabs(kind);
    const { blank, check } = checksIn(context, browser, `${server.origin}/pages/blank.html`);
    try {
      await check("the suite holds on IndexedDB", async (page) => {
        assert.deepEqual(await page.evaluate(inPage, "suiteOnIndexedDb"), []);
      });
      // What is JavaScript on both sides is the same in all browsers.
      const inChromium = { skip: kind !== "chromium" && "no other browser can differ there" };
      await check(
        "the suite holds through the contract for hosts, both ways",
        async (page) => {
          assert.deepEqual(await page.evaluate(inPage, "suiteThroughHost"), []);
        },
        inChromium,
      );
      await check(
        "the testing kit passes a correct store and finds the mistakes of another",
        async (page) => {
          const { right, wrong } = await page.evaluate(inPage, "kitForHosts");
          assert.deepEqual(
            right.filter((report) => report.failure !== undefined),
            [],
          );
          assert.ok(right.length > 40);
          assert.deepEqual(
            wrong.map((report) => report.name),
            ["truncation_cuts_before_it_appends", "files_come_back_exactly"],
          );
          assert.match(wrong[0].failure, /^ids: found/);
          assert.notEqual(wrong[0].actual, wrong[0].expected);
          assert.ok(wrong[0].expected.includes("\n"));
          assert.match(wrong[1].failure, /not a Uint8Array/);
        },
        inChromium,
      );
      await check(
        "no answer of a host's store is taken for something else, and none traps",
        async (page) => {
          for (const [call, answer, found] of await page.evaluate(inPage, "badAnswers")) {
            const [code, message] = found;
            assert.equal(code, "store_corrupt", `${call} with ${answer}: ${found}`);
            assert.match(message, new RegExp(call), `${call} with ${answer}`);
          }
        },
        inChromium,
      );
      await check("an append is one write, and finds its event again", async (page) => {
        const { requests, found, absent } = await page.evaluate(inPage, "requestsOfAppends");
        assert.deepEqual(requests, { add: 200, put: Math.floor(201 / 64), get: 0 });
        assert.deepEqual(found, [0, 63, 64, 200]);
        assert.equal(absent, undefined);
      });
      await check("writers in two tabs lose nothing", async (page) => {
        const other = await blank();
        const wrote = await Promise.all([page, other].map((tab, n) => tab.evaluate(inPage, "appendInTurn", n)));
        assert.deepEqual(wrote, [25, 25]);
        assert.deepEqual(await page.evaluate(inPage, "eventsByWriter"), [25, 25]);
        await other.close();
      });
      await check("a database that another tab keeps is reported, and opens once it lets go", async (page) => {
        const other = await blank();
        await other.evaluate(inPage, "holdOpen", "kept");
        const blocked = await page.evaluate(inPage, "openInNextVersion", "kept");
        assert.equal(blocked[0], "store_blocked");
        assert.match(blocked[1], /another tab/);
        await other.evaluate(inPage, "letGo");
        assert.deepEqual(await page.evaluate(inPage, "listKept"), ["ok", []]);
        await other.close();
      });
      await check("another tab may upgrade and delete the database at any time", async (page) => {
        const other = await blank();
        await page.evaluate(inPage, "openStore", "shared");
        assert.equal(await other.evaluate(inPage, "upgrade", "shared"), "upgraded");
        const outdated = await page.evaluate(inPage, "loadOpened");
        assert.equal(outdated[0], "store_blocked");
        assert.match(outdated[1], /^a newer version of the app has written this database; reload the page/);
        assert.equal(await other.evaluate(inPage, "deleteDatabase", "shared"), "deleted");
        assert.deepEqual(await page.evaluate(inPage, "loadOpened"), ["ok", "no conversation"]);
        await other.close();
      });
      await check("a deleted database is empty, and its writer conflicts", async (page) => {
        const other = await blank();
        await page.evaluate(inPage, "openStore", "deleted");
        assert.equal(await other.evaluate(inPage, "deleteDatabase", "deleted"), "deleted");
        assert.equal((await page.evaluate(inPage, "appendOpened", 3))[0], "locked_elsewhere");
        assert.equal((await page.evaluate(inPage, "appendOpened", 0))[0], "ok");
        await other.close();
      });
      await check("a connection that is gone is opened again", async (page) => {
        assert.deepEqual(await page.evaluate(inPage, "lostConnections"), ["ok", "ok", "ok", "ok"]);
      });
      await check("a connection that Safari has lost is retryable, and opened again by the next call", async (page) => {
        const found = await page.evaluate(inPage, "connectionsLostInSafari");
        assert.deepEqual(
          found.map(([code, retryable]) => (code === "ok" ? code : [code, retryable])),
          ["ok", ["store_unavailable", true], "ok", ["store_unavailable", true], "ok"],
        );
        assert.match(found[1][2], /Connection to Indexed Database server lost.*; try again, or reload the page/);
      });
      for (const [version, name] of [
        [1, "an empty database of our name gets its tables, from one of several tabs"],
        [2, "an empty database of our name and version is made anew, by one of several tabs"],
      ])
        await check(name, async (page) => {
          const other = await blank();
          const database = `empty ${version}`;
          await page.evaluate(inPage, "emptyDatabase", database, version);
          const stored = await Promise.all([page, other].map((tab, n) => tab.evaluate(inPage, "appendToEmpty", database, 10 * n)));
          assert.deepEqual(stored.flat(), Array(4).fill("ok"));
          assert.equal(await other.evaluate(inPage, "listedIn", database), 4);
          await other.close();
        });
      await check("a database of the first version is upgraded, and keeps what it has", async (page) => {
        assert.deepEqual(await page.evaluate(inPage, "firstVersion"), {
          length: 3,
          version: 2,
          tables: ["conversations", "events", "files", "pages", "pictures"],
        });
      });
      await check("a database that is not ours is refused with a sentence", async (page) => {
        const [code, message] = await page.evaluate(inPage, "foreignDatabase");
        assert.equal(code, "store_corrupt");
        assert.match(message, /belongs to another program, which has other tables; give the store another name/);
      });
      await check("rows of an unknown form are reported, and can be deleted", async (page) => {
        for (const [what, [code, message], deleted, left] of await page.evaluate(inPage, "damagedRows")) {
          assert.equal(code, "store_corrupt", `${what}: ${message}`);
          assert.equal(deleted[0], "ok", `${what}: ${deleted[1]}`);
          assert.equal(left, 0, what);
        }
      });
      await check("a full disk is reported, and nothing of the commit is stored", async (page) => {
        const results = await page.evaluate(inPage, "refusedWrites");
        assert.deepEqual(results, ["store_quota", "store_quota", 3, "ok", 4]);
      });
      if (kind === "chromium") {
        await check("the browser's own quota is reported as well", async (page) => {
          // An origin of its own, because Chromium remembers for a while how much room the other one had.
          const origin = server.origin.replace("127.0.0.1", "localhost");
          const session = await page.createCDPSession();
          await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 5_000_000 });
          await page.goto(`${origin}/pages/blank.html`);
          await page.evaluate(inPage, "openStore", "quota");
          assert.deepEqual(await page.evaluate(inPage, "appendMegabytes", 20), ["store_quota", 3]);
          assert.deepEqual(await page.evaluate(inPage, "appendMegabytes", 0.1), ["ok", 4]);
        });
      }
      await check("leftovers are cleared away", async (page) => {
        await page.evaluate(inPage, "leaveBehind");
        await until(() => page.evaluate(inPage, "leftoversAreGone"), "leftovers are gone");
      });
      await check("one tab at a time holds a lock, and a tab that dies lets go", async (page) => {
        const other = await blank();
        assert.equal(await page.evaluate(inPage, "takeLock"), true);
        assert.equal(await page.evaluate(inPage, "takeLock"), false);
        assert.equal(await other.evaluate(inPage, "takeLock"), false);
        await page.evaluate(inPage, "releaseLock");
        assert.equal(await other.evaluate(inPage, "takeLock"), true);
        assert.equal(await page.evaluate(inPage, "takeLock"), false);
        await other.close();
        await until(() => page.evaluate(inPage, "takeLock"), "the lock is free");
        assert.deepEqual(await page.evaluate(inPage, "locksWithoutWebLocks"), [true, false, true]);
      });
      await check("a closed conversation can be deleted and opened at once, in every tab", async (page) => {
        const found = await page.evaluate(inPage, "closeThenDelete", 5);
        assert.deepEqual(found, Array(5).fill(["ok", "writer"]));
        const other = await blank();
        const [id] = await page.evaluate(inPage, "openAndClose");
        for (let n = 0; n < 10; n++) {
          for (const tab of [other, page]) assert.deepEqual(await tab.evaluate(inPage, "openAndClose", id), [id, "writer"]);
        }
        await other.close();
      });
      assert.deepEqual(browser.problems, []);
      for (const [way, ...trapped] of [
        ["a panic", "trap", "panic"],
        ["a trap", "trap", "trap"],
        ["an exception in the library", "trapInLibrary"],
      ]) {
        await check(`after a trap every promise rejects: ${way}`, async (page) => {
          for (const [code, message] of await page.evaluate(inPage, ...trapped)) {
            assert.equal(code, "internal");
            assert.match(message, /reload the page, stored data is not lost/);
          }
        });
      }
    } finally {
      await browser.close();
    }
  });
}

/** Calls a function of `pages/store-checks.js` in a page. */
async function inPage(name, ...args) {
  return (await import("/pages/store-checks.js"))[name](...args);
}
