// The main job, in the demo page, as a user does it: chat, stop, reload, crash, carry on, take it along.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { DemoPage, startDemo } from "./page.mjs";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";

let demo;
before(async () => (demo = await startDemo()));
after(() => demo.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a user of the demo chats, stops, reloads, crashes, carries on and takes it along`, async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), `threadkeep-demo-${kind}-`));
    const profile = path.join(folder, "profile");
    let browser = await launch(kind, { profile });
    const step = (name, body) => context.test(name, body);
    const home = `${demo.origin}/#/`;
    let page;
    try {
      await step("a first conversation with three tools at once", async () => {
        page = await DemoPage.open(browser, home);
        await page.press("Several tools at onceRoll three dice, tell me the time and work out 12 × 34");
        await page.press("Send");
        await page.shows(/scripted answer/);
        await page.idle();
        assert.equal(await page.page.$$eval("details[open]", (open) => open.length), 0, "reasoning and calls are folded");
        const calls = await page.calls();
        assert.deepEqual(
          calls.map(({ title, state }) => [title, state]),
          [
            ["Roll the dice", "done"],
            ["Look at the clock", "done"],
            ["Work out 12 × 34", "done"],
          ],
        );
        const icons = await page.page.$$eval(".call summary .icon path", (paths) => paths.map((path) => path.getAttribute("d")));
        assert.equal(new Set(icons).size, 3, "each tool has its icon");
        assert.match(calls[2].result, /= 408$/);
        await page.shows(/Roll three dice/, ".conversation[aria-current]");
      });

      await step("an answer streams, stops on request, and is continued", async () => {
        await page.say("A long answer of 9 paragraphs");
        await page.streams();
        await page.press("Stop");
        await page.press("Continue");
        await page.shows(/Part 2/);
        await page.idle();
      });

      await step("a reload in the middle of an answer loses nothing that was stored", async () => {
        await page.say("A long answer of 60 paragraphs");
        await page.streams();
        await page.page.reload();
        await page.press("Continue");
        await page.streams();
        await page.press("Stop");
        await page.idle();
      });

      await step("after a reload in the middle of a tool the page asks, and repeats it only on request", async () => {
        await page.say("Count slowly to 3");
        await page.shows(/1 of 3/);
        await page.page.reload();
        await page.press("Run again: slow_count");
        await page.shows(/slow_count: 1 2 3/);
        await page.idle();
      });

      await step("after SIGKILL in the middle of a tool nothing is lost, and the conversation continues without its result", async () => {
        await page.say("Count slowly to 99");
        await page.shows(/1 of 99/);
        const before = await page.events();
        assert.deepEqual(browser.problems, []);
        await browser.kill();

        browser = await launch(kind, { profile });
        page = await DemoPage.open(browser, home);
        await page.until("the list is there", () => document.querySelector(".conversation"));
        await page.click(".conversation");
        await page.press("Tell the model it failed: slow_count");
        await page.until("it goes on", () =>
          /chose not to run it again/.test([...document.querySelectorAll(".entry-agent")].at(-1)?.textContent),
        );
        await page.idle();
        assert.deepEqual((await page.calls()).at(-1).state, "rejected");
        assert.ok((await page.events()) > before);
      });

      const archive = path.join(folder, "archive.zip");
      await step("an export is in the downloads", async () => {
        await page.press("Export");
        await page.press("Export");
        const { name, bytes } = await page.download(/\.zip$/);
        assert.match(name, /^Roll-three-dice.*\.zip$/);
        writeFileSync(archive, bytes);
        assert.equal(bytes.subarray(0, 2).toString(), "PK");
      });

      await step("a deleted conversation returns by dropping its archive on the page, and continues", async () => {
        await page.page.focus(".conversation[aria-current]");
        await page.page.keyboard.press("Delete");
        await page.until("it is gone", () => document.querySelector(".start") && !document.querySelector(".conversation"));
        await page.drop(archive);
        await page.shows(/chose not to run it again/);
        await page.ask("What is 6 * 7?");
        assert.equal((await page.calls()).at(-1).result, "6 * 7 = 42");
      });

      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}
