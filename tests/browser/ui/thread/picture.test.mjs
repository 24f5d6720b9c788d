// What a thread has shown last, in the database of its conversation.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../../scripts/process.mjs";
import { staticFiles } from "../../../../scripts/static-files.mjs";
import { textFromSource } from "../../../support/bundled.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { amount, seed } from "../../../support/explored.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";

const histories = amount(200, 400);

let server;
/** Resolves when the wasm may be sent. */
let mayGo = Promise.resolve();
let release;
const hold = () => (mayGo = new Promise((resolve) => (release = resolve)));

/** A model that repeats what is said, or makes the call that is named. */
const model = createModel(({ messages }) => {
  const said = messages.at(-1);
  if (said.role === "tool") return { text: "Done." };
  const text = typeof said.content === "string" ? said.content : said.content.map(({ text }) => text).join("");
  return ["look", "pay"].includes(text) ? { calls: [{ name: text, arguments: {} }] } : { text: `You said: ${text}` };
});

before(async () => {
  // No page can import them.
  const parts = await textFromSource(["ui/thread/picture.ts", "ui/thread/transcript.ts"]);
  const send = (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(parts);
  const library = staticFiles(path.join(root, "dist"));
  const mounts = {
    "/parts.js": (...args) => (send(...args), true),
    "/secrets/": "tests/secrets",
    async "/threadkeep/"(request, response, name) {
      if (name.endsWith(".wasm")) await mayGo;
      return library(request, response, name);
    },
  };
  server = await startServer({ model, mounts });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: in random histories, a picture that is shown is what the log shows`, async () => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const counts = { shown: 0, outdated: 0, none: 0 };
      for (let done = 0; done < histories; done += 100) {
        const found = await page.evaluate(
          (first, count) => import("/pages/picture-histories.mjs").then(({ checkHistories }) => checkHistories(first, count)),
          seed + done,
          100,
        );
        assert.equal(found.wrong, null);
        for (const name of Object.keys(counts)) counts[name] += found.counts[name];
      }
      for (const [name, count] of Object.entries(counts)) assert.ok(count > histories / 5, `${name}: ${count} times`);
    } finally {
      await browser.close();
    }
  });
}

/** Calls a function of `pages/pictured.mjs`. */
const inPage = (page, name, ...args) =>
  page.evaluate((name, ...args) => import("/pages/pictured.mjs").then((module) => module[name](...args)), name, ...args);

for (const kind of availableBrowsers) {
  test(`${kind}: a thread shows at once what it has shown last, and nothing that is not true`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const blank = async () => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.setCacheEnabled(false);
      return page;
    };
    /** What a thread shows in a new page, while the wasm is on its way, and when it is there. */
    const reopened = async (id) => {
      const page = await blank();
      hold();
      await inPage(page, "open", id);
      await inPage(page, "hasLooked");
      const early = (await inPage(page, "shown")).at(-1);
      assert.equal(early[0], "opening");
      release();
      await inPage(page, "opened");
      const states = await inPage(page, "shown");
      await inPage(page, "close");
      await page.close();
      return { early, late: states.find(([phase]) => phase === "open") };
    };
    const told = async (...texts) => {
      const id = crypto.randomUUID();
      const page = await blank();
      await inPage(page, "open", id);
      for (const text of texts) {
        await inPage(page, "send", text);
        await inPage(page, "idle");
      }
      await inPage(page, "kept", id, texts.at(-1));
      await inPage(page, "close");
      await page.close();
      return id;
    };

    await context.test("the last messages are there before the wasm, and stay", async () => {
      const id = await told("First", "Second");
      const { early, late } = await reopened(id);
      assert.deepEqual(early, ["opening", "First", ["First", "You said: First", "Second", "You said: Second"], 0]);
      assert.deepEqual(late.slice(1), early.slice(1));
    });
    for (const [name, what] of [
      ["message", "has gone on elsewhere"],
      ["title", "got another title"],
      ["back", "went to another branch"],
      ["trash", "is in the trash"],
      ["delete", "was deleted"],
    ])
      await context.test(`nothing of a conversation that ${what} is shown early`, async () => {
        const id = await told("First", "Second");
        const page = await blank();
        await inPage(page, "change", name, id);
        const rows = (await inPage(page, "pictures")).filter(([key]) => key === id.replaceAll("-", ""));
        assert.equal(rows.length, name === "delete" ? 0 : 1);
        await page.close();
        assert.deepEqual((await reopened(id)).early, ["opening", null, [], 0]);
      });
    await context.test("a call that waits is shown when it can be answered, not before", async () => {
      const id = await told("pay");
      const { early, late } = await reopened(id);
      assert.deepEqual(early, ["opening", "pay", ["pay"], 0]);
      assert.deepEqual(late, ["open", "pay", ["pay", "pay: waiting "], 1]);
    });
    await context.test("the value of a secret is not in it", async () => {
      const id = await told("look");
      const page = await blank();
      const [text] = await inPage(page, "kept", id, "seen with");
      assert.match(text, /seen with <secret-hidden>/);
      assert.ok(!text.includes("kept-from-all"));
      await page.close();
      assert.deepEqual((await reopened(id)).early[2], ["look", "look: done seen with <secret-hidden> | Done."]);
    });
    await context.test("a sealed store has none", async () => {
      const page = await blank();
      await inPage(page, "open", crypto.randomUUID(), true);
      await inPage(page, "send", "Sealed words");
      await inPage(page, "idle");
      await inPage(page, "close");
      // That of a thread which has begun later is there.
      const later = crypto.randomUUID();
      await inPage(page, "open", later);
      await inPage(page, "send", "Open words");
      await inPage(page, "idle");
      await inPage(page, "kept", later, "said: Open words");
      await inPage(page, "close");
      assert.deepEqual(await inPage(page, "pictures", "sealed"), []);
      const texts = await page.evaluate(() => import("/secrets/database.mjs").then(({ textsOf }) => textsOf("sealed")));
      assert.ok(texts.length > 3);
      assert.deepEqual(
        texts.filter((text) => /Sealed words/.test(text)),
        [],
      );
      await page.close();
    });
  });
}

for (const kind of availableBrowsers) {
  test(`${kind}: the chat draws the last messages once, and has their actions when the conversation is open`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/chat-controls.html`);
    await page.setCacheEnabled(false);
    await untilIn(page, "it is open", () => window.chat?.thread?.getSnapshot().phase === "open" && location.hash);
    await page.evaluate(async () => {
      for (let turn = 1; turn <= 12; turn++) {
        await chat.thread.send(`Question ${turn}, which has **many** words, `.repeat(4));
        while (chat.thread.getSnapshot().isRunning || chat.thread.getSnapshot().messages.length < 2 * turn)
          await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await import("/pages/pictured.mjs").then(({ kept }) => kept(location.hash.slice(1), "said: Question 12"));
    });
    hold();
    await page.reload({ waitUntil: "commit" }).catch(() => {});
    const view = () => {
      const rows = all(".row").map((row) => [row.dataset.index, Math.round(row.getBoundingClientRect().top), row.innerText]);
      const scroller = one(".scroller");
      return { rows, fromEnd: Math.round(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop) };
    };
    /** Resolves when what was changed is drawn. */
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // Until the code for Markdown is there, an answer is shown as it was written.
    await untilIn(page, "the end of the messages is there, with its Markdown", () => {
      const rows = window.all?.(".row") ?? [];
      const scroller = rows.length > 2 && !rows.at(-1).innerText.includes("**") && one(".scroller");
      return scroller && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 1;
    });
    await page.evaluate(drawn);
    const early = await page.evaluate(view);
    assert.equal(await page.evaluate(() => chat.thread.getSnapshot().phase), "opening");
    assert.match(early.rows.at(-1)[2], /said: Question 12/);
    assert.equal(early.fromEnd, 0);
    assert.deepEqual(
      await page.evaluate(() => all("[data-verb]").map(({ dataset }) => dataset.verb)).then((verbs) => [...new Set(verbs)]),
      ["copy"],
    );
    await photograph({ page }, `picture-early-${kind}`);
    await page.evaluate(() => {
      for (const element of all(".row, .row *")) element.isEarly = true;
      one(".composer-text").focus();
    });
    release();
    await untilIn(page, "it is open", () => chat.thread.getSnapshot().phase === "open" && one("[data-verb=again]"));
    await page.evaluate(drawn);
    const late = await page.evaluate(view);
    await photograph({ page }, `picture-late-${kind}`);
    const without = (text) =>
      text
        .replace(/\b(Edit|Another answer|Copy)\b/g, "")
        .replace(/\s+/g, " ")
        .trim();
    const inShort = ({ rows, fromEnd }) => ({ rows: rows.map(([index, top, text]) => [index, top, without(text)]), fromEnd });
    assert.deepEqual(inShort(late), inShort(early));
    const made = await page.evaluate(() => all(".row, .row *").filter((element) => !element.isEarly && !element.closest(".verbs")).length);
    assert.equal(made, 0, "elements of messages that were made anew");
    assert.ok(await page.evaluate(() => focused() === one(".composer-text")));
    assert.deepEqual(browser.problems.splice(0), []);
  });
}
