// The conversation's own files: directly, and with the changes of a call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../support/bundled.mjs";
import { randomFrom } from "../support/random.mjs";
import { common, compare, refused, text, tree } from "./checks.mjs";

const { ConversationWorkspace } = await fromSource("workspace/conversation.ts");
const { openHome } = await fromSource("workspace/home.ts");
const { memoryFiles } = await fromSource("workspace/memory.ts");

/** A storage with these files, and counts of calls. */
function storage(files = {}) {
  const stored = new Map(Object.entries(files).map(([path, content]) => [path, new TextEncoder().encode(content)]));
  const calls = { files: 0, readFile: 0, writeFiles: 0 };
  return {
    stored,
    calls,
    files: async () => (calls.files++, [...stored.keys()]),
    readFile: async (path) => (calls.readFile++, stored.get(path)?.slice()),
    async writeFiles(changes) {
      calls.writeFiles++;
      for (const { path, content } of changes) content === null ? stored.delete(path) : stored.set(path, content);
    },
  };
}

for (const [name, check] of Object.entries(common)) {
  test(`memory: ${name}`, () => check(() => memoryFiles({}, "/workspace")));
  test(`the conversation's files: ${name}`, () => check(() => new ConversationWorkspace(storage(), "/workspace").workspace));
}
for (const [name, check] of Object.entries(common).slice(0, 6)) {
  test(`the changes of a call: ${name}`, () => check(() => new ConversationWorkspace(storage(), "/workspace").begin().workspace));
}

test("files are stored under workspace/, and an empty directory as a hidden file", async () => {
  const store = storage({ "TASKS.json": "[]", "workspaces/x": "no" });
  const { workspace } = new ConversationWorkspace(store, "/workspace");
  await workspace.write("a/b.txt", "1");
  await workspace.makeDirectory("empty/inner");
  assert.deepEqual([...store.stored.keys()], ["TASKS.json", "workspaces/x", "workspace/a/b.txt", "workspace/empty/inner/.directory"]);
  await workspace.write("empty/inner/c", "1");
  await workspace.remove("a/b.txt");
  assert.deepEqual([...store.stored.keys()], ["TASKS.json", "workspaces/x", "workspace/empty/inner/c", "workspace/a/.directory"]);
  await workspace.remove("a");
  await workspace.remove("empty");
  assert.deepEqual([...store.stored.keys()], ["TASKS.json", "workspaces/x"]);
});

test("the paths are read once, and sizes when they are asked for", async () => {
  const store = storage({ "workspace/a": "one", "workspace/d/b": "three", "workspace/d/e/.directory": "" });
  const { workspace } = new ConversationWorkspace(store, "/workspace");
  assert.deepEqual(await tree(workspace), ["a 3", "d/", "d/b 5", "d/e/"]);
  assert.deepEqual(await tree(workspace), ["a 3", "d/", "d/b 5", "d/e/"]);
  assert.deepEqual(store.calls, { files: 1, readFile: 2, writeFiles: 0 });
  assert.equal((await workspace.stat("a")).modifiedAt, 0);
});

test("names that no tool can write are left out", async () => {
  const store = storage({
    "workspace/a": "1",
    "workspace/../x": "1",
    "workspace/b//c": "1",
    "workspace/c:d": "1",
    "workspace/": "1",
    "workspace/.directory": "",
    "workspace/x/.DIRECTORY": "",
  });
  assert.deepEqual(await tree(new ConversationWorkspace(store, "/workspace").workspace), ["a 1"]);
});

test("a file and a directory with the same path: the directory is found", async () => {
  for (const order of [
    ["workspace/a", "workspace/a/b"],
    ["workspace/a/b", "workspace/a"],
  ]) {
    const { workspace } = new ConversationWorkspace(storage(Object.fromEntries(order.map((path) => [path, "1"]))), "/workspace");
    assert.deepEqual(await tree(workspace), ["a/", "a/b 1"]);
  }
});

test("the changes of a call are read back by it alone, and are handed over once", async () => {
  const store = storage({ "workspace/old": "old", "workspace/d/gone": "1" });
  const files = new ConversationWorkspace(store, "/workspace");
  const seen = [];
  files.workspace.watch(({ path, type }) => seen.push(`${type} ${path}`));
  const call = files.begin();
  await call.workspace.write("new", "new");
  await call.workspace.move("old", "moved");
  await call.workspace.remove("d/gone");
  await call.workspace.write("passing", "1");
  await call.workspace.remove("passing");
  assert.equal(text(await call.workspace.read("moved")), "old");
  assert.deepEqual(await tree(call.workspace), ["d/", "moved 3", "new 3"]);
  assert.deepEqual(await tree(files.workspace), ["d/", "d/gone 1", "old 3"]);
  assert.deepEqual([store.calls.writeFiles, seen], [0, []]);

  const changes = call.end().map(({ path, content }) => [path, content && text(content)]);
  assert.deepEqual(changes, [
    ["workspace/new", "new"],
    ["workspace/old", null],
    ["workspace/moved", "old"],
    ["workspace/d/gone", null],
    ["workspace/d/.directory", ""],
    ["workspace/passing", null],
  ]);
  for (const late of [() => call.workspace.write("late", "1"), () => call.workspace.read("new"), () => call.workspace.list("")])
    await assert.rejects(late(), refused("invalid_state", /has ended/));
  await store.writeFiles(call.end());
  call.commit();
  assert.deepEqual(await tree(files.workspace), ["d/", "moved 3", "new 3"]);
  assert.equal(text(await files.workspace.read("new")), "new");
  assert.ok((await files.workspace.stat("new")).modifiedAt > 0);
  assert.deepEqual(seen, ["written new", "removed old", "written moved", "removed d/gone", "written d", "removed passing"]);
});

test("a call whose result is not stored has changed nothing, whatever others write in the meantime", async () => {
  const store = storage({ "workspace/d/a": "1" });
  const files = new ConversationWorkspace(store, "/workspace");
  const lost = files.begin();
  await lost.workspace.write("d/lost", "1");
  await files.workspace.write("d/host", "22");
  await lost.workspace.remove("d/a");
  assert.deepEqual(await tree(lost.workspace), ["d/", "d/lost 1"]);
  lost.end();
  const next = files.begin();
  assert.deepEqual(await tree(next.workspace), ["d/", "d/a 1", "d/host 2"]);
  await next.workspace.write("d/next", "1");
  await files.workspace.write("d/host2", "22");
  await store.writeFiles(next.end());
  next.commit();
  assert.deepEqual(await tree(files.workspace), ["d/", "d/a 1", "d/host 2", "d/host2 2", "d/next 1"]);
});

test("a write that the store refuses changes nothing", async () => {
  const store = storage();
  const files = new ConversationWorkspace(store, "/workspace");
  await files.workspace.write("a", "1");
  const { writeFiles } = store;
  store.writeFiles = async () => {
    throw Object.assign(new Error("full"), { code: "store_quota" });
  };
  await assert.rejects(files.workspace.write("b", "1"), refused("store_quota", /full/));
  await assert.rejects(files.workspace.remove("a"), refused("store_quota", /full/));
  assert.deepEqual(await tree(files.workspace), ["a 1"]);
  store.writeFiles = writeFiles;
  await files.workspace.write("b", "1");
  assert.deepEqual(await tree(files.workspace), ["a 1", "b 1"]);
});

test("paths that could not be read are read again by the next call", async () => {
  const store = storage({ "workspace/a": "1" });
  const { files } = store;
  store.files = async () => {
    throw Object.assign(new Error("busy"), { code: "store_blocked" });
  };
  const { workspace } = new ConversationWorkspace(store, "/workspace");
  await assert.rejects(workspace.list(""), refused("store_blocked", /busy/));
  store.files = files;
  assert.deepEqual(await tree(workspace), ["a 1"]);
});

test("changes made at the same time come one after the other", async () => {
  const files = new ConversationWorkspace(storage(), "/workspace");
  for (const workspace of [files.workspace, files.begin().workspace]) {
    await workspace.write("d/first", "1");
    await Promise.all([
      workspace.remove("d/first"),
      workspace.write("d/second", "1"),
      workspace.move("d/second", "x"),
      workspace.remove("x"),
    ]);
    assert.deepEqual(await tree(workspace), ["d/"]);
  }
});

test("100,000 files are the most, and are listed and moved in time that grows with their number", async () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`workspace/d${i % 100}/f${i}`, "1"]));
  const files = new ConversationWorkspace(storage(many), "/workspace");
  await assert.rejects(files.workspace.write("one-more", "1"), refused("too_large", /more than 100000 files/));
  await files.workspace.write("d0/f0", "22");
  const call = files.begin();
  assert.equal((await call.workspace.list("d7")).length, 1000);
  await call.workspace.remove("d7");
  await call.workspace.move("d8", "moved");
  assert.equal(call.end().length, 3000);
  await files.workspace.remove("d9");
  await files.workspace.write("one-more", "1");
});

test("one call changes a limited number of bytes", async () => {
  const files = new ConversationWorkspace(storage(), "/workspace");
  const { workspace } = files.begin();
  const large = new Uint8Array(32 << 20);
  for (let i = 0; i < 8; i++) await workspace.write(`f${i}`, large);
  await assert.rejects(workspace.write("f8", large), refused("too_large", /at most 268435456 bytes/));
  await workspace.write("f0", "");
  await workspace.write("f8", large);
});

const shown = ({ path, content }) => [path, content && text(content)];

test("the files of a call are those of the workspace and those beside the events, and are dropped unless the result is stored", async () => {
  const store = storage({ "TASKS.json": "[]" });
  const home = openHome(store, "/workspace", undefined);
  const call = home.call("one");
  call.files.write("TASKS.json", "[1]");
  call.files.write("old", null);
  await call.workspace.write("a", "1");
  assert.equal(text(await call.files.read("TASKS.json")), "[1]");
  assert.deepEqual([await call.files.read("old"), await call.files.read("none")], [undefined, undefined]);
  assert.deepEqual(call.changes().map(shown), [
    ["TASKS.json", "[1]"],
    ["old", null],
    ["workspace/a", "1"],
  ]);
  // The result of this call was not stored, so the next one sees nothing of it.
  const next = home.call("two");
  assert.equal(text(await next.files.read("TASKS.json")), "[]");
  await next.workspace.write("b", "1");
  await store.writeFiles(next.changes());
  home.committed("one");
  home.committed("two");
  home.committed("three");
  assert.deepEqual(await tree(home.workspace), ["b 1"]);
});

test("calls use the workspace of the host, with its paths confined", async () => {
  const given = await memoryFiles({ a: "1" }, "/elsewhere");
  const home = openHome(storage(), "/elsewhere", given);
  const { workspace, changes } = home.call("one");
  await workspace.write("/elsewhere/b", "1");
  await assert.rejects(workspace.write("/workspace/b", "1"), refused("invalid_options", /outside of the workspace \/elsewhere/));
  assert.deepEqual([await tree(given), changes()], [["a 1", "b 1"], []]);
});

test("a call of a sub-agent changes the files of the conversation above once its result is stored, and keeps files of its own", async () => {
  const [above, below] = [storage({ "workspace/a": "1" }), storage()];
  const owner = openHome(above, "/workspace", undefined);
  const home = openHome(below, "/workspace", owner.workspace, owner);
  for (const isStored of [false, true]) {
    const call = home.call("one");
    await call.workspace.write("b", "2");
    call.files.write("TASKS.json", "[]");
    const changes = call.changes();
    assert.deepEqual(changes.filter(({ isOwners }) => !isOwners).map(shown), [["TASKS.json", "[]"]]);
    const ownerFiles = changes.filter(({ isOwners }) => isOwners);
    assert.deepEqual(ownerFiles.map(shown), [["workspace/b", "2"]]);
    assert.deepEqual(await tree(owner.workspace), ["a 1"], "not before the result is stored");
    if (!isStored) continue;
    await above.writeFiles(ownerFiles);
    home.committed("one");
  }
  assert.deepEqual(await tree(owner.workspace), ["a 1", "b 1"]);
});

test("random calls have the same results directly and with the changes of a call, which then are those of the store", async () => {
  const random = randomFrom(20261122);
  for (let round = 0; round < 20; round++) {
    const [store, other] = [storage({ "workspace/a/b/c.txt": "1" }), storage({ "workspace/a/b/c.txt": "1" })];
    const [direct, files] = [new ConversationWorkspace(store, "/workspace"), new ConversationWorkspace(other, "/workspace")];
    for (let calls = 0; calls < 10; calls++) {
      const call = files.begin();
      assert.ok((await compare(direct.workspace, call.workspace, random, 20)) > 3);
      await other.writeFiles(call.end());
      call.commit();
      assert.deepEqual([...other.stored.keys()].sort(), [...store.stored.keys()].sort());
      // What is in memory is what the store has.
      assert.deepEqual(await tree(files.workspace), await tree(new ConversationWorkspace(other, "/workspace").workspace));
    }
  }
});
