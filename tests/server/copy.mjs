// Compares the log of an agent server with the copy of it in a page.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** In milliseconds. */
const longest = 60_000;

/**
 * Resolves to the texts of the events once the page's `copied()` resolves to what the server has in its files, byte for byte. Both are
 * read again meanwhile: a server notes changes of its state after a run as well.
 */
export async function isCopied(server, id, page) {
  for (const end = Date.now() + longest; ; await delay(50)) {
    const log = server.stored(id).map(({ text }) => text);
    const copy = await page.evaluate(() => copied());
    const isSame = log.length > 0 && copy.length === log.length && copy.every((text, number) => text === log[number]);
    if (isSame) return log;
    if (Date.now() > end) {
      const short = (texts) => texts.map((text) => text.slice(0, 300));
      assert.deepEqual(short(copy), short(log));
      assert.fail(`${log.length} events begin alike, and are not the same`);
    }
  }
}
