// A store in a directory, over the file system of Node. Its suite is in suite.test.mjs, its commits that are cut off are in
// tests/browser/store/directory.test.mjs.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { directoryStore } from "../../dist/index.js";
import { diskDirectory, provideLocks } from "../support/disk-directory.mjs";

let folder;
before(() => {
  provideLocks();
  folder = mkdtempSync(path.join(tmpdir(), "threadkeep-directory-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const idOf = (n) => `${n}f8fad5b-d9cb-469f-a165-70867728950e`;
const hexOf = (id) => id.replaceAll("-", "");

test("whichever of a conversation and its sub-agents is deleted first, no folder is left of them", async () => {
  const ids = [1, 2, 3].map(idOf);
  const stateOf = (place) =>
    JSON.stringify({
      id: ids[place],
      persistence_dir: ["", ...ids.slice(0, place + 1).map(hexOf)].join("/subagents/").replace("/subagents/", "workspace/conversations/"),
    });
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [2, 1, 0],
  ];
  for (const order of orders) {
    const store = directoryStore(diskDirectory(folder));
    for (const place of ids.keys())
      await store.commit(ids[place], { expectedLength: 0, events: [], files: [], at: 1, durability: "relaxed", baseState: stateOf(place) });
    assert.equal((await store.list()).length, 3);
    assert.deepEqual(namesIn(folder), [hexOf(ids[0])], "the sub-agents lie in the folder of the one above them");
    for (const place of order) await store.delete(ids[place]);
    assert.deepEqual(await store.list(), []);
    assert.deepEqual(namesIn(folder), [], `deleted in the order ${order}`);
    store.close();
  }
});

test("a base state that another handle replaces in the same millisecond is read again", async () => {
  const top = diskDirectory(folder, { modified: 1 });
  const [one, other] = [directoryStore(top), directoryStore(top)];
  const commit = (store, baseState, next) =>
    store.commit(idOf(1), {
      expectedLength: 0,
      events: [],
      files: [],
      at: next,
      durability: "relaxed",
      baseState,
      writer: { expected: next - 1, next },
    });
  await commit(one, "x", 1);
  await commit(other, "y", 2);
  const seen = await one.load(idOf(1));
  assert.equal(seen.baseState, "y");
  assert.equal(seen.updatedAt, 2);
  await commit(one, "z", 3);
  assert.equal((await other.load(idOf(1))).baseState, "z");
  one.close();
  other.close();
});

/** The folders of conversations. */
const namesIn = (directory) => readdirSync(directory).filter((name) => /^[0-9a-f]{32}$/.test(name));
