// Chats of the demo that run in a worker: they go on when their tab is closed, with keys, tools and files.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { pdfOf } from "../support/pdf.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-background-"));
/** An answer stops after its first words, until the test lets it go on. */
let letGo = () => {};
const call = (name, args) => ({ calls: [{ name, arguments: { summary: `Use ${name}`, security_risk: "LOW", ...args } }] });
const replies = {
  Tell: () => {
    const gate = new Promise((go) => (letGo = go));
    return { text: "The beginning, and the end of it.", pieces: 14, pace: (write) => (write < 2 ? undefined : gate) };
  },
  Remember: () => call("remember", { text: "my bike is blue" }),
  Echo: () => call("terminal", { command: "echo a line > written.txt && cat written.txt" }),
  Call: () => call("call_api", { path: "/v1/whoami" }),
};
const isTitle = ({ messages }) => JSON.stringify(messages).includes("You name conversations");
const model = createModel((body) => {
  if (isTitle(body)) return { text: "A name by the model" };
  const last = body.messages.at(-1);
  const text = typeof last.content === "string" ? last.content : (last.content?.[0]?.text ?? "");
  return (last.role === "user" && replies[text.split(" ")[0]]?.()) || { text: `I am ${body.model}.` };
});
const titles = () => model.requests.filter(({ body }) => isTitle(body)).length;
/** The last request for an answer. */
const last = () => model.requests.findLast(({ body }) => !isTitle(body));

/** The tokens that the page's server was asked with. */
const tokens = [];
const answer = (request, response) => {
  if (request.url !== "/v1/whoami") return model.handle(request, response);
  tokens.push(request.headers.authorization);
  response.writeHead(200, { "content-type": "application/json" }).end('{"you":"a friend"}');
};

let demo;
/** Whether the script of the worker is missing. */
let isBroken = false;
const script = (_, response) => isBroken && (response.writeHead(404).end(), true);
before(async () => (demo = await startDemo({ model: answer, mounts: { "/background-worker.js": script } })));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: chats of the demo that run in a worker go on when their tab is closed`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const settle = async (page) => {
      await page.press("Save");
      await page.shows(/Settings saved/, "#notices");
    };
    const connect = (page, name, key) => page.connect({ baseUrl: `${demo.origin}/v1`, model: name, key });
    /** Another tab with the same conversation. */
    const beside = async (page) => {
      const other = await DemoPage.open(browser, page.page.url());
      await other.until("the conversation is open", () => document.querySelector(".items"));
      return other;
    };
    /** Whether the agent of the open conversation runs in this tab. */
    const runsHere = (page) =>
      page.page.evaluate(async () => {
        const id = location.hash.split("/")[2];
        return navigator.locks.request("who am I", async () => {
          const { held } = await navigator.locks.query();
          const writer = held.find(({ name, mode }) => mode === "exclusive" && name.endsWith(id) && !name.startsWith("threadkeep-demo"));
          return writer?.clientId === held.find(({ name }) => name === "who am I").clientId;
        });
      });

    try {
      await step("an answer goes on when its tab is closed, and the conversation gets its name once", async (page) => {
        await page.press("Settings");
        await page.click("#in-background");
        await settle(page);
        const one = await DemoPage.open(browser, `${demo.origin}/#/`);
        const before = titles();
        await one.say("Tell me all");
        await one.shows(/The beginning/);
        assert.equal(await one.text(".home-line"), "");
        const address = one.page.url();
        await one.page.close();
        await page.page.goto(address);
        await page.shows(/The beginning/);
        const third = await beside(page);
        letGo();
        for (const each of [page, third]) {
          await each.shows(/and the end of it/);
          await each.idle();
          await each.shows(/A name by the model/, "#title");
        }
        assert.equal(titles() - before, 1);
        assert.equal(await page.text(".home-line"), "");
        await third.page.close();
      });

      await step("keys and secrets reach the worker, and are stored nowhere", async (page) => {
        await connect(page, "openai/keyed", "sk-in-memory-only");
        await page.ask("Hello");
        assert.equal(last().headers.authorization, "Bearer sk-in-memory-only");
        await page.press("Control");
        await page.page.type("#secret-name", "API_TOKEN");
        await page.page.type("#secret-value", "swordfish-7123");
        await page.press("Add");
        await page.shows(/API_TOKEN/, ".secret-names");
        await page.press("Done");
        await page.ask("Call the API");
        await page.shows(/a friend/);
        assert.equal(tokens.at(-1), "Bearer swordfish-7123");
        assert.equal(await runsHere(page), false);
        const stored = await page.page.evaluate(everythingStored);
        assert.match(stored, /keyed/);
        assert.doesNotMatch(stored, /sk-in-memory|swordfish/);
      });

      await step("a tool that needs the page runs there, the terminal where the agent runs", async (page) => {
        await page.page.evaluate(() => localStorage.removeItem("threadkeep-demo:notes"));
        await page.ask("Remember that my bike is blue");
        assert.match(await page.page.evaluate(() => localStorage.getItem("threadkeep-demo:notes")), /my bike is blue/);
        await page.say("Echo a line");
        await page.waits(/A call waits for you/);
        await page.approve();
        await page.shows(/Use terminal.*I am/);
        await page.idle();
        assert.match(JSON.stringify(last().body.messages.at(-1)), /a line/);
        await page.press("Files");
        await page.shows(/written\.txtadded.*runs in the background: attach files to a message/, "#panel");
        assert.equal(await page.page.$("#panel input[type=file]"), null);
        assert.equal(await runsHere(page), false);
      });

      await step("the text of a PDF reaches the model", async (page) => {
        await page.ask("Hello");
        const file = path.join(folder, "report.pdf");
        writeFileSync(file, pdfOf(["Profit rose by 7 percent"]));
        await (await page.page.$(".attach-file")).uploadFile(file);
        await page.until("it is attached", () => document.querySelectorAll(".attachment-form").length === 1);
        await page.ask("What is in it?");
        assert.match(JSON.stringify(last().body.messages), /Profit rose by 7 percent/);
        assert.equal(await runsHere(page), false);
      });

      await step(
        "if the worker does not start it runs in its tab, at once",
        async (page) => {
          // Neither kept files nor a worker that runs already.
          await page.page.evaluate(async () => {
            for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
          });
          await page.page.evaluateOnNewDocument(() => {
            const { SharedWorker } = globalThis;
            globalThis.SharedWorker = class extends SharedWorker {
              constructor(url, options) {
                super(url, { ...options, name: "failing" });
                this.addEventListener("error", () => (globalThis.hasFailed = true));
              }
            };
          });
          isBroken = true;
          await page.page.reload();
          await page.drawn();
          await page.until("it has failed", () => globalThis.hasFailed);
          isBroken = false;
          await page.ask("Hello");
          assert.equal(await runsHere(page), true);
        },
        /404|Not Found|Failed to load|background-worker/,
      );

      assert.deepEqual(model.violations, []);
    } finally {
      await browser.close();
    }
  });
}

/** In the page: everything in its storages, as text. */
async function everythingStored() {
  const read = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href];
  const decoder = new TextDecoder();
  const plain = (_, value) => (ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? decoder.decode(value) : value);
  for (const { name } of await indexedDB.databases()) {
    const database = await read(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      texts.push(JSON.stringify(await read(database.transaction(store).objectStore(store).getAll()), plain));
    database.close();
  }
  return texts.join("\n");
}
