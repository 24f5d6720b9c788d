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
writeFileSync(hostile, "<img src=x onerror=\"document.title = 'taken over'\"><script>document.title = 'taken over'</script>");

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
    const openFile = async (page, name) => {
      await page.click(`#panel button[data-path="${name}"]`);
      await page.until("the file is open", () => document.querySelector(".file-dialog .file-content > :not([role=status])"));
    };
    const add = async (page, file) => (await page.page.$("#panel input[type=file]")).uploadFile(file);
    try {
      await step("what the agent writes appears in the panel at once, with its changes, and after a reload", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        await page.press("Files");
        await lists(page, "plan.md: added");
        await page.ask("Change milk to oat milk in plan.md, then add a file notes/first.md with Hello");
        await lists(page, "notes", "plan.md: added");
        await page.isAccessible("the files");
        await photograph(page, `files-${kind}`);
        await page.click("#panel details > summary");
        await lists(page, "notes", "first.md: added", "plan.md: added");
        await openFile(page, "plan.md");
        await page.shows(/Buy oat milk/, ".file-dialog ins");
        await page.choose(".file-which", "content");
        await page.shows(/^Buy oat milk$/, ".file-dialog .file-text");
        await page.isAccessible("a file");
        await page.press("Download");
        assert.equal((await page.download(/plan\.md/)).bytes.toString(), "Buy oat milk");
        await page.page.reload();
        await page.shows(/oat milk/);
        await page.press("Files");
        await lists(page, "notes", "plan.md: added");
      });

      await step("a file that a terminal has written is there, with its changes", async (page) => {
        await page.say("Run `echo one > note.txt`");
        await page.waits(/Run echo/);
        await page.approve();
        await page.shows(/This is what came back/);
        await page.idle();
        await page.press("Files");
        await lists(page, "note.txt: added");
      });

      await step("files are added, shown as what they are, and removed", async (page) => {
        await page.ask("hello");
        await page.press("Files");
        await page.shows(/No files yet/, "#panel");
        await page.drop(picture, "#panel .files");
        await lists(page, "demo.png: added");
        assert.equal(await page.page.$$eval(".attachments li", ({ length }) => length), 0, "the image is a file, not an attachment");
        await add(page, hostile);
        await lists(page, "demo.png: added", "page.html: added");
        await openFile(page, "demo.png");
        await page.shows(/Only changes of texts/, ".file-dialog");
        await page.choose(".file-which", "content");
        await page.until("the image is drawn", () => document.querySelector(".file-dialog img")?.naturalWidth > 0);
        await page.press("Close the file");
        await openFile(page, "page.html");
        await page.choose(".file-which", "content");
        await page.shows(/^<img src=x/, ".file-dialog .file-text");
        assert.doesNotMatch(await page.page.title(), /taken over/);
        await page.press("Close the file");
        await add(page, hostile);
        await page.shows(/already a file page\.html/, "#panel");
        await openFile(page, "page.html");
        await page.press("Remove…");
        await page.press("Remove it for good");
        await lists(page, "demo.png: added");
        await page.shows(/Removed page\.html/, "#panel");
      });

      await step("a second tab follows the files and cannot change them", async (page) => {
        await page.ask("Write a file plan.md with Buy milk");
        const second = await DemoPage.open(browser, page.page.url());
        await second.shows(/plan\.md/);
        await second.press("Files");
        await lists(second, "plan.md: added");
        await second.shows(/The agent runs in another tab: there, files can be added/, "#panel");
        assert.equal(await second.page.$("#panel input[type=file]"), null);
        await openFile(second, "plan.md");
        await page.page.bringToFront();
        await page.ask("Change milk to tea in plan.md");
        await second.page.bringToFront();
        await second.shows(/Buy tea/, ".file-dialog ins");
        assert.doesNotMatch(await second.text(".file-dialog"), /Remove/);
        await second.page.close();
      });

      await step("the list of tasks is shown with its states above the message field", async (page) => {
        await page.ask("List the tasks: shop (done), cook (doing), eat");
        await page.shows(/1 of 3 tasks done.*cook/, "#task-list");
        await page.click("#task-list summary");
        await page.shows(/shopdone.*cookin progress.*eatto do/, "#task-list");
        await page.isAccessible("tasks");
        await page.page.reload();
        await page.shows(/1 of 3 tasks done.*cook/, "#task-list");
      });

      await step("on a phone, in dark mode, by keyboard", async (page) => {
        await page.page.setViewport({ width: 390, height: 760 });
        await page.inTheDark();
        await page.ask("Write a file plan.md with Buy milk, bread and a very long line that does not fit into the width of a telephone");
        await page.press("Context");
        await page.page.focus("#context-tab");
        await page.page.keyboard.press("ArrowLeft");
        await lists(page, "plan.md: added");
        assert.equal(await page.page.evaluate(() => document.activeElement.id), "files-tab");
        await page.isAccessible("the files on a phone");
        await page.page.focus("#panel button.tree-row");
        await page.page.keyboard.press("Enter");
        await page.shows(/Buy milk/, ".file-dialog ins");
        await page.isAccessible("a file on a phone");
        await photograph(page, `file-phone-${kind}`);
        const { inner, scroll } = await page.page.evaluate(() => ({ inner: innerWidth, scroll: document.documentElement.scrollWidth }));
        assert.ok(scroll <= inner, `${scroll} fits into ${inner}`);
        await page.page.keyboard.press("Escape");
        await page.until("the file is closed, and the focus returns", () => document.activeElement.dataset.path === "plan.md");
        await page.page.keyboard.press("Escape");
        await page.until(
          "the panel is closed, and the focus returns",
          () => !document.querySelector("#panel") && document.activeElement.id === "menu-button",
        );
      });
    } finally {
      await browser.close();
    }
  });
}
