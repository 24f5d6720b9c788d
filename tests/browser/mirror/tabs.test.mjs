// Mirrors in several tabs and from page to page: one tab works, the next one takes over, and a new page compares only what has changed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { filesIn, startPlace } from "../../mirror/http-place.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { until } from "../../support/until.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: opens a mirror to this place, which counts what it is asked. */
async function begin(url) {
  const { indexedDBStore, mirror } = await import("/threadkeep/index.js");
  const { httpPlace } = await import("/pages/http-place.mjs");
  const place = httpPlace(url);
  window.asked = [];
  const counted = Object.entries(place).map(([name, ask]) => [
    name,
    typeof ask === "function" ? (...args) => (window.asked.push([name, args[0]]), ask(...args)) : ask,
  ]);
  window.backup = await mirror(indexedDBStore(), Object.fromEntries(counted));
}

/** In the page: says something; resolves to the conversation's id. */
async function say(text, id) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "k" }) });
  const conversation = await Conversation.open({ agent, ...(id && { conversationId: id }) });
  await conversation.sendMessage(text, { pending: "keep" });
  await conversation.close();
  return conversation.id;
}

const becomes = async (tab, status) => {
  const seen = () => tab.evaluate(() => window.backup.state);
  const wanted = async () => {
    const state = await seen();
    return state.status === status && state;
  };
  return until(wanted, `it becomes ${status}`, { seen });
};

for (const kind of availableBrowsers) {
  test(`${kind}: one tab mirrors, the next takes over, and a page that comes later trusts what it finds`, async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "threadkeep-place-"));
    const place = await startPlace(directory);
    const url = `http://127.0.0.1:${place.port}/`;
    const texts = () => [...filesIn(directory).values()].map(String).join("\n");
    const [one, other] = [await tabs(kind), await tabs(kind)];
    try {
      const blank = `${server.origin}/pages/blank.html`;
      const [first, second] = [await one.page(blank), await other.page(blank)];
      await one.evaluate(begin, url);
      const ids = [await one.evaluate(say, "first of all"), await one.evaluate(say, "the second")];
      await one.evaluate(() => window.backup.catchUp());
      await other.evaluate(begin, url);
      assert.equal((await becomes(other, "up_to_date")).conversations, 0);
      // A change of the second tab goes through the first one.
      await other.evaluate(say, "from the other tab", ids[0]);
      await other.evaluate(() => window.backup.catchUp());
      assert.match(texts(), /from the other tab/);
      assert.deepEqual(await other.evaluate(() => window.asked), []);
      await first.close();
      await other.evaluate(say, "while nobody else is there", ids[0]);
      await other.evaluate(() => window.backup.catchUp());
      assert.match(texts(), /while nobody else is there/);
      assert.ok((await other.evaluate(() => window.asked)).length > 0);
      // A page that begins anew lists the place once, and reads nothing of what has not changed.
      await becomes(other, "up_to_date");
      await second.close();
      await one.page(blank);
      await one.evaluate(begin, url);
      // The tab that is gone may still have its lock: then another one is up to date without asking anything.
      await until(() => one.evaluate(() => window.asked.length > 0), "this tab mirrors");
      await becomes(one, "up_to_date");
      assert.deepEqual(await one.evaluate(() => window.asked), [["list", ""]]);
      // Somebody has removed a file there: it is noticed by its number.
      const hex = ids[1].replaceAll("-", "");
      await one.evaluate(() => window.backup.close());
      const lost = [...filesIn(directory).keys()].find((name) => name.startsWith(`${hex}/events/`));
      rmSync(path.join(directory, lost));
      await one.evaluate(begin, url);
      await one.evaluate(() => window.backup.catchUp());
      assert.ok(filesIn(directory).has(lost));
      assert.deepEqual((await one.evaluate(() => window.backup.verify())).differences, []);
      assert.deepEqual(
        [...one.problems, ...other.problems].filter((problem) => !problem.includes("404")),
        [],
      );
    } finally {
      await Promise.all([one.close(), other.close()]);
      await place.kill();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
