// A disk that gets full in the middle of a run, again and again: the run ends with `store_quota`, nothing of the refused commit is stored,
// and once there is room the conversation goes on as if nothing had been. Chromium alone lets a test say how much room there is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { amount } from "../../support/explored.mjs";

/** The steps of a round in which something is to be stored. */
const moments = ["message", "answer", "result", "last answer"];
const quotaSize = 12_000_000;

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** Calls a function of `pages/full-disk.js` in a page. */
async function inPage(name, ...args) {
  return (await import("/pages/full-disk.js"))[name](...args);
}

const skip = !availableBrowsers.includes("chromium") && "needs Chromium's protocol";
/** Every tenth is closed, and every tenth opened without room: so it is tens of them. */
const times = amount(10, 20);
test("a full disk stops a run, loses nothing, and the run goes on when there is room", { skip }, async () => {
  const browser = await tabs("chromium");
  try {
    const url = `${server.origin}/pages/blank.html`;
    const page = await browser.page(url);
    const session = await page.createCDPSession();
    await session.send("Storage.overrideQuotaForOrigin", { origin: server.origin, quotaSize });
    // The protocol has a say from the next page on.
    await page.goto(url);
    const id = await page.evaluate(inPage, "open", undefined, []);
    for (let round = 0; round < times; round++) {
      const moment = moments[round % moments.length];
      const where = `round ${round}, at the ${moment}`;
      const { code, isAsBefore, usage, sizes, rounds } = await page.evaluate(inPage, "begin", moment);
      assert.equal(code, "store_quota", where);
      assert.ok(isAsBefore, `${where}: something of it was stored`);
      assert.ok(usage > 0.98 * quotaSize, `${where}: ${usage} bytes are said to be used`);
      // A conversation that has nothing yet is not there.
      assert.deepEqual(
        sizes.map((size) => size.id),
        round === 0 ? [] : [id],
        where,
      );
      // The page that was refused may be gone by then, and the next one be there before there is room.
      if (round % 10 === 5) {
        await page.goto(url);
        assert.equal(await page.evaluate(inPage, "open", id, rounds), id, where);
        const { kinds, ...can } = await page.evaluate(inPage, "readOnly");
        assert.deepEqual(can, { isWriter: false, isWarned: true, refused: "store_quota", isExported: true }, where);
        assert.ok(kinds.length > 0, where);
      }
      await page.evaluate(inPage, "makeRoom");
      if (round % 10 === 5) await page.evaluate(inPage, "takeOver");
      if (round % 10 === 9) {
        await page.goto(url);
        assert.equal(await page.evaluate(inPage, "open", id, rounds), id, where);
      }
      assert.equal(await page.evaluate(inPage, "goOn"), "finished", where);
    }
    const { rounds } = await page.evaluate(inPage, "told");
    // As it is stored, not as the handle knows it.
    await page.goto(url);
    await page.evaluate(inPage, "open", id, []);
    const { texts, ids } = await page.evaluate(inPage, "told");
    assert.deepEqual(
      texts,
      rounds.flatMap(({ message, call, result, answer }) => [message, call, result, answer]),
    );
    assert.equal(new Set(ids).size, 4 * rounds.length);
    assert.deepEqual(
      rounds.map(({ executions }) => executions),
      Array(times).fill(1),
      "no call has run twice",
    );
    assert.deepEqual(browser.problems, []);
  } finally {
    await browser.close();
  }
});
