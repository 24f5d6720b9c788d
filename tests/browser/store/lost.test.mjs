// The warnings and errors when the browser has lost what was stored: its database was damaged, or cleared while it was in use; and who
// writes where two tabs begin at once, or one creates again what the other has.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { until } from "../../support/until.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());
const page = () => `${server.origin}/pages/blank.html`;

/** For a page: a conversation by this id, with a model that answers at once. */
async function begin(conversationId, name) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { fetch } = new ScriptedModel(() => ({ text: "Hello." }));
  const llm = new LLM({ model: "openai/m", baseUrl: "https://model.invalid", stream: false, numRetries: 1, fetch });
  globalThis.store = indexedDBStore(name);
  globalThis.conversation = await Conversation.open({ agent: new Agent({ llm }), store, ...(conversationId && { conversationId }) });
  const { id, access, warnings } = conversation;
  return { id, access, warnings, length: (await conversation.events.slice()).length };
}

const talk = async () => {
  await conversation.sendMessage("Hello?");
  return (await conversation.run()).status;
};

/** Ends the logs of all databases as a death in the middle of writing may leave them. */
function tear(profile) {
  const folder = path.join(profile, "Default/IndexedDB");
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".indexeddb.leveldb"))) {
    const logs = readdirSync(path.join(folder, name))
      .filter((file) => file.endsWith(".log"))
      .map((file) => path.join(folder, name, file));
    const [newest] = logs.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
    appendFileSync(newest, Buffer.from([1, 2, 3, 4, 0, 2, 1]));
  }
}

/** Resolves once the page's list of the conversations that there should be has so many. */
const remembers = (browser, count) => {
  const remembered = () => caches.open("threadkeep-conversations").then(async (cache) => (await cache.keys()).length);
  const seen = () => browser.evaluate(remembered);
  return until(async () => (await seen()) === count, `${count} conversations are remembered`, { seen });
};

describe("a database that the browser removes", { skip: !availableBrowsers.includes("chromium") && "Chromium alone does it" }, () => {
  const firstId = "1057a000-0000-4000-8000-000000000001";
  const secondId = "1057a000-0000-4000-8000-000000000002";
  /** Which conversation is opened first afterwards, each in an origin of its own: Chromium removes all databases of an origin at once. */
  const cases = [
    { how: "by whoever opens a conversation that was in it", first: firstId },
    { how: "by whoever begins another conversation", first: undefined },
  ];
  test("is noticed", async (context) => {
    const profile = mkdtempSync(path.join(tmpdir(), "threadkeep-torn-"));
    const origins = await Promise.all(cases.map(() => startServer()));
    const pages = origins.map(({ origin }) => `${origin}/pages/blank.html`);
    /** Starts the browser, does this in a page of each origin, and ends the browser. */
    const life = async (end, body) => {
      const browser = await launch("chromium", { profile });
      try {
        for (const [index, page] of pages.entries()) {
          await browser.page(page);
          await body(browser, index);
        }
      } finally {
        await browser[end]();
      }
    };
    try {
      await life("kill", async (browser) => {
        for (const id of [secondId, firstId]) {
          await browser.evaluate(begin, id, "torn");
          assert.equal(await browser.evaluate(talk), "finished");
        }
        await remembers(browser, 2);
      });
      tear(profile);
      // The first start passes over the torn entry and writes on behind it; the second finds it.
      await life("kill", async (browser) => {
        assert.deepEqual((await browser.evaluate(begin, firstId, "torn")).warnings, []);
        await browser.evaluate(talk);
      });
      await life("close", (browser, index) =>
        context.test(cases[index].how, async () => {
          const { length, warnings, access } = await browser.evaluate(begin, cases[index].first, "torn");
          assert.deepEqual([length, access], [0, "writer"]);
          const [{ code, message }] = warnings;
          assert.equal(code, "store_lost");
          assert.match(message, /damaged/);
          assert.ok(message.includes(firstId) && message.includes(secondId), message);
          await browser.evaluate(() => conversation.close());
          // Also later, when the database is one like any other.
          await browser.page(pages[index]);
          const later = await browser.evaluate(begin, secondId, "torn");
          assert.deepEqual([later.length, later.warnings.map(({ code }) => code)], [0, ["store_lost"]]);
          // Until something is stored again.
          await browser.evaluate(talk);
          await browser.evaluate(() => conversation.close());
          await browser.page(pages[index]);
          assert.deepEqual((await browser.evaluate(begin, secondId, "torn")).warnings, []);
        }),
      );
    } finally {
      for (const origin of origins) await origin.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
});

for (const kind of availableBrowsers) {
  describe(`${kind}: storage that was lost, and tabs that begin at once`, () => {
    let browser;
    before(async () => {
      browser = await tabs(kind);
      await browser.page(page());
    });
    after(() => browser.close());

    test("new and deleted conversations are not reported as lost", async () => {
      const { id, warnings } = await browser.evaluate(begin, undefined, "no-loss");
      assert.deepEqual(warnings, []);
      // One that was opened and left is not stored, and so cannot be lost.
      await browser.evaluate(() => conversation.close());
      assert.deepEqual((await browser.evaluate(begin, id, "no-loss")).warnings, []);
      await browser.evaluate(talk);
      await remembers(browser, 1);
      await browser.evaluate(async () => {
        const { Conversation } = await import("/threadkeep/index.js");
        await conversation.close();
        await Conversation.delete(conversation.id, { store });
      });
      await remembers(browser, 0);
      assert.deepEqual((await browser.evaluate(begin, id, "no-loss")).warnings, []);
      await browser.evaluate(() => conversation.close());
    });

    test("an opening neither waits for a cache that does not answer nor fails with one that does", async () => {
      for (const broken of [
        () => (caches.open = () => new Promise(() => {})),
        () =>
          (caches.open = async () => {
            throw new Error("no cache");
          }),
      ]) {
        await browser.page(page());
        await browser.evaluate(broken);
        assert.deepEqual((await browser.evaluate(begin, crypto.randomUUID(), `no-cache-${crypto.randomUUID()}`)).warnings, []);
        await browser.evaluate(() => conversation.close());
      }
      await browser.page(page());
    });

    test("every verb of a conversation whose database was cleared rejects with store_lost", async () => {
      for (const status of ["new", "finished"]) {
        for (const verb of ["sendMessage", "run", "events", "setTags"]) {
          await browser.evaluate(begin, crypto.randomUUID(), "cleared");
          await browser.evaluate(talk);
          const outcome = await browser.evaluate(
            async (status, verb) => {
              if (status === "new") await conversation.sendMessage("More.");
              await new Promise((resolve, reject) => {
                const request = indexedDB.deleteDatabase("cleared");
                request.onsuccess = resolve;
                request.onerror = () => reject(request.error);
              });
              const verbs = {
                sendMessage: () => conversation.sendMessage("Are you there?"),
                run: () => conversation.run(),
                events: () => conversation.events.slice(),
                setTags: () => conversation.setTags({ a: "b" }),
              };
              const outcome = await verbs[verb]().then(
                (value) => `it gave ${JSON.stringify(value)}`,
                ({ code }) => code,
              );
              await conversation.close();
              return outcome;
            },
            status,
            verb,
          );
          assert.equal(outcome, "store_lost", `${verb} of a conversation that was ${status}`);
        }
      }
    });

    test("where two tabs open a new conversation at once, one writes and the other follows", async () => {
      const [one, two] = [await tabs(kind), await tabs(kind)];
      try {
        for (const tab of [one, two]) await tab.page(page());
        const seen = [];
        for (let round = 0; round < 40; round++) {
          const id = crypto.randomUUID();
          const opened = await Promise.all(
            [one, two].map((tab) =>
              tab.evaluate(begin, id, "at-once").then(
                ({ access }) => access,
                ({ message }) => message,
              ),
            ),
          );
          seen.push(opened.sort().join(" and "));
          await Promise.all([one, two].map((tab) => tab.evaluate(() => conversation.close())));
        }
        assert.deepEqual(seen, Array(40).fill("follower and writer"));
      } finally {
        await one.close();
        await two.close();
      }
    });
  });
}
