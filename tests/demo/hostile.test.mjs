// Conversations that the demo page could choke on: they are shown all the same, after a reload too, and can be exported.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { conversation, entry, eventId, eventPath, id } from "../support/archive-entries.mjs";
import { zip } from "../support/zip-bytes.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { createModel } from "../support/model.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";

const nested = Array.from({ length: 2000 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join("");
const answers = {
  quotes: "> ".repeat(5000),
  lists: "- ".repeat(3000),
  marks: "*a_".repeat(8000),
  "nested lists": nested.slice(0, 4_000_000),
  paragraphs: "a\n\n".repeat(100_000),
};
const last = "and that was all.";

/** Says the answer that the last message names, in one piece, and then the last words. */
const model = createModel(({ messages }) => {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === "user").content);
  const [, text] = Object.entries(answers).findLast(([name]) => asked.includes(`the ${name}`)) ?? ["", ""];
  return { text: `${text} ${last}`, pieces: Infinity };
});

let demo;
before(async () => (demo = await startDemo({ model: model.handle })));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the demo shows and exports conversations that it could choke on`, async (context) => {
    const browser = await tabs(kind);
    const folder = mkdtempSync(path.join(tmpdir(), "hostile-"));
    const step = stepsOf(context, browser, demo);
    try {
      await step("answers that a parser chokes on are shown as they are, and again after a reload", async (page) => {
        // A model of one's own: the page knows no limit of it, and condenses nothing.
        await page.page.evaluate(
          (baseUrl) => localStorage.setItem("threadkeep-demo:settings", JSON.stringify({ baseUrl, model: "openai/own" })),
          `${demo.origin}/v1`,
        );
        await page.page.reload();
        await page.shows(/own at/, "#model-label");
        const last = () => page.page.$eval(".row.last .prose", (answer) => answer.textContent.slice(0, 20));
        for (const [name, text] of Object.entries(answers)) {
          await page.ask(`Say the ${name}`);
          assert.equal(await last(), text.slice(0, 20), name);
        }
        await page.page.reload();
        await page.until("it is shown", () => document.querySelector(".row.last .prose"));
        assert.equal(await last(), Object.values(answers).at(-1).slice(0, 20));
        for (const slow of await page.page.evaluate(() => performance.getEntriesByType("longtask").map(({ duration }) => duration)))
          assert.ok(slow < 2000);
        await page.press("Export");
        await page.press("Export");
        await page.download(/\.zip$/);
      });

      await step("the rest of a long text is shown on demand", async (page) => {
        await page.ask("Say the paragraphs");
        const length = () => page.page.$eval(".entry-agent .prose", (answer) => answer.textContent.length);
        const before = await length();
        await page.click(".more-text");
        assert.ok((await length()) > before + 40_000);
      });

      await step("events that cannot be read stand in their places", async (page) => {
        const entries = conversation(6);
        for (const index of [1, 3, 4, 5]) entry(entries, eventPath(index)).content = '{"id":"';
        entry(entries, eventPath(2)).content = `{"id":"${eventId(2)}","source":"agent","tools":7,"kind":"SystemPromptEvent"}`;
        const archive = path.join(folder, "broken.zip");
        writeFileSync(archive, zip(entries));
        await page.drop(archive);
        await page.until("it is open", (id) => location.hash.includes(id), id);
        await page.shows(/An event that cannot be read/);
        await page.shows(/event-00001-\S+ breaks off.*And 2 more warnings\.$/, "#notices .notice-text");
        await page.press("Export");
        await page.press("Export");
        await page.download(/\.zip$/);
      });
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
