// The demo's list of conversations: groups, the menu of a row, the archive and the trash, several at once, the keyboard, a long list.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { archivesIn } from "../support/archives.mjs";
import { DemoPage, startDemo, stepsOf } from "./page.mjs";

const day = 86_400_000;
const phone = { width: 390, height: 844 };
const { folder, archive } = archivesIn("sidebar");
let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(() => {
  rmSync(folder, { recursive: true, force: true });
  return demo.close();
});

/** In the page: whether these are the headings of the list, each with the titles below it. */
const isList = (expected) =>
  JSON.stringify(
    [...document.querySelectorAll(".conversation-group")].map((group) => [
      group.querySelector("h3").textContent,
      ...[...group.querySelectorAll(".conversation-title")].map(({ textContent }) => textContent),
    ]),
  ) === expected;

/** In the page: notes in the store that a server runs the conversation with this title. */
async function giveToServer(title) {
  const result = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const database = await result(indexedDB.open("threadkeep"));
  const transaction = database.transaction("conversations", "readwrite");
  const store = transaction.objectStore("conversations");
  const stored = (await result(store.getAll())).find(({ base_state }) => base_state?.includes(`"${title}"`));
  const state = { ...JSON.parse(stored.base_state), threadkeep_server: { host: "https://the-server.example" } };
  store.put({ ...stored, base_state: JSON.stringify(state) });
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

for (const kind of availableBrowsers) {
  test(`${kind}: the list of the demo has groups, menus, an archive and a trash, for the keyboard too`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo, /downloadable font: download failed.*status=2152398850/);
    const lists = (page, groups) => {
      const expected = JSON.stringify(groups);
      return page.until(`the list is ${expected}`, isList, expected);
    };
    const focusIs = (page, selector) =>
      page.until(`${selector} has the focus`, (selector) => document.activeElement.matches(selector), selector);
    const focusOn = (page, title) =>
      page.until(`the focus is on “${title}”`, (title) => document.activeElement.textContent.includes(title), title);
    /** The button of the row with this title. */
    const tool = (verb, title) => `.conversation-tools [aria-label="${verb}: “${title}”"]`;
    /** A double click asks once. */
    const twice = async (page, selector) => {
      await page.page.evaluate((selector) => {
        const button = document.querySelector(selector);
        button.focus();
        for (const _ of [1, 2]) button.click();
      }, selector);
      await page.shows(/cannot be brought back/, "dialog");
      assert.equal(await page.page.$$eval("dialog[open]", ({ length }) => length), 1);
    };
    const act = async (page, title, name) => {
      await page.page.hover(`.conversation-row:has(${tool("More", title)})`);
      await page.click(tool("More", title));
      await page.until("the menu is open", () => document.querySelector("dialog.menu"));
      await page.press(name);
    };
    const undo = (page, about) => page.press(`Undo: ${about}`);
    /** Puts these into the list, and nothing else. */
    const fresh = async (page, conversations) => {
      await empty(page);
      await (await page.page.$("#import-file")).uploadFile(archive(conversations));
      await page.shows(/Imported/, "#notices");
      await page.page.evaluate(() => (location.hash = "#/"));
      await page.until("none is open", () => document.querySelector(".start") && !document.querySelector("[aria-current]"));
      await page.until(
        "all are there",
        (count) => document.querySelectorAll(".conversation").length === count,
        Math.min(conversations.length, 100),
      );
    };
    const empty = async (page) => {
      await page.until("the list was read", () =>
        document.querySelector("#conversation-list :is(.conversation, .fold), #conversation-list-empty:not([hidden])"),
      );
      if (await page.page.$('[data-fold=archived][aria-expanded="false"]')) await page.click("[data-fold=archived]");
      if (await page.page.$(".conversation")) {
        await page.press("Select");
        const all = await page.page.$$eval("#conversation-list .of-check input", (boxes) => boxes.map((box) => box.click()).length);
        await page.shows(new RegExp(`${all} selected`), "#selection-bar");
        await page.click("#selection-bar button:last-child");
        // Then both parts of the list were read again: one of them may be drawn before.
        await page.shows(/moved to the trash/, "#notices");
      }
      await page.until("nothing is listed", () => !document.querySelector(".conversation"));
      if (!(await page.page.$("[data-fold=trash]"))) return;
      if (await page.page.$('[data-fold=trash][aria-expanded="false"]')) await page.click("[data-fold=trash]");
      await page.click("#empty-trash");
      // Until its question is there, the button itself has the name of the one that answers.
      await page.shows(/cannot be brought back/, "dialog");
      await page.press("Empty trash");
      await page.until("there is no trash", () => !document.querySelector('[data-fold="trash"]'));
    };

    try {
      await step("conversations stand under the days of their last changes, with headings", async (page) => {
        await fresh(page, [
          { title: "Of today" },
          { title: "Of yesterday", days: 1 },
          { title: "Of this week", days: 4 },
          { title: "Of this month", days: 20 },
          { title: "Of last year", days: 400 },
        ]);
        const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" }).format(Date.now() - 400 * day);
        await lists(page, [
          ["Today", "Of today"],
          ["Yesterday", "Of yesterday"],
          ["Previous 7 days", "Of this week"],
          ["Previous 30 days", "Of this month"],
          [month, "Of last year"],
        ]);
        const named = await page.page.$$eval(".conversation-group ul", (all) =>
          all.map((each) => document.getElementById(each.getAttribute("aria-labelledby")).textContent),
        );
        assert.deepEqual(named, ["Today", "Yesterday", "Previous 7 days", "Previous 30 days", month]);
        await page.isAccessible("groups");
        await act(page, "Of this month", "Pin");
        await page.shows(/^PinnedOf this month/, "#conversation-list");
        await focusIs(page, tool("More", "Of this month"));
        await act(page, "Of this month", "Unpin");
        await page.shows(/^TodayOf today/, "#conversation-list");
      });

      await step("a title is edited in its row", async (page) => {
        await fresh(page, [{ title: "First" }, { title: "Second", days: 1 }]);
        await act(page, "Second", "Rename");
        await focusIs(page, ".conversation-rename");
        await page.isAccessible("a title that is edited");
        await photograph(page, `sidebar-rename-${kind}`);
        await page.enter("Given up");
        await page.page.keyboard.press("Escape");
        await focusOn(page, "Second");
        await page.page.keyboard.press("F2");
        await focusIs(page, ".conversation-rename");
        await page.enter("Renamed");
        // Safari ends a composition before it tells of the key that did.
        for (const key of ["Enter", "Escape"]) {
          await page.page.evaluate((key) => {
            const composing = { key, keyCode: 229, bubbles: true, cancelable: true };
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", composing));
          }, key);
          await focusIs(page, ".conversation-rename");
        }
        await page.page.keyboard.press("Enter");
        await focusOn(page, "Renamed");
        await lists(page, [
          ["Today", "First"],
          ["Yesterday", "Renamed"],
        ]);
        // The open one, whose writer is this page.
        await page.click(".conversation");
        await page.shows(/^First$/, "#title");
        await act(page, "First", "Rename");
        await focusIs(page, ".conversation-rename");
        await page.enter("Also renamed");
        await page.page.keyboard.press("Enter");
        await page.shows(/^Also renamed$/, "#title");
      });

      await step("what is archived is at the end, folded, and found by its title", async (page) => {
        await fresh(page, [{ title: "One" }, { title: "Two" }, { title: "Three" }]);
        await act(page, "Two", "Archive");
        await page.shows(/“Two” was archived/, "#notices");
        await lists(page, [["Today", "One", "Three"], ["Archived1"]]);
        await undo(page, "“Two” was archived");
        await lists(page, [["Today", "One", "Two", "Three"]]);
        await focusOn(page, "Two");
        await act(page, "Two", "Archive");
        await page.click("[data-fold=archived]");
        await lists(page, [
          ["Today", "One", "Three"],
          ["Archived1", "Two"],
        ]);
        await page.isAccessible("the archive");
        await page.click("[data-fold=archived]");
        await page.fill("#conversation-search", "tw");
        await lists(page, [["Archived1", "Two"]]);
        await act(page, "Two", "Unarchive");
        await page.fill("#conversation-search", "");
        await lists(page, [["Today", "One", "Two", "Three"]]);
      });

      await step("what is deleted is in the trash, and comes back", async (page) => {
        await fresh(page, [{ title: "One" }, { title: "Two" }]);
        await page.click(".conversation");
        await page.shows(/^One$/, "#title");
        await act(page, "One", "Delete");
        await page.until("another place is shown", () => location.hash === "#/" && document.querySelector(".start"));
        await lists(page, [["Today", "Two"], ["Trash1"]]);
        await undo(page, "“One” was moved to the trash");
        await page.shows(/^One$/, "#title");
        await lists(page, [["Today", "One", "Two"]]);
        await page.press("Delete");
        await lists(page, [["Today", "Two"], ["Trash1"]]);
        await page.click("[data-fold=trash]");
        await page.shows(/What has been here for 30 days is deleted for ever/, "#conversation-list");
        await photograph(page, `sidebar-trash-${kind}`);
        await page.isAccessible("the trash");
        await page.click(tool("Restore", "One"));
        await lists(page, [["Today", "One", "Two"]]);
        await focusOn(page, "Two");
        for (const title of ["One", "Two"]) await act(page, title, "Delete");
        await page.click("[data-fold=trash]");
        await lists(page, [["Trash2", "Two", "One"]]);
        await twice(page, tool("Delete for ever", "Two"));
        await page.press("Cancel");
        await focusIs(page, tool("Delete for ever", "Two"));
        await page.page.keyboard.press("Enter");
        await page.press("Delete");
        await lists(page, [["Trash1", "One"]]);
        await focusOn(page, "One");
        await twice(page, "#empty-trash");
        await page.isAccessible("the question before the trash is emptied");
        await page.press("Empty trash");
        await lists(page, []);
        await focusIs(page, "#new-conversation");
      });

      await step("several are selected, also a range, and what is done with them is undone at once", async (page) => {
        const titles = ["One", "Two", "Three", "Four", "Five"];
        await fresh(
          page,
          titles.map((title) => ({ title })),
        );
        await page.press("Select");
        const box = (at) => `.conversation-row:nth-child(${at}) label`;
        await page.click(box(2));
        await page.page.keyboard.down("Shift");
        await page.click(box(4));
        await page.page.keyboard.up("Shift");
        await page.shows(/3 selected/, "#selection-bar");
        await page.page.keyboard.press(" ");
        await page.shows(/2 selected/, "#selection-bar");
        await page.page.keyboard.press(" ");
        await page.isAccessible("a selection");
        await photograph(page, `sidebar-selection-${kind}`);
        await page.click("#selection-bar button:nth-child(2)");
        await page.shows(/3 conversations were archived/, "#notices");
        await lists(page, [["Today", "One", "Five"], ["Archived3"]]);
        await focusIs(page, "#select-button");
        await undo(page, "3 conversations were archived");
        await lists(page, [["Today", ...titles]]);
        await focusOn(page, "Two");
        await page.press("Select");
        for (const at of [1, 3]) await page.click(box(at));
        await page.click("#selection-bar button:nth-child(1)");
        await lists(page, [
          ["Pinned", "One", "Three"],
          ["Today", "Two", "Four", "Five"],
        ]);
        await undo(page, "2 conversations were pinned");
        await lists(page, [["Today", ...titles]]);
        await page.press("Select");
        for (const at of [1, 5]) await page.click(box(at));
        await page.page.keyboard.press("Delete");
        await lists(page, [["Today", "Two", "Three", "Four"], ["Trash2"]]);
        await page.until("there is one notice", () => document.querySelectorAll(".notice-news").length === 1);
        await undo(page, "2 conversations were moved to the trash");
        await lists(page, [["Today", ...titles]]);
        await page.press("Select");
        await page.page.focus("#conversation-list input");
        await page.page.keyboard.press("Escape");
        await focusOn(page, "One");
        assert.equal(await page.page.$("#conversation-list input"), null);
      });

      await step("by keyboard: arrows, Delete, F2 and the menu, and the focus stays in the list", async (page) => {
        const { keyboard } = page.page;
        await fresh(
          page,
          ["One", "Two", "Three"].map((title) => ({ title })),
        );
        await page.page.focus("#conversation-list a");
        await keyboard.press("ArrowDown");
        await focusOn(page, "Two");
        await keyboard.press("Delete");
        await lists(page, [["Today", "One", "Three"], ["Trash1"]]);
        await focusOn(page, "Three");
        await keyboard.press("Tab");
        await focusIs(page, "[data-act=menu]");
        await keyboard.press("Enter");
        await page.until("the menu is open", () => document.activeElement.closest("dialog.menu"));
        await keyboard.press("ArrowDown");
        await keyboard.press("ArrowDown");
        await keyboard.press("Enter");
        await lists(page, [["Today", "One"], ["Archived1"], ["Trash1"]]);
        await focusOn(page, "One");
        await keyboard.press("Tab");
        await keyboard.press("Tab");
        await focusIs(page, "[data-fold=archived]");
        await keyboard.press("Enter");
        await lists(page, [["Today", "One"], ["Archived1", "Three"], ["Trash1"]]);
        await focusIs(page, "[data-fold=archived]");
      });

      await step("another tab that shows it says that it is in the trash, and both lists are the same", async (page) => {
        await fresh(page, [{ title: "Shown twice" }, { title: "Other" }]);
        await page.click(".conversation");
        await page.shows(/^Shown twice$/, "#title");
        const other = await DemoPage.open(browser, page.page.url());
        await other.shows(/^Shown twice$/, "#title");
        await act(other, "Shown twice", "Pin");
        for (const each of [page, other])
          await lists(each, [
            ["Pinned", "Shown twice"],
            ["Today", "Other"],
          ]);
        await act(other, "Shown twice", "Rename");
        await focusIs(other, ".conversation-rename");
        await other.enter("With another name");
        await other.page.keyboard.press("Enter");
        await page.shows(/^With another name$/, "#title");
        await page.page.bringToFront();
        await page.press("Delete");
        for (const each of [page, other]) await lists(each, [["Today", "Other"], ["Trash1"]]);
        await other.page.bringToFront();
        await other.shows(/This conversation is in the trash/, "#notices");
        await other.isAccessible("a conversation of the trash");
        await other.press("Restore: This conversation is in the trash");
        for (const each of [page, other])
          await lists(each, [
            ["Pinned", "With another name"],
            ["Today", "Other"],
          ]);
        await other.page.close();
      });

      await step("the copy of a conversation on a server can only be deleted, after a question", async (page) => {
        await fresh(page, [{ title: "Here" }, { title: "On the server", days: 1 }]);
        await page.page.evaluate(giveToServer, "On the server");
        await page.page.reload();
        await page.until("both are listed", () => document.querySelectorAll(".conversation").length === 2);
        const row = ".conversation-row:has(.conversation-server)";
        await page.page.hover(row);
        await page.click(`${row} [data-act=menu]`);
        await page.until("the menu is open", () => document.querySelector("dialog.menu"));
        assert.equal(await page.text("dialog.menu"), "Delete");
        await page.page.keyboard.press("Escape");
        await page.press("Select");
        assert.deepEqual(await page.page.$$eval("#conversation-list input", (boxes) => boxes.map(({ disabled }) => disabled)), [
          false,
          true,
        ]);
        await page.isAccessible("a selection with the copy of a server's conversation");
        await page.page.keyboard.press("Escape");
        await page.page.focus(`${row} a`);
        await page.page.keyboard.press("F2");
        await page.page.keyboard.press("Delete");
        await page.shows(/On the-server\.example it stays/, "dialog");
        await page.press("Delete");
        await lists(page, [["Today", "Here"]]);
        await focusOn(page, "Here");
      });

      await step("on a phone the list is in the drawer, with its menus and notices", async (page) => {
        await fresh(page, [{ title: "One" }, { title: "Two" }]);
        await page.page.setViewport(phone);
        await page.press("Conversations");
        await page.still();
        await act(page, "Two", "Delete");
        await page.shows(/“Two” was moved to the trash/, ".sidebar .notices");
        await page.isAccessible("the drawer with a notice");
        await photograph(page, `sidebar-phone-${kind}`);
        await undo(page, "“Two” was moved to the trash");
        await lists(page, [["Today", "One", "Two"]]);
        await focusOn(page, "Two");
        await page.press("Select");
        await page.click(".conversation-row label");
        await page.shows(/1 selected/, "#selection-bar");
        await photograph(page, `sidebar-phone-selection-${kind}`);
        await page.page.keyboard.press("Escape");
        await page.until("the selection is over, and the drawer open", () => document.querySelector(".sidebar.open:not(:has(.of-check))"));
        if (await page.inTheDark()) await page.isAccessible("the drawer in the dark");
        await page.page.keyboard.press("Escape");
        await page.until("the notices are above the chat again", () => document.querySelector(".stage > .topbar + .notices"));
      });

      await step("a thousand conversations are drawn by the hundred, also with each letter in the search field", async (page) => {
        await fresh(
          page,
          Array.from({ length: 1000 }, (_, at) => ({ title: `Number ${at}`, days: at / 10 })),
        );
        const drawn = () => page.page.$$eval(".conversation-row", ({ length }) => length);
        assert.equal(await drawn(), 100);
        await page.click("[data-more=list]");
        assert.equal(await drawn(), 200);
        await focusOn(page, "Number 100");
        await page.page.focus("#conversation-search");
        const most = await page.page.evaluate(() => {
          const field = document.querySelector("#conversation-search");
          const rowsWith = (text) => {
            field.value = text;
            field.dispatchEvent(new Event("input"));
            return document.querySelectorAll(".conversation-row").length;
          };
          return ["n", "nu", "number", "number 9", "number 99", ""].map(rowsWith);
        });
        assert.deepEqual(most, [100, 100, 100, 100, 11, 100]);
        assert.equal(await drawn(), 100);
        await page.fill("#conversation-search", "number 999");
        await page.until("it is found", () => document.querySelectorAll(".conversation").length === 1);
        await page.fill("#conversation-search", "");
      });
    } finally {
      await browser.close();
    }
  });
}
