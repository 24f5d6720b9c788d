// A folder that is dropped on the list of conversations, as Safari leaves an archive that it has unpacked: a reader gives its files some at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";

const { filesIn } = await fromSource("ui/conversations/dropped-folder.ts");

/** What a browser gives for a file, or for a folder of these, which it reads so many at a time. */
function entry(fullPath, content, atOnce = 2) {
  if (typeof content === "string")
    return { isDirectory: false, fullPath, file: (resolve) => resolve(new File([content], fullPath.split("/").at(-1))) };
  const inside = Object.entries(content).map(([name, value]) => entry(`${fullPath}/${name}`, value, atOnce));
  const createReader = () => {
    let at = 0;
    return { readEntries: (resolve) => resolve(inside.slice(at, (at += atOnce))) };
  };
  return { isDirectory: true, fullPath, createReader };
}

const found = async (folder) => {
  const files = await filesIn(folder);
  const told = files.map(async (file) => [file.webkitRelativePath, await file.text()]);
  return Object.fromEntries(await Promise.all(told));
};

test("all files of a dropped folder are found, with their paths in it", async () => {
  const events = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`event-${index}.json`, `{"n":${index}}`]));
  const files = await found(entry("/0f8f", { "base_state.json": "{}", events, empty: {} }, 100));
  assert.equal(Object.keys(files).length, 251);
  assert.deepEqual([files["0f8f/base_state.json"], files["0f8f/events/event-249.json"]], ["{}", '{"n":249}']);
});

test("the flat folder of a download and folders in folders are found", async () => {
  assert.deepEqual(await found(entry("/conversation_1", { "meta.json": "{}", "event_000000_a.json": "{}" })), {
    "conversation_1/meta.json": "{}",
    "conversation_1/event_000000_a.json": "{}",
  });
  assert.deepEqual(await found(entry("/a", { b: { c: { d: "x" } } })), { "a/b/c/d": "x" });
});

test("a file that cannot be read stops the import of its folder", async () => {
  const folder = entry("/a", { b: "x" });
  const gone = new DOMException("gone", "NotFoundError");
  folder.createReader = () => ({ readEntries: (_, reject) => reject(gone) });
  await assert.rejects(filesIn(folder), gone);
});
