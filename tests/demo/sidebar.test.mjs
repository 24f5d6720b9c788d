// The list in the demo's page: the drawer of a phone, another tab, and files that are dropped.
// What the list itself does is in browser/ui/conversations.
import { rmSync } from "node:fs";
import { after } from "node:test";
import { archivesIn } from "../support/archives.mjs";
import { DemoPage, demoTest } from "./page.mjs";

const { folder, archive } = archivesIn("sidebar");
after(() => rmSync(folder, { recursive: true, force: true }));

demoTest(
  "the demo's page follows its list, in a drawer and in another tab too",
  { expected: /downloadable font: download failed.*status=2152398850/, delay: 0 },
  async ({ browser, step }) => {
    const lists = (page, ...titles) =>
      page.until(
        `the list has ${titles}`,
        (titles) => [...document.querySelectorAll(".conversation-title")].map(({ textContent }) => textContent).join() === titles,
        titles.join(),
      );
    await step("what is dropped is imported and shown", async (page) => {
      await page.drop(archive([{ title: "One" }, { title: "Two" }]));
      await page.shows(/^One$/, "#title");
      await lists(page, "One", "Two");
    });

    await step("another tab that shows it says what is renamed", async (page) => {
      await page.click(".conversation");
      await page.shows(/^One$/, "#title");
      const other = await DemoPage.open(browser, page.page.url());
      await other.shows(/^One$/, "#title");
      await other.page.focus(".conversation[aria-current]");
      await other.page.keyboard.press("F2");
      await other.until("it is edited", () => document.activeElement.matches(".conversation-rename"));
      await other.enter("With another name");
      await other.page.keyboard.press("Enter");
      await page.page.bringToFront();
      await page.shows(/^With another name$/, "#title");
      await other.page.close();
    });

    await step("on a phone the list is in the drawer, with its menus and notices", async (page) => {
      await page.page.setViewport({ width: 390, height: 844 });
      await page.press("Conversations");
      await page.still();
      await page.press("More about “Two”");
      await page.press("Delete");
      await page.shows(/“Two” was moved to the trash/, ".sidebar .conversations-notices");
      await page.isAccessible("the drawer with a notice");
      await page.press("Undo: “Two” was moved to the trash");
      await lists(page, "With another name", "Two");
      await page.inTheme("dark");
      await page.isAccessible("the drawer in the dark");
      await page.page.keyboard.press("Escape");
      await page.until("the drawer is closed", () => !document.querySelector("#stage").inert);
    });
  },
);
