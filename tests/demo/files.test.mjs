// The files of a conversation in the demo page: what the agent makes and changes, what the user adds, looks at, downloads and
// removes, after a reload and in a second tab.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

const picture = path.join(root, "docs/demo.png");
const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-files-"));
const hostile = path.join(folder, "page.html");

let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the demo has the files of a conversation, after a reload and in a second tab`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    const lists = (page, ...wanted) =>
      page.until(
        `the files are ${wanted}`,
        (wanted) => [...document.querySelectorAll("#panel .tree-name")].map(({ textContent }) => textContent).join() === wanted,
        wanted.join(),
      );
    const openFile = async (page, name) => {
      await page.until(
        `${name} is listed`,
        (name) => [...document.querySelectorAll("#panel button.tree-row")].some((row) => row.dataset.path === name),
        name,
      );
      await page.page.evaluate(
        (name) => [...document.querySelectorAll("#panel button.tree-row")].find((row) => row.dataset.path === name).click(),
        name,
      );
      await page.until("the file is open", () => document.querySelector(".file-dialog .file-content")?.childElementCount > 0);
    };
    try {
      await step("what the agent writes appears in the panel at once, with its changes, and after a reload", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        await page.press("Files");
        await lists(page, "plan.md");
        await page.ask("Change milk to oat milk in plan.md, then add a file notes/first.md with Hello");
        await lists(page, "notes", "plan.md");
        await page.shows(/plan\.mdchanged.*bytes/, "#panel");
        await page.isAccessible("the files");
        await photograph(page, `files-${kind}`);
        await page.click("#panel details > summary");
        await lists(page, "notes", "first.md", "plan.md");
        await openFile(page, "plan.md");
        await page.shows(/Buy oat milk/, ".file-dialog ins");
        await page.choose(".file-which", "content");
        await page.shows(/^Buy oat milk$/, ".file-dialog .file-text");
        await page.isAccessible("a file");
        await photograph(page, `file-${kind}`);
        await page.press("Download");
        assert.equal((await page.download(/plan\.md/)).bytes.toString(), "Buy oat milk");
        await page.page.reload();
        await page.shows(/oat milk/);
        await page.press("Files");
        await lists(page, "notes", "plan.md");
      });

      await step("an edit is shown as a diff in the conversation", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        await page.ask("Change milk to tea in plan.md");
        await page.page.evaluate(() => [...document.querySelectorAll(".call summary")].at(-1).click());
        await page.shows(/Changed file .*plan\.md/, ".call[open]");
        await page.shows(/^Buy tea$/, ".call[open] .diff ins");
        await page.shows(/^Buy milk$/, ".call[open] .diff del");
        await page.isAccessible("a diff");
        await photograph(page, `diff-${kind}`);
        assert.deepEqual(
          (await page.calls()).map(({ title, state }) => [title, state]),
          [
            ["Create plan.md", "done"],
            ["Change plan.md", "done"],
          ],
        );
        await page.ask("Undo the change of plan.md");
        await page.press("Files");
        await openFile(page, "plan.md");
        await page.choose(".file-which", "content");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
      });

      await step("files are added, shown as what they are, replaced, and removed", async (page) => {
        await page.ask("hello");
        await page.press("Files");
        await page.shows(/No files yet/, "#panel");
        await page.drop(picture, "#panel .files");
        await lists(page, "demo.png");
        // Written for each browser, because it is changed below.
        writeFileSync(hostile, "<img src=x onerror=\"document.title = 'taken over'\"><script>document.title = 'taken over'</script>");
        assert.equal(await page.page.$$eval(".attachments li", ({ length }) => length), 0, "the image is a file, not an attachment");
        await (await page.page.$("#panel input[type=file]")).uploadFile(hostile);
        await lists(page, "demo.png", "page.html");
        await openFile(page, "demo.png");
        await page.until("the image is drawn", () => document.querySelector(".file-dialog img")?.naturalWidth > 0);
        assert.match(await page.page.$eval(".file-dialog img", ({ src }) => src), /^blob:/);
        await page.press("Close the file");
        await openFile(page, "page.html");
        await page.shows(/^<img src=x/, ".file-dialog .file-text");
        assert.doesNotMatch(await page.page.title(), /taken over/);
        await page.press("Close the file");
        writeFileSync(hostile, "harmless");
        await (await page.page.$("#panel input[type=file]")).uploadFile(hostile);
        await page.shows(/already a file page\.html/, "dialog:modal");
        await page.press("Replace");
        await page.shows(/Added 1 file/, "#announcements");
        await openFile(page, "page.html");
        await page.shows(/^harmless$/, ".file-dialog .file-text");
        await page.press("Remove…");
        await page.press("Remove");
        await lists(page, "demo.png");
        await page.page.reload();
        await page.shows(/scripted-model/);
        await page.press("Files");
        await lists(page, "demo.png");
        await page.ask("Show me the file demo.png");
        assert.equal((await page.calls())[0].state, "done");
      });

      await step("a second tab follows the files and cannot change them", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        await page.press("Files");
        const second = await DemoPage.open(browser, page.page.url());
        await second.shows(/plan\.md/);
        await second.press("Files");
        await lists(second, "plan.md");
        await second.shows(/The agent runs in another tab: there, files can be added/, "#panel");
        assert.equal(await second.page.$eval(".files-add .button", (button) => button.checkVisibility()), false);
        await openFile(second, "plan.md");
        await second.page.select(".file-which", "content");
        await page.page.bringToFront();
        await (await page.page.$("#panel input[type=file]")).uploadFile(picture);
        await lists(page, "demo.png", "plan.md");
        await page.ask("Change milk to tea in plan.md");
        await second.page.bringToFront();
        await second.shows(/^Buy tea$/, ".file-dialog .file-text");
        assert.equal(
          await second.page.$eval(".file-dialog", (dialog) =>
            [...dialog.querySelectorAll("button")].some((button) => button.textContent === "Remove…" && button.checkVisibility()),
          ),
          false,
        );
        await second.press("Close the file");
        await lists(second, "demo.png", "plan.md");
        await second.page.close();
      });

      await step("the list of tasks is shown with its states, above the message field too", async (page) => {
        await page.ask("List the tasks: shop (done), cook (doing), eat");
        await page.shows(/1 of 3 tasks done.*cook/, "#task-list");
        await page.click("#task-list summary");
        assert.deepEqual(
          await page.page.$$eval("#task-list li", (tasks) => tasks.map(({ textContent, dataset }) => [textContent, dataset.state])),
          [
            ["shopdone", "done"],
            ["cookin progress", "in_progress"],
            ["eatto do", "todo"],
          ],
        );
        await page.page.evaluate(() => document.querySelector(".call summary").click());
        await page.shows(/shop.*cook.*eat/, ".call .tasks");
        await page.isAccessible("tasks");
        await photograph(page, `tasks-${kind}`);
        await page.ask("List the tasks: shop (done), cook (done), eat (doing)");
        await page.shows(/2 of 3 tasks done.*eat/, "#task-list");
        await page.page.reload();
        await page.shows(/2 of 3 tasks done.*eat/, "#task-list");
      });

      await step("a terminal works on the same files, and its output is shown as one", async (page) => {
        await page.say("Run `echo -e '\\e[31mred\\e[0m' > colours.txt; cat colours.txt missing.txt`");
        await page.waits(/Run echo/);
        await page.approve();
        await page.shows(/This is what came back/);
        await page.idle();
        await page.page.evaluate(() => document.querySelector(".call summary").click());
        await page.shows(/^\$ echo .*\nred\n.*missing\.txt/, ".call .terminal");
        assert.doesNotMatch(await page.text(".call .terminal"), /\x1b\[31m/);
        await page.shows(/^Exit code 1 · in \/workspace$/, ".call .terminal-end");
        await page.isAccessible("a terminal");
        await photograph(page, `terminal-${kind}`);
        await page.press("Files");
        await lists(page, "colours.txt");
        // Its result does not name the file; a file of the user beside it has no mark.
        await page.shows(/colours\.txtchanged/, "#panel");
        await page.isAccessible("the files of a terminal");
        await page.page.reload();
        await page.shows(/Run echo/);
        await page.press("Files");
        await page.shows(/colours\.txtchanged/, "#panel");
        await page.page.evaluate(() => document.querySelector(".call summary").click());
        await page.shows(/Exit code 1/, ".call .terminal-end");
      });

      await step("an export takes the files along, if that is chosen", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        await page.press("Export");
        await page.isAccessible("the export");
        await page.click('label[for="export-files"]');
        await page.press("Export");
        const { bytes } = await page.download(/\.zip$/);
        assert.match(bytes.toString("latin1"), /workspace\/plan\.md/);
        const archive = path.join(folder, `${kind}.zip`);
        writeFileSync(archive, bytes);
        await page.press("Delete");
        await page.until("it is gone", () => document.querySelector(".start"));
        await page.drop(archive);
        await page.shows(/Create plan\.md/);
        await page.press("Files");
        await lists(page, "plan.md");
        await openFile(page, "plan.md");
        await page.choose(".file-which", "content");
        await page.shows(/^Buy milk$/, ".file-dialog .file-text");
      });

      await step("the agent works in a folder that the user picks, and asks before it changes something", async (page) => {
        await page.ask("Write a file own.md with Of the conversation");
        await page.press("Files");
        if (kind === "firefox")
          assert.equal(await page.page.evaluate(() => "showDirectoryPicker" in window), false, "this test has to be widened");
        const picker = () => document.querySelector(".folder .button")?.checkVisibility() ?? false;
        if (kind === "firefox") return assert.equal(await page.page.evaluate(picker), false, "no button without a picker");
        await lists(page, "own.md");
        // Stands for a folder that a user picks in the window of the browser.
        const give = () => {
          window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("picked", { create: true });
        };
        await page.page.evaluate(give);
        await page.press("Work in a folder of this device…");
        await page.shows(/Files in a folder of this device.*No files yet/, "#panel");
        await page.isAccessible("a folder");
        await page.say("Write a file plan.md with Buy milk");
        await page.waits(/file_editor.*plan\.md/);
        await page.approve();
        await lists(page, "plan.md");
        await page.idle();
        await photograph(page, `folder-${kind}`);
        await page.page.evaluate(() => {
          FileSystemHandle.prototype.queryPermission = async () => window.permission ?? "prompt";
          FileSystemHandle.prototype.requestPermission = async () => (window.permission = "granted");
        });
        await page.press("Close the panel");
        await page.press("Files");
        await page.shows(/until you allow it again/, "#panel");
        await page.press("Allow the folder again");
        await lists(page, "plan.md");
        await page.page.reload();
        await page.shows(/Create plan\.md/);
        await page.press("Files");
        await lists(page, "plan.md");
        await page.press("Stop using the folder");
        await lists(page, "own.md");
      });

      await step("on a phone, in dark mode, by keyboard", async (page) => {
        await page.page.setViewport({ width: 390, height: 760 });
        await page.inTheDark();
        await page.ask("Write a file plan.md with Buy milk, bread and a very long line that does not fit into the width of a telephone");
        await page.ask("Change milk to tea in plan.md");
        await page.press("Context");
        await page.page.focus("#context-tab");
        await page.page.keyboard.press("ArrowLeft");
        await lists(page, "plan.md");
        assert.equal(await page.page.evaluate(() => document.activeElement.id), "files-tab");
        await page.isAccessible("the files on a phone");
        await photograph(page, `files-phone-${kind}`);
        await page.page.focus("#panel button.tree-row");
        await page.page.keyboard.press("Enter");
        await page.shows(/Buy tea/, ".file-dialog ins");
        await page.isAccessible("a file on a phone");
        await photograph(page, `file-phone-${kind}`);
        const { inner, scroll } = await page.page.evaluate(() => ({ inner: innerWidth, scroll: document.documentElement.scrollWidth }));
        assert.ok(scroll <= inner, `${scroll} fits into ${inner}`);
        await page.page.keyboard.press("Escape");
        await page.until("the file is closed", () => !document.querySelector(".file-dialog"));
        assert.equal(await page.page.evaluate(() => document.activeElement.dataset.path), "plan.md", "the focus returns");
      });

      await step("without the setting the agent has no tools for files", async (page) => {
        await page.press("Settings");
        await page.click("#agent-files");
        await page.press("Save");
        await page.ask("Write a file plan.md with Buy milk");
        await page.shows(/did not offer me a tool of that name/);
        await page.page.evaluate(() => localStorage.clear());
      });
    } finally {
      await browser.close();
    }
  });
}
