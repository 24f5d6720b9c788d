// The suite of homes: handles whose writer is in another tab, in a shared worker and in a worker of the page see what one sees that writes
// itself. That one plays in Node here; tests/conversation/homes.test.mjs has it, and a follower in the same page, for all cases.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as library from "../../../dist/index.js";
import { cases, openFor, play } from "../../conversation/homes/suite.mjs";
import { messages } from "../../conversation/homes/messages.mjs";
import { runs } from "../../conversation/homes/runs.mjs";
import { toolCalls } from "../../conversation/homes/tool-calls.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { isAll } from "../../support/explored.mjs";
import { startServer } from "../../support/server.mjs";

/** So many cases are played at once, each in two tabs of its own. */
const atOnce = 4;

/**
 * A browser has channels, streams and workers of its own: it plays the cases in which messages, answers and calls of tools go through them.
 * All cases are played in Chromium with `--all`, and in Node by each check.
 */
const through = [...messages, ...runs, ...toolCalls];
const casesIn = (kind) => (isAll && kind === "chromium" ? cases : through);
/** What crosses to a worker is the same for both kinds of workers. */
const homes = isAll ? ["tab", "shared worker", "worker"] : ["tab", "worker"];

let server;
let alive;
before(async () => {
  server = await startServer({ mounts: { "/tests/": "tests" } });
  // What handles say to each other keeps no process alive.
  alive = setInterval(() => {}, 1000);
});
after(async () => {
  clearInterval(alive);
  await server.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: a case sees the same with its writer in another tab or in a worker`, {
    concurrency: atOnce,
  }, async (context) => {
    const browser = await tabs(kind);
    const tab = async () => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(prepare);
      return page;
    };
    try {
      const free = await Promise.all(Array.from({ length: atOnce }, () => Promise.all([tab(), tab()])));
      await Promise.all(
        casesIn(kind).map((each) =>
          context.test(each.name, async () => {
            const pair = free.pop();
            try {
              const expected = await playHere(each);
              for (const home of homes) assert.deepEqual(await playThere(each, home, pair), expected, home);
            } finally {
              free.push(pair);
            }
          }),
        ),
      );
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

/** What a handle sees that writes itself. */
async function playHere(each) {
  const player = await openFor(each, { library, store: library.memoryStore(), token: crypto.randomUUID() });
  try {
    return await play(each, player);
  } finally {
    await player.end();
  }
}

/** What a handle sees whose writer is at this home. */
async function playThere({ name, closes }, home, [first, second]) {
  const given = { token: crypto.randomUUID(), home };
  const opened = await first.evaluate((...given) => homes.open(...given), name, given);
  if (home.endsWith("worker")) assert.equal(opened.home, "worker");
  const isTab = home === "tab";
  if (isTab) {
    const other = { ...given, conversationId: opened.id };
    assert.equal((await second.evaluate((...given) => homes.open(...given), name, other)).home, "tab");
  }
  const seen = await (isTab ? second : first).evaluate((name) => homes.play(name), name);
  if (isTab && !closes) assert.deepEqual(await second.evaluate(() => homes.player.view()), await first.evaluate(() => homes.player.view()));
  if (isTab) await second.evaluate(() => homes.player.end());
  await first.evaluate(() => homes.player.end());
  return seen;
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
