// The files of a conversation in the panel of the demo page, also on a phone. What is done with files is in
// browser/ui/files.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/process.mjs";
import { demoTest } from "./page.mjs";

const picture = path.join(root, "docs/demo.png");

demoTest("the demo has the files of a conversation, after a reload and on a phone", { delay: 0 }, async ({ step }) => {
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
  await step("what the agent writes appears in the panel at once, with its changes, and after a reload", async (page) => {
    await page.ask("Write a file plan.md with Buy milk");
    await page.press("Files");
    await lists(page, "plan.md: added");
    await page.isAccessible("the files");
    await page.page.reload();
    await page.shows(/milk/);
    await page.press("Files");
    await lists(page, "plan.md: added");
    await page.drop(picture, "#panel .files");
    await lists(page, "demo.png: added", "plan.md: added");
    assert.equal(await page.page.$$eval(".attachments li", ({ length }) => length), 0, "the image is a file, not an attachment");
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

  await step("on a phone, in dark mode, by keyboard", async (page) => {
    await page.page.setViewport({ width: 390, height: 760 });
    await page.inTheme("dark");
    await page.ask("Write a file plan.md with Buy milk, bread and a very long line that does not fit into the width of a telephone");
    await page.press("Context");
    await page.page.focus("#context-tab");
    await page.page.keyboard.press("ArrowLeft");
    await lists(page, "plan.md: added");
    assert.equal(await page.page.evaluate(() => document.activeElement.id), "files-tab");
    await page.isAccessible("the files on a phone");
    const { inner, scroll } = await page.page.evaluate(() => ({ inner: innerWidth, scroll: document.documentElement.scrollWidth }));
    assert.ok(scroll <= inner, `${scroll} fits into ${inner}`);
    await page.page.keyboard.press("Escape");
    await page.until(
      "the panel is closed, and the focus returns",
      () => !document.querySelector("#panel") && document.activeElement.id === "context-button",
    );
  });
});
