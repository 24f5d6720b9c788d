// Imports of many files into the demo, which can be stopped and gone on with, and of what is in the trash; and an old trash.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { archivesIn } from "../support/archives.mjs";
import { startDemo, stepsOf } from "./page.mjs";

let demo;
const { folder, archive } = archivesIn("imports");
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return demo.close();
});

const count = 20;

/** In the page: presses Stop as soon as the third file is imported. */
const stopAtThree = () => {
  const observer = new MutationObserver(() => {
    const work = document.querySelector(".notice-work");
    if (!/3 of 20|[4-9] of 20|1\d of 20/.test(work?.textContent)) return;
    observer.disconnect();
    window.shown = work.textContent;
    work.querySelector("button").focus();
    work.querySelector("button").click();
    window.stopping = work.textContent;
  });
  observer.observe(document.querySelector("#notices"), { childList: true, subtree: true, characterData: true });
};

/** In the page: a clock that is ahead, and a note when the trash is shown. */
const ahead = (time) => {
  const noteTrash = () => (globalThis.wasThere ||= document.querySelector("[data-fold=trash]") !== null);
  new MutationObserver(noteTrash).observe(document, { childList: true, subtree: true });
  const now = Date.now;
  globalThis.Date = class extends Date {
    constructor(...given) {
      if (given.length === 0) super(now() + time);
      else super(...given);
    }
    static now() {
      return now() + time;
    }
  };
};

for (const kind of availableBrowsers) {
  test(`${kind}: imports of many files into the demo are stopped and gone on with, and leave the trash alone`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo, /downloadable font: download failed.*status=2152398850/);
    const choose = async (page, ...files) => (await page.page.$("#import-file")).uploadFile(...files);
    /** How many are listed, once the list was read. */
    const listed = async (page) => {
      await page.until("there is a list", () => document.querySelector("#conversation-list .conversation"));
      return page.page.$$eval("#conversation-list .conversation", ({ length }) => length);
    };
    const listsTrash = (page, number) =>
      page.until(
        `${number} are in the trash`,
        (number) => Number(document.querySelector("[data-fold=trash] .conversation-count")?.textContent ?? 0) === number,
        number,
      );

    try {
      await step("many failures leave room for the chat", async (page) => {
        const files = Array.from({ length: 15 }, (_, at) => path.join(folder, `broken-${at}.json`));
        for (const [at, file] of files.entries()) writeFileSync(file, `[{"role":"wizard ${at}"}]`);
        await choose(page, ...files);
        await page.shows(/broken-0\.json cannot.*broken-14\.json cannot be imported/, "#notices");
        const { room, isLast } = await page.page.evaluate(() => ({
          room: document.querySelector("#chat").clientHeight / innerHeight,
          isLast:
            document.querySelector("#notices > :last-child").getBoundingClientRect().bottom <=
            document.querySelector("#chat").getBoundingClientRect().top,
        }));
        assert.ok(room > 0.4, `${room} of the window`);
        assert.ok(isLast, "the newest is in sight");
        await photograph(page, `many-failures-${kind}`);
      });

      await step("many files are imported one after the other, until somebody stops it, and go on", async (page) => {
        const files = Array.from({ length: count }, (_, at) => archive([{ title: `File ${at}`, text: "word ".repeat(40_000) }]));
        await page.page.evaluate(stopAtThree);
        await choose(page, ...files);
        await page.shows(/The import was stopped: \d+ of 20 files are here/, "#notices");
        const [shown, stopping] = await page.page.evaluate(() => [window.shown, window.stopping]);
        assert.match(shown, /^Importing 20 files \d+ of 20Stop$/);
        assert.match(stopping, /Stopping…$/);
        const at = Number(/(\d+) of 20 files are here/.exec(await page.text("#notices"))[1]);
        assert.ok(at >= 3 && at < count, `${at}`);
        await page.until("those are listed", (at) => document.querySelectorAll("#conversation-list .conversation").length === at, at);
        await page.isAccessible("an import that was stopped");
        await photograph(page, `import-stopped-${kind}`);
        await page.until("the focus is where one goes on", () => document.activeElement.textContent === "Go on");
        await page.page.keyboard.press("Enter");
        await page.shows(/Imported 20 conversations/, "#notices");
        await page.until(
          "all are listed",
          (count) => document.querySelectorAll("#conversation-list .conversation").length === count,
          count,
        );
      });

      await step("files of another program keep their times, and are not imported twice", async (page) => {
        const [day, before] = [Date.UTC(2023, 3, 5, 12) / 1000, await listed(page)];
        const chats = [0, 1, 2].map((at) => {
          const message = (id, parent, role, text) => {
            const content = { content_type: "text", parts: [text] };
            return { id, parent, children: [], message: { id, author: { role }, create_time: day + at, content } };
          };
          const answer = message("b", "a", "assistant", `Answer ${at}.`);
          const mapping = { a: { ...message("a", null, "user", `Question ${at}?`), children: ["b"] }, b: answer };
          const file = path.join(folder, `old-${at}.json`);
          writeFileSync(
            file,
            JSON.stringify([{ title: `Old ${at}`, create_time: day, mapping, current_node: "b", conversation_id: `old-${at}` }]),
          );
          return file;
        });
        await choose(page, ...chats);
        await page.shows(/Imported 3 conversations/, "#notices");
        await page.shows(/April 2023.*Old 2.*Old 1.*Old 0/, "#conversation-list");
        await choose(page, ...chats);
        await page.shows(/3 conversations had nothing new/, "#notices");
        assert.equal(await listed(page), before + 3);
      });

      await step("an import shows what comes from another trash, and one file what is in the trash here", async (page) => {
        const before = await listed(page);
        await choose(page, archive([{ title: "Thrown away elsewhere", tags: { trashed: "2026-01-01T00:00:00Z" } }]));
        await page.shows(/^Thrown away elsewhere$/, "#title");
        await page.until(
          "it is listed",
          (before) => document.querySelectorAll("#conversation-list .conversation").length === before + 1,
          before,
        );
        await listsTrash(page, 0);
        const [mine, other] = [archive([{ title: "Mine" }]), archive([{ title: "Other" }])];
        await choose(page, mine);
        await page.shows(/^Mine$/, "#title");
        await page.press("Delete");
        await listsTrash(page, 1);
        await choose(page, mine, other);
        await page.shows(/1 conversation stayed in the trash/, "#notices");
        await page.shows(/^Other$/, "#title");
        await listsTrash(page, 1);
        await choose(page, mine);
        await page.shows(/^Mine$/, "#title");
        await listsTrash(page, 0);
      });

      await step("a page that starts deletes what has been in the trash for 30 days", async (page) => {
        await choose(page, archive([{ title: "Forgotten" }]));
        await page.shows(/^Forgotten$/, "#title");
        const address = page.page.url();
        await page.press("Delete");
        await page.until("another place is shown", () => location.hash === "#/");
        await listsTrash(page, 1);
        for (const [days, left] of [
          [29, 1],
          [31, 0],
        ]) {
          await page.page.evaluateOnNewDocument(ahead, days * 86_400_000);
          await page.page.reload();
          await page.drawn();
          await page.until("it is listed", () => document.querySelector("#conversation-list .conversation"));
          if (left === 1) await listsTrash(page, 1);
        }
        await page.until("it is no longer in the trash", () => window.wasThere && !document.querySelector("[data-fold=trash]"));
        await page.page.evaluate((hash) => (location.hash = hash), new URL(address).hash);
        await page.shows(/There is no conversation/, ".start");
      });
    } finally {
      await browser.close();
    }
  });
}
