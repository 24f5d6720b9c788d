// The search field of `<threadkeep-conversations>`: below the titles, the messages that have the words, on whatever page of whatever
// conversation.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { startList } from "./page.mjs";

let served;
before(async () => (served = await startList("found")));
after(() => {
  rmSync(served.folder, { recursive: true, force: true });
  return served.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the search field finds messages, on whatever page they are`, async (context) => {
    const browser = await tabs(kind);
    const step = served.stepsOf(context, browser);
    const hits = (page) => page.get(() => all(".of-hit .conversation-title").map(({ textContent }) => textContent));
    try {
      await step("messages are found below the titles, and a click leads to them", "", async (page) => {
        const text = `${"Boil the water first. ".repeat(20)}Then the <b>rice</b> cooker hums. ${"Wait for ten minutes. ".repeat(20)}`;
        await page.fresh([
          { title: "Rice for six" },
          { title: "Dinner", text, days: 2 },
          { title: "Something else", text: "Nothing of it", days: 40 },
        ]);
        await page.fill(".conversations-search", "r");
        await page.until("titles with it are there", () => all(".conversation").length === 2);
        await page.fill(".conversations-search", "rice");
        await page.shows(/Today.*Rice for six.*In messages.*Dinner/, ".conversations-list");
        assert.deepEqual(await hits(page), ["Dinner"]);
        assert.deepEqual(await page.get(() => all(".of-hit mark").map(({ textContent }) => textContent)), ["rice"]);
        await page.shows(/the <b>rice<\/b> cooker hums.*2 days ago/, ".of-hit");
        await page.shows(/1 message was found/, ".conversations > [aria-live]");
        await page.looksRight("found");
        await page.get(() => one(".conversations-search").focus());
        await page.page.keyboard.press("ArrowDown");
        await page.page.keyboard.press("ArrowDown");
        await page.until("the focus is on the message", () => focused().closest(".of-hit"));
        await page.page.keyboard.press("Delete");
        await page.page.setViewport({ width: 1280, height: 800 });
        await page.page.keyboard.press("Enter");
        await page.until("the message is marked", () => chat.shadowRoot.querySelector(".row.marked")?.textContent.includes("cooker hums"));
        await page.until("one can write", () => document.activeElement === chat);
        await page.until("it is the open one", () => list.getAttribute("conversation-id") === chat.getAttribute("conversation-id"));
        const [, { conversationId, eventId }] = (await page.get(() => window.events)).findLast(([name]) => name === "select");
        assert.deepEqual(await page.get(() => [chat.getAttribute("conversation-id"), chat.getAttribute("event-id")]), [
          conversationId,
          eventId,
        ]);
        await page.fill(".conversations-search", "zucchini");
        await page.shows(/No title has these words/, ".conversations-none");
        assert.deepEqual(await hits(page), []);
        await page.fill(".conversations-search", "");
        await page.until("all are listed", () => all(".conversation").length === 3);
        await page.page.reload();
        await page.ready();
      });

      await step("while older messages are being read it says so, and finds them later", "", async (page) => {
        await page.get(() => {
          const read = () => {
            window.reading ??= /Still reading [\d,]+ older messages…/.exec(one("[data-part=messages]")?.textContent ?? "")?.[0];
          };
          new MutationObserver(read).observe(one(".conversations-list"), { childList: true, subtree: true });
        });
        const text = (at) => Array.from({ length: 20_000 }, (_, word) => `w${(word * 7919 + at * 104_729).toString(36)}`).join(" ");
        await page.import(
          page.archive(
            Array.from({ length: 60 }, (_, at) => ({
              title: `Long ${at}`,
              text: at === 59 ? `${text(at)} needle` : text(at),
              days: at + 1,
            })),
          ),
        );
        await page.shows(/Imported 60/, ".conversations-notices");
        await page.fill(".conversations-search", "needle");
        await page.shows(/In messages.*Long 59/, ".conversations-list");
        await page.until("nothing is missing", () => !/Still reading/.test(one("[data-part=messages]").textContent));
        assert.match(await page.get(() => window.reading), /Still reading/);
      });
    } finally {
      await browser.close();
    }
  });
}
