// The app examples/react-chat in React's StrictMode: streams, shows calls and asks about them. Its browser is killed in the
// middle of a call and in the middle of an answer, and what comes after goes on from there.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { json } from "node:stream/consumers";
import { example } from "../../support/example.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { photograph } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const app = await example("react-chat");

const replies = [
  { text: "Let me look.", calls: [{ name: "find_tables", arguments: { day: "Friday" } }] },
  { text: "Table 4 is free.", calls: [{ name: "book_table", arguments: { table: 4 } }] },
  { text: "This breaks off after some words.", stallAfter: 3 },
  { text: "Table 4 is yours." },
  { text: "You are welcome." },
];

for (const kind of availableBrowsers) {
  test(`${kind}: a chat in one file survives two kills`, async () => {
    const model = createModel(replies);
    const bookings = [];
    let booked;
    const booking = new Promise((resolve) => (booked = resolve));
    const server = await startServer({
      model,
      page: app,
      mounts: {
        "/tables": (_request, response) => (response.writeHead(200, { "content-type": "application/json" }).end("[4]"), true),
        "/bookings": async (request, response) => {
          bookings.push(await json(request));
          booked();
          // The first booking takes longer than the browser lives.
          if (bookings.length > 1) response.writeHead(200, { "content-type": "application/json" }).end('{"booked":true}');
          return true;
        },
      },
    });
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-example-${kind}-`));
    let browser;
    let page;
    const start = async (address) => {
      browser = await launch(kind, { profile });
      page = await browser.page(address);
    };
    const shows = (text) => untilIn(page, `it shows “${text}”`, (text) => document.body.innerText.includes(text), text);
    const click = async (name) =>
      (await page.waitForSelector(`::-p-xpath(//fieldset[not(@disabled)]//button[.="${name}"] | //form//button[.="${name}"])`)).click();
    try {
      await start(server.origin);
      await page.waitForSelector("input");
      const address = page.url();
      await page.type("input", "A table for Friday, please");
      await click("Send");
      await shows('book_table {"table":4}: waiting');
      await photograph({ page }, `react-chat-${kind}`);
      assert.deepEqual(bookings, [], "it asks first");
      await click("Approve");
      await booking;
      await shows('book_table {"table":4}: running');
      assert.deepEqual(browser.problems, []);
      await browser.kill();

      await start(address);
      await shows('find_tables {"day":"Friday"}: done');
      await shows('book_table {"table":4}: interrupted');
      assert.equal(bookings.length, 1, "nothing is done twice unasked");
      await click("Approve");
      await shows('book_table {"table":4}: done');
      assert.deepEqual(bookings[1], bookings[0], "the same call, with the same key");
      await shows("This breaks");
      await browser.kill();

      await start(address);
      await shows("Table 4 is yours.");
      assert.equal(await page.evaluate(() => document.body.innerText.includes("breaks")), false);
      await page.type("input", "Thanks");
      await click("Send");
      await shows("You are welcome.");
      assert.equal(await page.evaluate(() => document.querySelectorAll("article").length), 4);
      assert.deepEqual(browser.problems, []);
      model.check();
    } catch (error) {
      throw new Error(`${await page?.evaluate(() => document.body.innerText).catch(() => "")}\n${browser?.problems}`, { cause: error });
    } finally {
      await browser?.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}
