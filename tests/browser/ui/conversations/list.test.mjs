// `<threadkeep-conversations>`: groups, the menu of a row, folders, the archive and the trash, several at once, the keyboard, a long list.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { ListPage, startList } from "./page.mjs";

const day = 86_400_000;
let served;
before(async () => (served = await startList("list")));
after(() => {
  rmSync(served.folder, { recursive: true, force: true });
  return served.close();
});

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

const opens = (page, title) =>
  page.until(
    `“${title}” is open`,
    (title) => one("[aria-current] .conversation-title")?.textContent === title && chat.thread?.getSnapshot().phase === "open",
    title,
  );
const openRow = (page, title) =>
  page.get(
    (title) =>
      all(".conversation")
        .find((each) => each.textContent.startsWith(title))
        .click(),
    title,
  );

for (const kind of availableBrowsers) {
  test(`${kind}: the list has groups, menus, folders, an archive and a trash, for the keyboard too`, async (context) => {
    const browser = await tabs(kind);
    const step = served.stepsOf(context, browser);
    try {
      await step("conversations stand under the days of their last changes, with headings", "", async (page) => {
        await page.fresh([
          { title: "Of today" },
          { title: "Of yesterday", days: 1 },
          { title: "Of this week", days: 4 },
          { title: "Of this month", days: 20 },
          { title: "Of last year", days: 400 },
        ]);
        const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" }).format(Date.now() - 400 * day);
        const days = ["Today", "Yesterday", "Previous 7 days", "Previous 30 days", month];
        const titles = ["Of today", "Of yesterday", "Of this week", "Of this month", "Of last year"];
        await page.lists(...days.map((name, at) => [name, titles[at]]));
        const named = await page.get(() =>
          all(".conversation-group ul").map((each) => one(`#${CSS.escape(each.getAttribute("aria-labelledby"))}`).textContent),
        );
        assert.deepEqual(named, days);
        await page.looksRight("list");
        await page.act("Of this month", "Pin");
        await page.shows(/PinnedOf this month/, ".conversations-list");
        await page.focusOn("More about “Of this month”");
        await page.act("Of this month", "Unpin");
        await page.lists(...days.map((name, at) => [name, titles[at]]));
      });

      await step("a title is edited in its row", "", async (page) => {
        const { keyboard } = page.page;
        await page.fresh([{ title: "First" }, { title: "Second", days: 1 }]);
        await page.act("Second", "Rename");
        await page.focusOn("New title of “Second”");
        await page.isAccessible("a title that is edited");
        await page.fill(".conversation-rename", "Given up");
        await keyboard.press("Escape");
        await page.focusOn("Second");
        await keyboard.press("F2");
        await page.focusOn("New title of “Second”");
        await page.fill(".conversation-rename", "Renamed");
        // Safari ends a composition before it tells of the key that did.
        for (const key of ["Enter", "Escape"]) {
          await page.get((key) => {
            const composing = { key, keyCode: 229, bubbles: true, cancelable: true };
            focused().dispatchEvent(new KeyboardEvent("keydown", composing));
          }, key);
          await page.focusOn("New title of “Second”");
        }
        await keyboard.press("Enter");
        await page.lists(["Today", "First"], ["Yesterday", "Renamed"]);
        await page.focusOn("Renamed");
        // The open one, whose writer is the chat.
        await openRow(page, "First");
        await opens(page, "First");
        await page.act("First", "Rename");
        await page.fill(".conversation-rename", "Also renamed");
        await keyboard.press("Enter");
        await page.until("the chat knows it", () => chat.thread.getSnapshot().title === "Also renamed");
        assert.deepEqual(
          (await page.get(() => window.events)).filter(([name]) => name === "update").map(([, { changes }]) => changes),
          [{ tags: { title: "Renamed" } }, { tags: { title: "Also renamed" } }],
        );
      });

      await step("a folder is made, renamed and removed, and what is moved can be taken back", "", async (page) => {
        const { keyboard } = page.page;
        await page.fresh([{ title: "One" }, { title: "Two" }, { title: "Three" }]);
        await page.act("Two", "Move to a folder");
        await page.press("New folder…");
        await page.until("it asks for a name", () => one(".conversations-dialog[open]"));
        await page.isAccessible("the name of a folder");
        await keyboard.type("Work");
        await keyboard.press("Enter");
        await page.lists(["Work1", "Two"], ["Today", "One", "Three"]);
        await page.press("Undo: “Two” was moved to “Work”");
        await page.lists(["Today", "One", "Two", "Three"]);
        await page.focusOn("Two");
        await page.act("Two", "Move to a folder");
        await page.press("New folder…");
        await page.until("it asks for a name", () => one(".conversations-dialog[open]"));
        await keyboard.type("Work");
        await keyboard.press("Enter");
        await page.lists(["Work1", "Two"], ["Today", "One", "Three"]);
        await page.act("One", "Move to a folder");
        await page.press("Work");
        await page.lists(["Work2", "One", "Two"], ["Today", "Three"]);
        await page.looksRight("folder");
        await page.choose("More about the folder “Work”", "Rename folder");
        await page.until("it asks for a name", () => one(".conversations-dialog[open]"));
        await keyboard.type("Office");
        await keyboard.press("Enter");
        await page.lists(["Office2", "One", "Two"], ["Today", "Three"]);
        await page.get(() => one(".conversation-fold").click());
        await page.lists(["Office2"], ["Today", "Three"]);
        await page.choose("More about the folder “Office”", "Remove folder");
        await page.lists(["Today", "One", "Two", "Three"]);
      });

      await step("what is archived is at the end, folded, and found by its title", "", async (page) => {
        await page.fresh([{ title: "One" }, { title: "Two" }, { title: "Three" }]);
        await page.act("Two", "Archive");
        await page.lists(["Today", "One", "Three"], ["Archived1"]);
        await page.press("Undo: “Two” was archived");
        await page.lists(["Today", "One", "Two", "Three"]);
        await page.focusOn("Two");
        await page.act("Two", "Archive");
        await page.lists(["Today", "One", "Three"], ["Archived1"]);
        await page.get(() => one("[data-part=archived] .conversation-fold").click());
        await page.lists(["Today", "One", "Three"], ["Archived1", "Two"]);
        await page.isAccessible("the archive");
        await page.get(() => one("[data-part=archived] .conversation-fold").click());
        await page.fill(".conversations-search", "tw");
        await page.lists(["Archived1", "Two"]);
        await page.act("Two", "Unarchive");
        await page.fill(".conversations-search", "");
        await page.lists(["Today", "One", "Two", "Three"]);
      });

      await step("what is deleted is in the trash, and comes back", "", async (page) => {
        const { keyboard } = page.page;
        await page.fresh([{ title: "One" }, { title: "Two" }]);
        await openRow(page, "One");
        await opens(page, "One");
        await page.act("One", "Delete");
        await page.lists(["Today", "Two"], ["Trash1"]);
        await page.until("another one is open", () => !one("[aria-current]"));
        await page.press("Undo: “One” was moved to the trash");
        await opens(page, "One");
        await page.lists(["Today", "One", "Two"]);
        await page.act("One", "Delete");
        await page.lists(["Today", "Two"], ["Trash1"]);
        await page.get(() => one("[data-part=trash] .conversation-fold").click());
        await page.shows(/Empty trash/, ".conversations-list");
        assert.equal(await page.get(() => one(".conversations-trash p")), null, "nothing is deleted by itself");
        await page.looksRight("trash");
        await page.press("Restore “One”");
        await page.lists(["Today", "One", "Two"]);
        await page.focusOn("Two");
        for (const title of ["One", "Two"]) await page.act(title, "Delete");
        await page.lists(["Trash2"]);
        await page.get(() => one("[data-part=trash] .conversation-fold").click());
        await page.lists(["Trash2", "Two", "One"]);
        await page.press("Delete “Two” for ever");
        await page.shows(/cannot be brought back/, "dialog");
        await page.press("Cancel");
        await page.focusOn("Delete “Two” for ever");
        await keyboard.press("Enter");
        await page.shows(/cannot be brought back/, "dialog");
        await page.press("Delete");
        await page.lists(["Trash1", "One"]);
        await page.focusOn("One");
        await page.press("Empty trash");
        await page.shows(/cannot be brought back/, "dialog");
        await page.isAccessible("the question before the trash is emptied");
        await page.get(() => one("dialog[open] .danger").click());
        await page.lists();
        await page.until("the focus is where one begins", () => focused()?.matches(".conversations-begin"));
        assert.equal(await page.get(() => window.events.filter(([name]) => name === "delete").length > 0), true);
        // One that is open in the chat is closed before.
        await page.fresh([{ title: "Open" }]);
        await openRow(page, "Open");
        await opens(page, "Open");
        await page.act("Open", "Delete");
        await page.lists(["Trash1"]);
        await page.get(() => one("[data-part=trash] .conversation-fold").click());
        await page.lists(["Trash1", "Open"]);
        await openRow(page, "Open");
        await opens(page, "Open");
        await page.press("Delete “Open” for ever");
        await page.shows(/cannot be brought back/, "dialog");
        await page.press("Delete");
        await page.lists();
        assert.deepEqual(await page.get(async () => (await Conversation.list({ trashed: true })).length), 0);
      });

      await step("several are selected, also a range, and what is done with them is undone at once", "", async (page) => {
        const titles = ["One", "Two", "Three", "Four", "Five"];
        await page.fresh(titles.map((title) => ({ title })));
        const select = () => page.choose("More about the list", "Select");
        const click = (at, shiftKey = false) =>
          page.get(
            (at, shiftKey) =>
              all(".of-check label")[at].dispatchEvent(new MouseEvent("click", { shiftKey, bubbles: true, cancelable: true })),
            at,
            shiftKey,
          );
        await select();
        await page.until("there are boxes", () => all(".of-check").length === 5);
        await click(1);
        await page.shows(/1 selected/);
        await click(3, true);
        await page.shows(/3 selected/);
        await page.page.keyboard.press(" ");
        await page.shows(/2 selected/);
        await page.page.keyboard.press(" ");
        await page.shows(/3 selected/);
        assert.deepEqual(await page.get(() => all(".of-check input").map(({ checked }) => checked)), [false, true, true, true, false]);
        await page.looksRight("selection");
        await page.press("Archive");
        await page.lists(["Today", "One", "Five"], ["Archived3"]);
        await page.focusOn("More about the list");
        await page.press("Undo: 3 conversations were archived");
        await page.lists(["Today", ...titles]);
        await page.focusOn("Two");
        await select();
        for (const at of [0, 2]) await click(at);
        await page.press("Pin");
        await page.lists(["Pinned", "One", "Three"], ["Today", "Two", "Four", "Five"]);
        await page.press("Undo: 2 conversations were pinned");
        await page.lists(["Today", ...titles]);
        await select();
        for (const at of [0, 4]) await click(at);
        await page.shows(/2 selected/);
        await page.page.keyboard.press("Delete");
        await page.lists(["Today", "Two", "Three", "Four"], ["Trash2"]);
        await page.press("Undo: 2 conversations were moved to the trash");
        await page.lists(["Today", ...titles]);
        await select();
        await page.until("a box has the focus", () => focused()?.matches("input[type=checkbox]"));
        await page.page.keyboard.press("Escape");
        await page.focusOn("One");
        assert.equal(await page.get(() => one("input[type=checkbox]")), null);
      });

      await step("by keyboard: arrows, Delete, F2 and the menu, and the focus stays in the list", "", async (page) => {
        const { keyboard } = page.page;
        await page.fresh(["One", "Two", "Three"].map((title) => ({ title })));
        await page.get(() => one(".conversation").focus());
        await keyboard.press("ArrowDown");
        await page.focusOn("Two");
        await keyboard.press("Delete");
        await page.lists(["Today", "One", "Three"], ["Trash1"]);
        await page.focusOn("Three");
        await keyboard.press("Tab");
        await page.focusOn("More about “Three”");
        await keyboard.press("Enter");
        await page.until("the menu is open", () => focused()?.closest("dialog"));
        for (const _ of [1, 2, 3]) await keyboard.press("ArrowDown");
        await page.focusOn("Archive");
        await keyboard.press("Enter");
        await page.lists(["Today", "One"], ["Archived1"], ["Trash1"]);
        await page.focusOn("One");
        await keyboard.press("Tab");
        await keyboard.press("Tab");
        await page.focusOn("Archived");
        await keyboard.press("Enter");
        await page.lists(["Today", "One"], ["Archived1", "Three"], ["Trash1"]);
        await page.focusOn("Archived");
      });

      await step("another tab shows the same list", "", async (page) => {
        await page.fresh([{ title: "Shown twice" }, { title: "Other" }]);
        const other = await ListPage.open(browser, new URL(page.page.url()).origin, "", page.archive);
        await other.act("Shown twice", "Pin");
        for (const each of [other, page]) {
          await each.page.bringToFront();
          await each.lists(["Pinned", "Shown twice"], ["Today", "Other"]);
        }
        await page.act("Shown twice", "Delete");
        await other.page.bringToFront();
        await other.lists(["Today", "Other"], ["Trash1"]);
        await other.page.close();
      });

      await step("the copy of a conversation on a server can only be deleted, after a question", "", async (page) => {
        await page.fresh([{ title: "Here" }, { title: "On the server", days: 1 }]);
        await page.get(giveToServer, "On the server");
        await page.page.reload();
        await page.ready();
        await page.lists(["Today", "Here"], ["Yesterday", "On the server"]);
        await page.press("More about “On the server”");
        await page.until("the menu is open", () => one("dialog[open]")?.textContent === "Delete");
        await page.page.keyboard.press("Escape");
        await page.choose("More about the list", "Select");
        await page.until("there are boxes", () => all("input[type=checkbox]").length === 2);
        assert.deepEqual(await page.get(() => all("input[type=checkbox]").map(({ disabled }) => disabled)), [false, true]);
        await page.isAccessible("a selection with the copy of a server's conversation");
        await page.page.keyboard.press("Escape");
        await page.get(() => all(".conversation")[1].focus());
        await page.page.keyboard.press("F2");
        await page.page.keyboard.press("Delete");
        await page.shows(/On the-server\.example it stays/, "dialog");
        await page.press("Delete");
        await page.lists(["Today", "Here"]);
        await page.focusOn("Here");
      });

      await step("a thousand conversations are drawn by the hundred, also with each letter in the search field", "", async (page) => {
        await page.fresh(Array.from({ length: 1000 }, (_, at) => ({ title: `Number ${at}`, days: at / 10 })));
        const drawn = (count) => page.until(`${count} are drawn`, (count) => all(".conversation-row:not(.of-hit)").length === count, count);
        await drawn(100);
        await page.press("Show more, 900 are not shown");
        await drawn(200);
        await page.focusOn("Number 100");
        for (const [text, count] of [
          ["n", 100],
          ["number", 100],
          ["number 9", 100],
          ["number 99", 11],
          ["number 999", 1],
          ["", 100],
        ]) {
          await page.fill(".conversations-search", text);
          await drawn(count);
        }
      });
    } finally {
      await browser.close();
    }
  });
}
