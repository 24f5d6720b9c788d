// A store in a directory: the conformance suite, and what only a directory can go through: a death before any of its writes, a
// full disk, other programs, names that some disks refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { amount } from "../../support/explored.mjs";
import { filesOf, packed } from "../../support/files.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { checksIn, tabs } from "../../support/browser/tabs.mjs";

const fixtures = path.join(root, "tests/fixtures/sdk-1.43.1");
const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a store in a directory passes the suite, and goes through deaths, a full disk and odd names`, async (context) => {
    const browser = await tabs(kind);
    const { blank, check } = checksIn(context, browser, `${server.origin}/pages/blank.html`);
    try {
      // In Firefox each write takes ten times as long.
      const isShort = kind === "firefox" && amount(0) === 0;
      const checkSuite = async (page) => assert.deepEqual(await page.evaluate(inPage, "suiteFailures"), []);
      await check("the suite holds in OPFS", checkSuite, { skip: isShort && "takes minutes, see CONTRIBUTING.md" });
      await check("a commit that dies before any of its writes has happened or not, and Python can read what is there", async (page) => {
        const { problems, cuts } = await page.evaluate(inPage, "cutOff", false, isShort);
        assert.deepEqual(problems, []);
        assert.ok(cuts > (isShort ? 10 : 50), `${cuts} deaths`);
      });
      await check("a browser that dies while it replaces a file, and leaves it empty, loses nothing", async (page) => {
        // The kinds of writes, once each: what a commit does about a death before them is shown above for all changes.
        const { problems, cuts } = await page.evaluate(inPage, "cutOff", true, true);
        assert.deepEqual(problems, []);
        assert.ok(cuts > 10, `${cuts} deaths`);
      });
      await check("a disk that is full at any write leaves nothing of the commit", async (page) => {
        assert.deepEqual(await page.evaluate(inPage, "fullDisk", isShort), []);
      });
      await check("opening, showing the last events and appending lists no directory of events", async (page) => {
        const { counts, last, leaf, after, first, old } = await page.evaluate(inPage, "listings");
        const id = (n) => `e0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
        assert.deepEqual(counts, { opened: 0, appended: 0, "looked back": 1 });
        assert.deepEqual(
          last,
          Array.from({ length: 50 }, (_, n) => [250 + n, id(250 + n)]),
        );
        assert.deepEqual([leaf, old], [299, 7]);
        assert.deepEqual(after, [285, 286, 287, 288, 289, 290]);
        assert.deepEqual(
          first,
          [0, 1].map((n) => [n, id(n)]),
        );
      });
      await check("a directory of another program is found, and what it appends is noticed", async (page) => {
        const seen = await page.evaluate(inPage, "otherProgram");
        assert.equal(seen.found.length, 2);
        for (const { length, writer, createdAt, updatedAt } of seen.found) {
          assert.deepEqual([length, writer], [2, 0]);
          assert.ok(createdAt > 1e12 && updatedAt >= createdAt);
        }
        assert.deepEqual(seen.files, ["TASKS.json"]);
        assert.deepEqual([seen.ours.length, seen.ours.writer, seen.ours.createdAt], [3, 1, seen.found[0].createdAt]);
        assert.deepEqual(
          seen.late.map(([code]) => code),
          ["locked_elsewhere", "locked_elsewhere"],
        );
        assert.equal(seen.fresh.length, 4);
        assert.equal(seen.event3.json, '{"n":3}');
        assert.deepEqual(seen.read, [3, "seen"]);
        assert.equal(seen.last.length, 5);
        assert.equal(seen.names.filter((name) => name.startsWith("events/event-")).length, 5);
      });
      await check("files with names that some disks refuse are stored aside, the others at their paths", async (page) => {
        const { wrong, listed, paths, plain, left } = await page.evaluate(inPage, "oddNames");
        assert.deepEqual(wrong, []);
        assert.deepEqual(listed, paths);
        assert.deepEqual(plain, ["a", "base_state.json", "workspace/plain.txt", "é"].sort());
        assert.deepEqual(left, []);
      });
      await check("without permission the error says how to ask for it", async (page) => {
        for (const [code, message] of await page.evaluate(inPage, "withoutPermission")) {
          assert.equal(code, "permission_required");
          assert.match(message, /call requestPermission/);
        }
      });
      await check("writers in two tabs lose nothing", async (page) => {
        const other = await blank();
        const wrote = await Promise.all([page, other].map((tab, n) => tab.evaluate(inPage, "appendInTurn", n)));
        assert.deepEqual(wrote, [15, 15]);
        assert.deepEqual(await page.evaluate(inPage, "eventsByWriter"), [15, 15]);
        await other.close();
      });
      await check("a directory is imported as the archive of its files is, and sub-agents lie where the SDK has them", async (page) => {
        const { id, directory } = conversations.find(({ about }) => about.includes("A task given to a sub-agent"));
        const files = filesOf(path.join(fixtures, directory));
        const encoded = Object.fromEntries([...files].map(([name, content]) => [name, content.toString("base64")]));
        const seen = await page.evaluate(inPage, "importedDirectory", id, encoded, packed(id, files).toString("base64"));
        for (const [what, found] of Object.entries(seen.found)) assert.deepEqual(found, [true, "the same"], what);
        assert.equal(seen.outcome, "up_to_date");
        assert.equal(seen.nothing[0], "archive_invalid");
        assert.match(seen.refused.join(), /archive_invalid.*upwards\/notes\.txt/);
        assert.equal(seen.stopped[0], "aborted");
        const [done, total, unit] = seen.progress.at(-1);
        assert.deepEqual([done, unit], [total, "bytes"]);
        const hex = (name) => name.replaceAll("-", "");
        const children = seen.listed.filter(([, parent]) => parent !== null);
        assert.ok(children.length > 0);
        for (const [name, parent] of children)
          assert.ok(seen.names.includes(`${hex(parent)}/subagents/${hex(name)}/base_state.json`), name);
        // A store deletes one conversation, not those of its sub-agents, although they lie in its directory.
        assert.deepEqual(seen.kids.sort(), children.map(([name]) => name).sort());
        assert.deepEqual(
          seen.left.filter((name) => !name.startsWith(".threadkeep/")),
          [],
        );
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Calls a function of `pages/directory-checks.js` in a page. */
async function inPage(name, ...args) {
  return (await import("/pages/directory-checks.js"))[name](...args);
}
