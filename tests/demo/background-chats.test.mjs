// Chats of the demo that run in a worker: they go on when their tab is closed, every tab decides and chooses, and what cannot run there
// runs in its tab.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { createModel } from "../support/model.mjs";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
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
  Pay: () => call("send_payment", { to: "Ann", amount: 20 }),
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

const noNetwork = /ERR_|Failed to load resource|NetworkError|CORS|connection to the server|fetch event|ServiceWorker/i;

for (const kind of availableBrowsers) {
  test(`${kind}: chats of the demo that run in a worker go on when their tab is closed`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const settle = async (page) => {
      await page.press("Save");
      await page.shows(/Settings saved/, "#notices");
    };
    const connect = async (page, name) => {
      await page.press("Settings");
      await page.choose("#connection", "other");
      await page.fill("#base-url", `${demo.origin}/v1`);
      await page.fill("#model", name);
    };
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
      await step("chats run in their tab until the setting says otherwise, and then go on in tabs that were open before", async (page) => {
        const early = await DemoPage.open(browser, `${demo.origin}/#/`);
        await page.page.bringToFront();
        await page.ask("Hello");
        assert.equal(await runsHere(page), true);
        await page.press("Settings");
        await page.page.$eval("#in-background", (box) => box.scrollIntoView({ block: "center" }));
        assert.equal(await page.page.$eval("#in-background", (box) => box.checked), false);
        await page.click("#in-background");
        await page.isAccessible("the settings");
        for (const [width, height] of [
          [1280, 800],
          [390, 780],
        ]) {
          await page.page.setViewport({ width, height });
          await page.page.$eval("#in-background", (box) => box.scrollIntoView({ block: "center" }));
          await photograph(page, `background-${width}-${kind}`);
        }
        if (await page.inTheDark()) {
          await page.isAccessible("the settings in the dark");
          await photograph(page, "background-390-dark");
          await page.page.setViewport({ width: 1280, height: 800 });
          await photograph(page, "background-1280-dark");
        }
        await settle(page);
        await page.until("the conversation is open again", () => document.querySelector(".composer-text")?.disabled === false);
        await page.ask("And again");
        assert.equal(await runsHere(page), false);
        await page.say("Tell me all");
        await page.shows(/The beginning/);
        const address = page.page.url();
        await page.page.goto("about:blank");
        letGo();
        await early.page.bringToFront();
        await early.page.goto(address);
        await early.shows(/and the end of it/);
        await early.idle();
        // Later steps count the titles that are asked for.
        await early.shows(/A name by the model/, "#title");
        await early.page.close();
      });

      await step("an answer goes on when its tab is closed, and the conversation gets its name once", async (page) => {
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
        await page.page.bringToFront();
        await photograph(page, `background-chat-${kind}`);
      });

      await step("a conversation that has come to its end while no tab showed it gets its name when it is opened", async (page) => {
        const one = await DemoPage.open(browser, `${demo.origin}/#/`);
        await one.say("Tell me all");
        await one.shows(/The beginning/);
        const address = one.page.url();
        await one.page.close();
        letGo();
        await page.shows(/Tell me all/, "#conversation-list");
        await page.until(
          "nobody writes it any more",
          async (id) => !(await navigator.locks.query()).held.some(({ name }) => name.endsWith(id)),
          address.split("/").at(-1),
        );
        await page.page.goto(address);
        await page.shows(/and the end of it/);
        await page.shows(/A name by the model/, "#title");
      });

      await step("calls that wait are approved in another tab", async (page) => {
        await page.say("Pay Ann");
        await page.waits(/A call waits for you/);
        const other = await beside(page);
        await other.waits(/A call waits for you/);
        await other.approve();
        for (const each of [page, other]) await each.shows(/Use send_payment.*I am scripted-model/);
        await other.idle();
        await other.page.close();
      });

      await step("another model is chosen in each of the tabs", async (page) => {
        await page.ask("Hello");
        const other = await beside(page);
        await connect(other, "openai/second");
        await settle(other);
        await other.ask("Who are you?");
        for (const each of [page, other]) await each.shows(/I am second/);
        assert.equal(await runsHere(other), false);
        await page.page.bringToFront();
        // Where one writes, too: with a profile there is a choice.
        await connect(page, "openai/third");
        await page.click(".more summary");
        await page.fill("#profile-name", "third");
        await page.page.keyboard.press("Enter");
        await page.shows(/Saved as “third”/, "dialog");
        await page.fill("#model", "openai/fourth");
        await settle(page);
        await page.until("there is a choice", () => document.querySelector(".model-menu select")?.disabled === false);
        await page.choose(".model-menu select", "third");
        await page.shows(/third at/, "#model-label");
        await page.ask("Who are you?");
        for (const each of [page, other]) await each.shows(/I am third/);
        await other.page.close();
      });

      await step("keys and secrets reach the worker, and are stored nowhere", async (page) => {
        await connect(page, "openai/keyed");
        await page.page.type("#api-key", "sk-in-memory-only");
        await settle(page);
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
        await page.shows(/written\.txt.*runs in the background: attach files to a message/, "#panel");
        assert.equal(await page.page.$eval(".files-add .button", (button) => button.checkVisibility()), false);
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

      await step("a conversation that another tab shows is deleted", async (page) => {
        await page.ask("Hello");
        const other = await beside(page);
        await page.page.bringToFront();
        await page.press("Delete");
        await page.until("it is gone", () => location.hash === "#/");
        const id = other.page.url().split("/").at(-1);
        await page.until("the list is without it", (id) => !document.querySelector(`#conversation-list a[href$="${id}"]`), id);
        await other.shows(/is in the trash/, "#notices");
        // For ever, too.
        await page.click("[data-fold=trash]");
        await page.click(`[data-id="${id}"] [data-act=forever]`);
        await page.press("Delete");
        await page.shows(/was deleted for ever/, "#notices");
        await other.page.close();
      });

      await step("with MCP servers it runs in its tab", async (page) => {
        const before = await page.page.evaluate(() => localStorage.getItem("threadkeep-demo:settings"));
        await page.page.evaluate((origin) => {
          const stored = JSON.parse(localStorage.getItem("threadkeep-demo:settings"));
          localStorage.setItem(
            "threadkeep-demo:settings",
            JSON.stringify({ ...stored, mcpServers: [{ name: "none", url: `${origin}/none` }] }),
          );
        }, demo.origin);
        await page.page.reload();
        await page.drawn();
        await page.ask("Hello");
        assert.equal(await runsHere(page), true);
        await page.page.evaluate((before) => localStorage.setItem("threadkeep-demo:settings", before), before);
        browser.problems.splice(0);
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

      await step(
        "without a network the worker starts as the page does, and its run waits",
        async (page) => {
          await page.page.evaluate(async () => void (await navigator.serviceWorker.ready));
          await demo.stop();
          try {
            await page.page.goto(`${demo.origin}/#/`);
            await page.page.reload();
            await page.drawn();
            await page.say("Hello");
            await page.shows(/could not be reached.*Trying again in \d+ s.*Try now/, ".next");
            assert.equal(await runsHere(page), false);
          } finally {
            await demo.restart();
          }
          await page.pressIfThere("Try now");
          await page.shows(/I am/);
          await page.idle();
        },
        noNetwork,
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
