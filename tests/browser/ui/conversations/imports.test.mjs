// Imports of many files into `<threadkeep-conversations>`, which can be stopped and gone on with, and of what is in the trash; and an
// old trash.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { startList } from "./page.mjs";

let served;
before(async () => (served = await startList("imports")));
after(() => {
  rmSync(served.folder, { recursive: true, force: true });
  return served.close();
});

const count = 20;

/** In the page: presses Stop as soon as the third file is imported. */
const stopAtThree = () => {
  const observer = new MutationObserver(() => {
    const work = one("[data-kind=work]");
    if (!/(?<!1)[3-9] of 20|1\d of 20/.test(work?.textContent)) return;
    observer.disconnect();
    window.shown = work.textContent;
    work.querySelector("button").focus();
    work.querySelector("button").click();
  });
  observer.observe(one(".conversations"), { childList: true, subtree: true, characterData: true });
};

/** In the page: a clock that is ahead. */
const ahead = (time) => {
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
  test(`${kind}: imports of many files are stopped and gone on with, and leave the trash alone`, async (context) => {
    const browser = await tabs(kind);
    const step = served.stepsOf(context, browser);
    const isOpen = (page, title) =>
      page.until(`“${title}” is open`, (title) => one("[aria-current] .conversation-title")?.textContent === title, title);
    const listed = (page, number) =>
      page.until(`${number} are listed`, (number) => all(".conversation-row:not(.of-trash)").length === number, number);
    const inTrash = (page, number) =>
      page.until(
        `${number} are in the trash`,
        (number) => Number(one("[data-part=trash] .conversation-count")?.textContent ?? 0) === number,
        number,
      );

    try {
      await step("many failures are one notice, which leaves room for the list", "", async (page) => {
        const files = Array.from({ length: 15 }, (_, at) => path.join(served.folder, `broken-${at}.json`));
        for (const [at, file] of files.entries()) writeFileSync(file, `[{"role":"wizard ${at}"}]`);
        await page.import(...files);
        await page.shows(/15 files cannot be imported.*broken-0\.json: .*broken-1\.json: .*And 13 more/, "[data-kind=failure]");
        const room = await page.get(() => one(".conversations-list").clientHeight / innerHeight);
        assert.ok(room > 0.4, `${room} of the window`);
        await page.looksRight("many failures");
      });

      await step("many files are imported one after the other, until somebody stops it, and go on", "", async (page) => {
        await page.fresh([]).catch(() => undefined);
        const files = Array.from({ length: count }, (_, at) => page.archive([{ title: `File ${at}`, text: "word ".repeat(40_000) }]));
        await page.get(stopAtThree);
        await page.import(...files);
        await page.shows(/The import was stopped: \d+ of 20 files are here/, "[data-kind=offer]");
        assert.match(await page.get(() => window.shown), /^Importing 20 files\d+ of 20Stop$/);
        const at = Number(/(\d+) of 20 files are here/.exec(await page.get(() => one("[data-kind=offer]").textContent))[1]);
        assert.ok(at >= 3 && at < count, `${at}`);
        await listed(page, at);
        await page.looksRight("an import that was stopped");
        await page.until("the focus is where one goes on", () => focused()?.textContent === "Go on");
        await page.page.keyboard.press("Enter");
        await page.shows(/Imported 20 conversations/, ".conversations-notices");
        await listed(page, count);
      });

      await step("files of another program keep their times, and are not imported twice", "", async (page) => {
        const day = Date.UTC(2023, 3, 5, 12) / 1000;
        const chats = [0, 1, 2].map((at) => {
          const message = (id, parent, role, text) => {
            const content = { content_type: "text", parts: [text] };
            return { id, parent, children: [], message: { id, author: { role }, create_time: day + at, content } };
          };
          const answer = message("b", "a", "assistant", `Answer ${at}.`);
          const mapping = { a: { ...message("a", null, "user", `Question ${at}?`), children: ["b"] }, b: answer };
          const file = path.join(served.folder, `old-${at}.json`);
          writeFileSync(
            file,
            JSON.stringify([{ title: `Old ${at}`, create_time: day, mapping, current_node: "b", conversation_id: `old-${at}` }]),
          );
          return file;
        });
        await page.import(...chats);
        await page.shows(/Imported 3 conversations/, ".conversations-notices");
        await page.shows(/April 2023.*Old 2.*Old 1.*Old 0/, ".conversations-list");
        await page.import(...chats);
        await page.shows(/3 conversations had nothing new/, ".conversations-notices");
        await listed(page, count + 3);
      });

      await step("an import shows what comes from another trash, and one file what is in the trash here", "", async (page) => {
        await page.import(page.archive([{ title: "Thrown away elsewhere", tags: { trashed: "2026-01-01T00:00:00Z" } }]));
        await isOpen(page, "Thrown away elsewhere");
        await inTrash(page, 0);
        const [mine, other] = [page.archive([{ title: "Mine" }]), page.archive([{ title: "Other" }])];
        await page.import(mine);
        await isOpen(page, "Mine");
        await page.act("Mine", "Delete");
        await inTrash(page, 1);
        await page.import(mine, other);
        await page.shows(/1 conversation stayed in the trash/, ".conversations-notices");
        await isOpen(page, "Other");
        await inTrash(page, 1);
        await page.import(mine);
        await isOpen(page, "Mine");
        await inTrash(page, 0);
      });

      await step("files that are dropped are imported, and what is open goes on as the file has it", "", async (page) => {
        await page.get(() => {
          const dropped = new DataTransfer();
          dropped.items.add(new File([JSON.stringify([{ role: "user", content: "Dropped" }])], "dropped.json"));
          for (const type of ["dragover", "drop"]) {
            const event = new DragEvent(type, { dataTransfer: dropped, bubbles: true, cancelable: true });
            one(".conversations-list").dispatchEvent(event);
            if (!event.defaultPrevented) throw new Error(`${type} was left to the browser, which would open the file`);
          }
        });
        await isOpen(page, "Dropped");
        const [[, { imported, conversationId }]] = (await page.get(() => window.events)).filter(([name]) => name === "import");
        assert.deepEqual([imported.length, imported[0].id], [1, conversationId]);
      });

      await step(
        "a page that starts deletes what has been in the trash for as many days as it is told, and else nothing",
        "",
        async (page) => {
          await page.import(page.archive([{ title: "Forgotten" }]));
          await isOpen(page, "Forgotten");
          await page.act("Forgotten", "Delete");
          await inTrash(page, 1);
          for (const [days, query, left] of [
            [29, "?trash-days=30", 1],
            [31, "", 1],
            [31, "?trash-days=thirty", 1],
            [31, "?trash-days=30", 0],
          ]) {
            await page.page.evaluateOnNewDocument(ahead, days * 86_400_000);
            await page.page.goto(`${new URL(page.page.url()).origin}/pages/conversations.html${query}`);
            await page.ready();
            await page.until("both are read", () => one(".conversation"));
            await inTrash(page, left);
            if (days === 29) {
              await page.get(() => one("[data-part=trash] .conversation-fold").click());
              await page.shows(/What has been here for 30 days is deleted for ever/, ".conversations-list");
            }
          }
        },
      );
    } finally {
      await browser.close();
    }
  });
}
