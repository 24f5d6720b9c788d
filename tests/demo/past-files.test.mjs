// The files of an earlier message in the demo page: looked at, compared with those of now and downloaded, without going back;
// and the text up to a message as a file.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-past-"));
/** No text, so that a byte that is lost or changed on the way shows. */
const bytes = Buffer.from(Array.from({ length: 700 }, (_, index) => (index * 37 + (index >> 3)) % 256));
const data = path.join(folder, "data.bin");
writeFileSync(data, bytes);

let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the demo shows, compares and downloads the files of an earlier message`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    /** Each file of the tree, with what is said about it beside its size. */
    const lists = (page, ...wanted) =>
      page.until(
        `the files are ${wanted}`,
        (wanted) =>
          wanted ===
          [...document.querySelectorAll("#panel .tree-row")]
            .map((row) =>
              [row.querySelector(".tree-name"), row.querySelector(".badge")].flatMap((part) => part?.textContent ?? []).join(": "),
            )
            .join(),
        wanted.join(),
      );
    const focusIs = (page, wanted) =>
      page.until(
        `the focus is at ${wanted}`,
        (wanted) => {
          const { id, dataset } = document.activeElement;
          return [id, dataset.path, dataset.verb].includes(wanted);
        },
        wanted,
      );
    const filesAt = async (page, name) => {
      await page.press(`More about ${name}`);
      await page.press("Files here");
      await page.shows(/This is the past/, "#panel");
    };
    /** Answers may begin with the same words. */
    const openMenu = async (page, index) => {
      await page.page.evaluate((index) => document.querySelectorAll('[data-verb="more"]')[index].click(), index);
      await page.until("the menu is open", () => document.querySelector(".menu"));
    };
    const openFile = async (page, name) => {
      await page.click(`#panel button[data-path="${name}"]`);
      await page.until("the file is open", () => document.querySelector(".file-dialog .file-content")?.childElementCount > 0);
    };
    /** Three messages: one writes two files, one changes a file, and one adds a file. The user adds one and removes one. */
    const work = async (page) => {
      await page.page.setViewport({ width: 1280, height: 2400 });
      await page.ask("Write a file plan.md with Buy milk");
      await page.ask("Write a file old.md with Ninety");
      await page.press("Files");
      await (await page.page.$("#panel input[type=file]")).uploadFile(data);
      await lists(page, "data.bin", "old.md: changed", "plan.md: changed");
      await page.ask("Change milk to oat milk in plan.md, then add a file notes/first.md with Hello");
      await openFile(page, "old.md");
      await page.press("Remove…");
      await page.press("Remove");
      await openFile(page, "data.bin");
      await page.press("Remove…");
      await page.press("Remove");
      await lists(page, "notes", "plan.md: changed");
    };
    try {
      await step("the files of a message are shown with what has changed since, byte for byte, and nothing moves", async (page) => {
        await work(page);
        const events = await page.events();
        await filesAt(page, "“Write a file plan.md with Buy milk”");
        await page.shows(/There were no files here.*Added since\s*notes\/first\.md\s*plan\.md/, "#panel");
        await filesAt(page, "“Write a file old.md with Ninety”");
        await lists(page, "plan.md: changed since");
        await page.shows(/Added sincenotes\/first\.md$/, "#panel .past-since:not([hidden])");
        await openMenu(page, 3);
        await page.press("Files here");
        await lists(page, "data.bin: removed since", "old.md: removed since", "plan.md: changed since");
        await page.shows(/As they were at “.*This is the past/, "#panel .past-line");
        await page.isAccessible("the files of a message");
        await photograph(page, `past-files-${kind}`);
        if (await page.inTheDark()) {
          await page.isAccessible("the files of a message in the dark");
          await photograph(page, `past-files-dark-${kind}`);
        }

        await openFile(page, "plan.md");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
        await page.shows(/^8 bytes$/, ".file-dialog .file-about");
        await page.shows(/^As it was at “/, ".file-dialog .file-note");
        assert.equal(await page.page.$eval(".file-dialog", (dialog) => /Remove/.test(dialog.innerText)), false, "it is only read");
        await page.choose(".file-which", "changes");
        await page.shows(/^Buy oat milk$/, ".file-dialog ins");
        await page.isAccessible("an earlier file");
        await photograph(page, `past-file-${kind}`);
        await page.press("Download");
        assert.equal((await page.download(/^plan\.md$/)).bytes.toString(), "Buy milk");
        await page.press("Close the file");
        await openFile(page, "data.bin");
        await page.press("Download");
        assert.deepEqual((await page.download(/^data\.bin$/)).bytes, bytes);
        await page.press("Close the file");
        await openFile(page, "old.md");
        await page.shows(/^Ninety$/, ".file-dialog .file-text");
        await page.press("Close the file");

        assert.equal(await page.events(), events, "looking back adds no event");
        await page.press("Back to now");
        await lists(page, "notes", "plan.md: changed");
        await page.shows(/^Files of this conversation$/, "#files-heading");
        await page.ask("Show me the file plan.md");
        await page.shows(/oat milk/);
        assert.equal((await page.calls()).at(-1).state, "done", "the agent has the files of now");
      });

      await step("what is shown follows the agent, another version of the conversation, and a reload", async (page) => {
        await page.page.setViewport({ width: 1280, height: 2400 });
        await page.ask("Write a file plan.md with Buy milk");
        await page.ask("hello");
        await filesAt(page, "“hello”");
        await page.shows(/Nothing has changed since/, "#panel");
        await lists(page, "plan.md");
        await page.ask("Change milk to tea in plan.md");
        await lists(page, "plan.md: changed since");
        // Another version of the message begins with the files of its place.
        await page.press("Edit “Change milk to tea in plan.md”");
        await page.fill(".message-editor textarea", "Write a file other.md with Else");
        await page.press("Send as another version");
        await page.shows(/Added sinceother\.md$/, "#panel .past-since:not([hidden])");
        await page.idle();
        await lists(page, "plan.md");
        await filesAt(page, "“Write a file other.md with Else”");
        await page.press("Show version 1 of 2 of “Write a file other.md with Else”");
        await lists(page, "plan.md: changed since");
        await openFile(page, "plan.md");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
        await page.press("Close the file");
        await page.page.reload();
        await page.shows(/tea/);
        await filesAt(page, "“hello”");
        await openFile(page, "plan.md");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
        await page.press("Close the file");
        await page.press("Close the panel");
        const other = await DemoPage.open(browser, page.page.url());
        await other.page.setViewport({ width: 1280, height: 2400 });
        await other.shows(/tea/);
        await filesAt(other, "“hello”");
        await lists(other, "plan.md: changed since");
        await other.page.close();
      });

      await step("by keyboard: Enter, Space and Escape, and the focus comes back", async (page) => {
        const { keyboard } = page.page;
        await page.ask("Write a file plan.md with Buy milk");
        await page.ask("Change milk to tea in plan.md");
        const more = '[data-verb="more"][aria-label="More about “Write a file plan.md with Buy milk”"]';
        await page.page.$eval(more, (button) => button.scrollIntoView({ block: "center" }));
        await page.page.focus(more);
        await keyboard.press("Enter");
        await page.until("the menu is open", () => document.activeElement.closest(".menu"));
        await page.isAccessible("the menu of a message");
        await photograph(page, `message-menu-${kind}`);
        await keyboard.press("Escape");
        await page.until("it is closed", () => !document.querySelector(".menu"));
        await focusIs(page, "more");
        await keyboard.press(" ");
        await page.until("the menu is open", () => document.activeElement.textContent === "Files here");
        await keyboard.press("ArrowDown");
        assert.equal(await page.page.evaluate(() => document.activeElement.textContent), "Export up to here…");
        await keyboard.press("ArrowDown");
        await keyboard.press("Enter");
        await focusIs(page, "past-heading");
        await page.shows(/There were no files here/, "#panel");
        await keyboard.press("Tab");
        assert.equal(await page.page.evaluate(() => document.activeElement.textContent), "Back to now");
        await keyboard.press(" ");
        await focusIs(page, "files-tab");
        await lists(page, "plan.md: changed");
        await keyboard.press("Escape");
        await page.until("the panel is closed", () => !document.querySelector("#panel"));
        await focusIs(page, "more");

        const answer = await page.page.evaluateHandle(() => [...document.querySelectorAll('[data-verb="more"]')][1]);
        await answer.evaluate((button) => (button.scrollIntoView({ block: "center" }), button.focus()));
        await keyboard.press("Enter");
        await page.until("the menu is open", () => document.activeElement.textContent === "Fork");
        await keyboard.press("End");
        await keyboard.press("ArrowUp");
        await keyboard.press(" ");
        await focusIs(page, "past-heading");
        await lists(page, "plan.md: changed since");
        await keyboard.press("Tab");
        await keyboard.press("Tab");
        await focusIs(page, "plan.md");
        await keyboard.press("Enter");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
        await keyboard.press("Escape");
        await page.until("the file is closed", () => !document.querySelector(".file-dialog"));
        await focusIs(page, "plan.md");
        await keyboard.press(" ");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
        await keyboard.press("Escape");
        await focusIs(page, "plan.md");
        await keyboard.press("Escape");
        await page.until("the panel is closed", () => !document.querySelector("#panel"));
        await focusIs(page, "more");
        assert.equal(await answer.evaluate((button) => button === document.activeElement), true, "at the message");
      });

      await step("the text up to a message is exported as Markdown and as a page", async (page) => {
        await page.page.setViewport({ width: 1280, height: 2400 });
        await page.ask("hello");
        await page.ask("qwertz");
        await page.press("More about “hello”");
        await page.press("Export up to here…");
        await page.isAccessible("the export of a part");
        await page.click('label[for="export-markdown"]');
        await page.press("Export");
        const markdown = (await page.download(/\.md$/)).bytes.toString();
        assert.match(markdown, /hello/);
        assert.doesNotMatch(markdown, /stand-in|qwertz/);
        await openMenu(page, 1);
        await page.press("Export up to here…");
        await page.press("Export");
        const html = (await page.download(/\.html$/)).bytes.toString();
        assert.match(html, /hello.*stand-in/s);
        assert.doesNotMatch(html, /qwertz/);
      });

      await step("files in a folder have no past, and none is offered", async (page) => {
        if (kind === "firefox") return; // It has no picker.
        await page.ask("hello");
        await page.page.evaluate(() => {
          window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("past", { create: true });
        });
        await page.press("Files");
        await page.press("Work in a folder of this device…");
        await page.shows(/Files in a folder of this device/, "#panel");
        const items = async () => {
          await page.press("More about “hello”");
          const found = await page.page.$$eval(".menu button", (buttons) => buttons.map(({ textContent }) => textContent));
          await page.page.keyboard.press("Escape");
          return found;
        };
        assert.deepEqual(await items(), ["Export up to here…"]);
        await page.press("Stop using the folder");
        await page.shows(/Files of this conversation/, "#panel");
        assert.deepEqual(await items(), ["Files here", "Export up to here…"]);
      });

      await step("on a phone, in the dark", async (page) => {
        await page.page.setViewport({ width: 390, height: 844 });
        await page.inTheDark();
        await page.ask("Write a file plan.md with Buy milk");
        await page.ask("Change milk to tea in plan.md");
        const more = '[data-verb="more"][aria-label="More about “Change milk to tea in plan.md”"]';
        await page.until("it is there", (more) => document.querySelector(more), more);
        await photograph(page, `past-messages-phone-${kind}`);
        await page.click(more);
        await page.until("the menu is open", () => document.querySelector(".menu"));
        await photograph(page, `message-menu-phone-${kind}`);
        await page.press("Files here");
        await lists(page, "plan.md: changed since");
        await page.isAccessible("the files of a message on a phone");
        await photograph(page, `past-files-phone-${kind}`);
        await openFile(page, "plan.md");
        await photograph(page, `past-file-phone-${kind}`);
        const { inner, scroll } = await page.page.evaluate(() => ({ inner: innerWidth, scroll: document.documentElement.scrollWidth }));
        assert.ok(scroll <= inner, `${scroll} fits into ${inner}`);
        await page.page.keyboard.press("Escape");
        await focusIs(page, "plan.md");
        await page.page.keyboard.press("Escape");
        await page.until("the panel is closed", () => !document.querySelector("#panel"));
        await focusIs(page, "more");
      });
    } finally {
      await browser.close();
    }
  });
}
