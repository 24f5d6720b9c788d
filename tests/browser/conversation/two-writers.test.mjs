// The number in each commit, compared in its transaction, is what keeps the values of a tab that has taken over: the tab that wrote
// before is stuck until the other one has stored something, and stores its own value the moment it wakes, before it can hear of anything.
// Neither locks nor the length of the log can refuse that. Nothing of the library is replaced in these pages; for the counter-proof, the
// number in the database is set back to the one that the stuck tab expects.
// Random histories of such handles are in tests/conversation/two_writers.rs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { deferred } from "../../support/deferred.mjs";
import { startServer } from "../../support/server.mjs";

/** Resolves, once the older tab is stuck, to what lets it go on. */
let stuck;
let server;
before(async () => {
  const held = (_, response) => {
    stuck.resolve(() => response.end());
    return true;
  };
  server = await startServer({ mounts: { "/stuck": held } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: with its number, a tab that was replaced stores nothing, and follows`, async () => {
    const browser = await tabs(kind);
    try {
      const { older, outcome, stored } = await wakeAfterTakeOver(browser);
      assert.deepEqual([outcome, await stored()], ["locked_elsewhere", { first: true, newer: true }]);
      // What it asks from now on is carried out by the other one.
      await older.evaluate(async () => {
        await isFollower;
        await conversation.setAgentState({ asked: true });
      });
      const all = { first: true, newer: true, asked: true };
      assert.deepEqual(await stored(), all);
      assert.deepEqual(await older.evaluate(() => conversation.state.agent_state), all);
    } finally {
      await browser.close();
    }
  });

  // Keeps the proof that the test above needs the number.
  test(`${kind}: where the number matches, it stores its value, and the acknowledged one is lost`, async () => {
    const browser = await tabs(kind);
    try {
      const setBack = ({ newer, id, number }) => newer.evaluate(setNumber, id, number);
      const { outcome, stored } = await wakeAfterTakeOver(browser, setBack);
      assert.deepEqual([outcome, await stored()], ["stored", { first: true, late: true }]);
    } finally {
      await browser.close();
    }
  });
}

/** A tab writes and is stuck, another one takes over and stores a value, and after `meanwhile` the first one wakes and stores its own. */
async function wakeAfterTakeOver(browser, meanwhile = () => {}) {
  stuck = deferred();
  const id = crypto.randomUUID();
  const tab = async () => {
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    await page.evaluate(open, id);
    return page;
  };
  const older = await tab();
  await older.evaluate(() => conversation.setAgentState({ first: true }));
  const newer = await tab();
  assert.equal(await newer.evaluate(() => conversation.access), "follower");
  const listing = () => newer.evaluate((id) => store.load(id), id);
  const { writer: number, length } = await listing();
  await older.evaluate(beStuck);
  const release = await stuck.promise;
  await newer.evaluate(async () => {
    await conversation.takeOver();
    await conversation.setAgentState({ newer: true });
  });
  const known = await listing();
  assert.equal(known.length, length, "the length of the log tells nothing");
  assert.ok(known.writer > number);
  await meanwhile({ newer, id, number });
  release();
  const outcome = await older.evaluate(() => late);
  return { older, outcome, stored: async () => JSON.parse((await listing()).baseState).agent_state };
}

/** For a page: opens the conversation, and counts the transactions that are not over. */
async function open(conversationId) {
  globalThis.underWay = 0;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    const begun = transaction.apply(this, given);
    underWay++;
    for (const end of ["complete", "abort"]) begun.addEventListener(end, () => underWay--);
    return begun;
  };
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  globalThis.store = indexedDBStore();
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid" }) });
  globalThis.conversation = await Conversation.open({ agent, store, conversationId });
  globalThis.isFollower = new Promise((resolve) =>
    conversation.subscribe(({ key, value }) => key === "access" && value === "follower" && resolve()),
  );
}

/**
 * For a page: no line of it runs until the server answers. It stores a value in the same turn in which it wakes. In Chromium a page that
 * is stuck in the middle of a transaction keeps the database from the others, so it first waits for the end of its own.
 */
function beStuck() {
  globalThis.late = new Promise((resolve) => {
    const attempt = () => {
      if (underWay > 0) return setTimeout(attempt);
      const request = new XMLHttpRequest();
      request.open("GET", "/stuck", false);
      request.send();
      conversation.setAgentState({ late: true }).then(
        () => resolve("stored"),
        ({ code }) => resolve(code),
      );
    };
    // Not before the driver has its answer, without which WebKit waits for the server in vain.
    setTimeout(attempt, 50);
  });
}

/** For a page: sets the number of the writer in the database. */
async function setNumber(id, writer) {
  const settled = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await settled(indexedDB.open("threadkeep"));
  const heads = database.transaction("conversations", "readwrite").objectStore("conversations");
  const key = id.replaceAll("-", "");
  await settled(heads.put({ ...(await settled(heads.get(key))), writer }));
  database.close();
}
