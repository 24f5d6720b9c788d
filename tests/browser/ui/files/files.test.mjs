// The files of a conversation as a component of a Preact app: what the agent makes and changes, what the user adds, looks at, downloads and
// removes, and a second tab.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { appOf } from "../../../support/documented.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";

const source = `/** @jsxImportSource preact */
  import { render } from "preact";
  import { Agent, Conversation, fileEditor, LLM } from "threadkeep";
  import { FilesView } from "threadkeep/preact";
  const agent = new Agent({ llm: new LLM({ model: "openai/small", baseUrl: "/v1" }), tools: [fileEditor()] });
  const conversationId = location.hash.slice(1);
  const conversation = await Conversation.open({ agent, ...(conversationId !== "" && { conversationId }) });
  location.hash = conversation.id;
  const labels = location.search === "?german" ? { files: "Dateien", none: "Noch keine." } : undefined;
  render(<FilesView conversation={conversation} labels={labels} />, document.querySelector(".threadkeep"));
  window.conversation = conversation;`;
const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
  <title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/threadkeep/preact.css">
  <style>.threadkeep { height: auto; padding: 1rem }</style><main><h1>Files</h1><h2>Of one conversation</h2><div class="threadkeep"></div></main><script type="module" src="/app/app.js"></script></html>`;
const hostile = `<img src=x onerror="document.title = 'taken over'">`;
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What the model writes into which file. */
const edit = (command, args) => [
  { calls: [{ name: "file_editor", arguments: { command, summary: "Edit a file", security_risk: "LOW", ...args } }] },
  { text: "Done." },
];
const create = (path, text) => edit("create", { path: `/workspace/${path}`, file_text: text });

let server;
let model;
before(async () => {
  const app = await appOf({ "app.tsx": source }, ["app.js"]);
  const page = (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true);
  const answer = (request, response) => (model.handle(request, response), true);
  server = await startServer({ mounts: { "/app/": app, "/app-page": page, "/v1/": answer } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the files of a conversation are seen, added, downloaded and removed`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const open = async (address = "/app-page") => {
      const tab = await browser.page(`${server.origin}${address}`);
      await untilIn(tab, "it is drawn", () => window.conversation && document.querySelector(".files p"));
      return tab;
    };
    /** Each file of the tree, with what is said about it. */
    const lists = (tab, ...wanted) =>
      untilIn(
        tab,
        `the files are ${wanted}`,
        (wanted) =>
          [...document.querySelectorAll(".tree-row")]
            .map((row) =>
              [row.querySelector(".tree-name"), row.querySelector(".badge")].flatMap((part) => part?.textContent ?? []).join(": "),
            )
            .join() === wanted,
        wanted.join(),
      );
    const shows = (tab, pattern, selector = ".files") =>
      untilIn(
        tab,
        `${selector} shows ${pattern}`,
        (selector, source) => new RegExp(source, "s").test(document.querySelector(selector)?.textContent ?? ""),
        selector,
        pattern.source,
      );
    const press = (tab, name) =>
      untilIn(
        tab,
        `there is a button “${name}”`,
        (name) => {
          const found = [...document.querySelectorAll("button")].find(
            (each) => (each.getAttribute("aria-label") ?? each.textContent) === name,
          );
          found?.click();
          return found !== undefined;
        },
        name,
      );
    const openFile = async (tab, path) => {
      await tab.focus(`button[data-path="${path}"]`);
      await tab.keyboard.press("Enter");
      await untilIn(tab, "the file is open", () => document.querySelector(".file-dialog .file-content > :not([role=status])"));
    };
    const which = (tab, value) => tab.select(".file-which", value);
    const ask = async (tab, replies) => {
      model = createModel(replies);
      await tab.evaluate(async () => {
        await conversation.sendMessage("Go on");
        await conversation.run();
      });
      assert.deepEqual(model.violations, []);
    };
    const drop = (tab, name, content) =>
      tab.evaluate(
        (name, content) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([Uint8Array.from(atob(content), (character) => character.charCodeAt(0))], name));
          const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector(".files").dispatchEvent(event);
          if (!event.defaultPrevented) throw new Error("it was left to the browser, which would open the file");
        },
        name,
        content,
      );
    const looksRight = async (tab, name) => {
      for (const width of [1280, 390]) {
        await tab.setViewport({ width, height: 800 });
        assert.deepEqual(await faultsOf(tab), [], `${name}, ${width} pixels`);
        const tooWide = await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.equal(tooWide, false, `${name} is wider than ${width} pixels`);
        await photograph({ page: tab }, `files-${name}-${width}-${kind}`);
      }
    };

    await context.test("what the agent writes is there at once, with its changes", async () => {
      const tab = await open();
      await shows(tab, /No files yet/);
      await ask(tab, create("plan.md", "Buy milk"));
      await lists(tab, "plan.md: added");
      await tab.evaluate(() => conversation.workspace.makeDirectory("notes"));
      await ask(tab, [
        ...edit("str_replace", { path: "/workspace/plan.md", old_str: "milk", new_str: "oat milk" }).slice(0, 1),
        ...create("notes/first.md", "Hello"),
      ]);
      await lists(tab, "notes", "plan.md: added");
      await tab.click(".files summary");
      await lists(tab, "notes", "first.md: added", "plan.md: added");
      await looksRight(tab, "tree");
      await openFile(tab, "plan.md");
      await shows(tab, /Buy oat milk/, ".file-dialog ins");
      await which(tab, "content");
      await shows(tab, /^Buy oat milk$/, ".file-text");
      await looksRight(tab, "file");
      const saved = await tab.evaluate(async () => {
        let blob;
        URL.createObjectURL = (given) => ((blob = given), "#");
        [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Download").click();
        return [blob.type, await blob.text()];
      });
      assert.deepEqual(saved, ["application/octet-stream", "Buy oat milk"]);
      await tab.keyboard.press("Escape");
      await untilIn(tab, "the focus returns", () => document.activeElement.dataset.path === "plan.md");
      await tab.close();
    });

    await context.test("files are added, shown as what they are, and removed", async () => {
      const tab = await open();
      await ask(tab, [{ text: "Hello." }]);
      await drop(tab, "dot.png", dot);
      await shows(tab, /Added 1 file\./);
      await lists(tab, "dot.png: added");
      await drop(tab, "page.html", btoa(hostile));
      await lists(tab, "dot.png: added", "page.html: added");
      await openFile(tab, "dot.png");
      await shows(tab, /Only changes of texts/, ".file-dialog");
      await which(tab, "content");
      await untilIn(tab, "the image is drawn", () => document.querySelector(".file-dialog img")?.naturalWidth > 0);
      await press(tab, "Close the file");
      await openFile(tab, "page.html");
      await which(tab, "content");
      await shows(tab, /^<img src=x/, ".file-text");
      assert.equal(await tab.title(), "x");
      await press(tab, "Close the file");
      await drop(tab, "page.html", btoa(hostile));
      await shows(tab, /already a file page\.html/);
      await openFile(tab, "page.html");
      await press(tab, "Remove…");
      await press(tab, "Remove it for good");
      await lists(tab, "dot.png: added");
      await shows(tab, /Removed page\.html\./);
      await tab.close();
    });

    await context.test("a second tab follows the files and cannot change them", async () => {
      const tab = await open();
      await ask(tab, create("plan.md", "Buy milk"));
      const second = await open(`/app-page${await tab.evaluate(() => location.hash)}`);
      await lists(second, "plan.md: added");
      await shows(second, /The agent runs in another tab: there, files can be added/);
      assert.equal(await second.$("input[type=file]"), null);
      await openFile(second, "plan.md");
      await tab.bringToFront();
      await ask(tab, edit("str_replace", { path: "/workspace/plan.md", old_str: "milk", new_str: "tea" }));
      await second.bringToFront();
      await shows(second, /Buy tea/, ".file-dialog ins");
      assert.doesNotMatch(await second.$eval(".file-dialog", ({ textContent }) => textContent), /Remove/);
      await second.close();
      await tab.close();
    });

    await context.test("its texts can be replaced", async () => {
      const tab = await open("/app-page?german");
      await shows(tab, /^DateienNoch keine\./);
      await tab.close();
    });
    assert.deepEqual(browser.problems, []);
  });
}
