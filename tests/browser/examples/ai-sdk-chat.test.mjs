// The app examples/ai-sdk-chat, with the AI SDK's own hook in React's StrictMode: streams, shows calls and asks about them.
// Its browser is killed while a call waits, in the middle of a call and in the middle of an answer, and goes on from there.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { example } from "../../support/example.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";
import { photograph } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const app = await example("ai-sdk-chat");

const replies = [
  { text: "Let me look.", calls: [{ name: "list_files", arguments: {} }] },
  {
    text: "Two are old.",
    calls: [
      { name: "delete_file", arguments: { name: "a.txt" } },
      { name: "delete_file", arguments: { name: "b.txt" } },
    ],
  },
  { text: "This breaks off after some words.", stallAfter: 3 },
  { text: "Only b.txt is gone." },
  { text: "You are welcome." },
  { text: "Here as well." },
  { text: "This one is stopped by the user.", stallAfter: 3 },
];

for (const kind of availableBrowsers) {
  test(`${kind}: a chat of the AI SDK survives three kills`, async () => {
    const model = createModel(replies);
    const deleted = [];
    let heard = () => {};
    const server = await startServer({
      model,
      page: app,
      mounts: {
        "/files": (request, response) => {
          if (request.method === "GET")
            return response.writeHead(200, { "content-type": "application/json" }).end('["a.txt","b.txt"]'), true;
          deleted.push(request.url);
          // The first deletion takes longer than the browser lives.
          if (deleted.length > 1) response.writeHead(200).end();
          heard();
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
    const again = async () => {
      const address = page.url();
      assert.deepEqual(browser.problems, []);
      await browser.kill();
      await start(address);
    };
    const text = () => page.evaluate(() => document.body.innerText);
    const shows = (text, tab = page) => untilIn(tab, `it shows “${text}”`, (text) => document.body.innerText.includes(text), text);
    const click = async (name, within = "") => (await page.waitForSelector(`::-p-xpath(${within}//button[.="${name}"])`)).click();
    const call = (name) => `//section[contains(., "${name}")]`;
    const send = async (text) => {
      await page.type("input", text);
      await click("Send");
    };
    try {
      await start(server.origin);
      await page.waitForSelector("input");
      await send("Delete what is old");
      await shows('delete_file {"name":"b.txt"} asks for your approval');
      await photograph({ page }, `ai-sdk-chat-${kind}`);
      await again();

      await shows("list_files {} has run");
      await shows('delete_file {"name":"b.txt"} asks for your approval');
      await click("Reject", call("a.txt"));
      await shows('delete_file {"name":"a.txt"} is decided');
      assert.deepEqual(deleted, [], "nothing runs before all calls are decided");
      const begun = new Promise((resolve) => (heard = resolve));
      await click("Approve", call("b.txt"));
      await begun;
      await again();

      await shows("was under way when the page ended");
      await shows('delete_file {"name":"a.txt"} was rejected');
      assert.deepEqual(deleted, ["/files/b.txt"], "nothing is done twice unasked");
      await click("Approve", call("b.txt"));
      await shows('delete_file {"name":"b.txt"} has run');
      assert.deepEqual(deleted, ["/files/b.txt", "/files/b.txt"]);
      await shows("This breaks");
      await again();

      await shows("Only b.txt is gone.");
      assert.equal((await text()).includes("breaks"), false);
      await send("Thanks");
      await shows("You are welcome.");
      assert.equal(await page.evaluate(() => document.querySelectorAll("article").length), 4);

      const second = await browser.page(page.url());
      await shows("You are welcome.", second);
      await second.type("input", "From here");
      await (await second.waitForSelector(`::-p-xpath(//button[.="Send"])`)).click();
      await shows("Here as well.", second);
      assert.equal(await second.evaluate(() => document.querySelectorAll("article").length), 6);
      await second.close();

      await send("One more");
      await shows("This one");
      await click("Stop");
      await model.left(7);
      await page.waitForSelector(`::-p-xpath(//button[.="Send"])`);
      await page.reload();
      await shows("One more");
      await page.waitForSelector(`::-p-xpath(//button[.="Send"])`);
      assert.equal(model.requests.length, 7, "what the user has stopped does not go on");
      assert.deepEqual(browser.problems, []);
      model.check();
    } catch (error) {
      throw new Error(`${await text().catch(() => "")}\n${browser?.problems}`, { cause: error });
    } finally {
      await browser?.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}

test("the line that replaces the AI SDK's transport is one, and the other one is beside it", () => {
  const source = readFileSync(path.join(root, "examples/ai-sdk-chat/chat.tsx"), "utf8");
  assert.match(source, /^\/\/ (export const transport = )new DefaultChatTransport\(.*\n\1new ThreadkeepChatTransport\(\{ agent \}\);$/m);
  assert.equal(source.match(/Threadkeep|threadkeep/g).length, 3);
});
