// Workspaces in the private file system and in picked folders, in real browsers. A folder of the user is played by a directory of
// the private file system, whose handle has the same methods; its permission by methods in place of the browser's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { common } from "../../workspace/checks.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/workspace/": "tests/workspace" } })));
after(() => server.close());

/** Makes one of the common checks; returns the failure. */
async function check(kind, name) {
  const { folderWorkspace, opfsWorkspace } = await import("/threadkeep/index.js");
  const { common } = await import("/workspace/checks.mjs");
  let opened = 0;
  const open = {
    opfs: () => opfsWorkspace(`${name.slice(0, 40)} ${opened++}`),
    folder: async () => {
      const workspace = folderWorkspace(`common ${opened}`);
      await workspace.pick(
        await (await navigator.storage.getDirectory()).getDirectoryHandle(`picked ${name.slice(0, 40)} ${opened++}`, { create: true }),
      );
      return workspace;
    },
  }[kind];
  return common[name](open).then(
    () => "",
    (error) => error.stack ?? String(error),
  );
}

/** Compares random calls with those on a workspace in memory; returns the failure. */
async function random(seed) {
  const { memoryWorkspace, opfsWorkspace } = await import("/threadkeep/index.js");
  const { compare } = await import("/workspace/checks.mjs");
  const { randomFrom } = await import("/support/random.mjs");
  return compare(opfsWorkspace(`random ${seed}`), memoryWorkspace(), randomFrom(seed), 400).then(
    (kinds) => (kinds > 10 ? "" : `only ${kinds}`),
    (error) => error.stack ?? String(error),
  );
}

/** Plays the permission of a folder: `state` is what the user has decided. */
async function folders(step) {
  const { folderWorkspace } = await import("/threadkeep/index.js");
  const workspace = folderWorkspace("mine");
  const outcome = async (promise) =>
    promise.then(
      (value) => value ?? "ok",
      ({ code, message }) => `${code}: ${message}`,
    );
  FileSystemHandle.prototype.queryPermission = async () => localStorage.permission ?? "granted";
  FileSystemHandle.prototype.requestPermission = async () => (localStorage.permission = localStorage.answer);
  delete globalThis.showDirectoryPicker;
  if (step === "first") {
    const found = [
      await workspace.permission(),
      await workspace.requestPermission(),
      await outcome(workspace.list("")),
      await outcome(workspace.pick()),
      await outcome(workspace.pick("x")),
      await outcome(workspace.pick(null)),
      // A handle that cannot be stored, and one that cannot be read.
      await outcome(workspace.pick({ kind: "directory", getFileHandle() {} })),
      await outcome(workspace.pick(Object.defineProperty({}, "kind", { get: () => localStorage.missing.kind }))),
    ];
    const root = await navigator.storage.getDirectory();
    globalThis.showDirectoryPicker = async ({ mode }) => root.getDirectoryHandle(`user's folder ${mode}`, { create: true });
    await workspace.pick();
    await workspace.write("a/b", "text");
    found.push(await workspace.permission(), (await root.getDirectoryHandle("user's folder readwrite")).kind);
    globalThis.showDirectoryPicker = async () => {
      throw new DOMException("no", "AbortError");
    };
    return [...found, await outcome(workspace.pick())];
  }
  if (step === "reloaded") {
    localStorage.permission = "prompt";
    const found = [await workspace.permission()];
    for (const call of [
      () => workspace.read("a/b"),
      () => workspace.write("a/b", "x"),
      () => workspace.stat("a"),
      () => workspace.list(""),
      () => workspace.makeDirectory("x"),
      () => workspace.remove("a"),
      () => workspace.move("a", "b"),
    ]) {
      found.push((await outcome(call())).slice(0, 19));
    }
    found.push(await outcome(workspace.read("a/b")));
    localStorage.answer = "denied";
    found.push(await workspace.requestPermission(), await outcome(workspace.read("a/b")));
    localStorage.answer = "granted";
    found.push(await workspace.requestPermission(), new TextDecoder().decode(await workspace.read("a/b")));
    await workspace.forget();
    return [...found, await workspace.permission()];
  }
}

/** Large files and directories with many files. */
async function extremes() {
  const { opfsWorkspace } = await import("/threadkeep/index.js");
  const workspace = opfsWorkspace("extremes");
  const outcome = async (promise) =>
    promise.then(
      (value) => value ?? "ok",
      ({ code, message }) => `${code}: ${message}`,
    );
  await workspace.write("small", "1");
  const root = await (await (await navigator.storage.getDirectory()).getDirectoryHandle("threadkeep")).getDirectoryHandle("extremes");
  // A file of a gigabyte without content.
  const writable = await (await root.getFileHandle("huge", { create: true })).createWritable();
  await writable.truncate(2 ** 30);
  await writable.close();
  const found = {
    huge: [(await workspace.stat("huge")).size, await outcome(workspace.read("huge"))],
    listed: (await workspace.list("")).map(({ path }) => path).sort(),
  };
  await workspace.remove("huge");
  // A directory that claims to have more files than anyone wants to read.
  const { values } = FileSystemDirectoryHandle.prototype;
  let read = 0;
  FileSystemDirectoryHandle.prototype.values = async function* () {
    for (;;) yield { kind: "file", name: `${read++}` };
  };
  found.endless = [await outcome(workspace.list("")), read];
  FileSystemDirectoryHandle.prototype.values = values;
  // Names that only differ in case, and a directory into itself in another spelling.
  await workspace.move("small", "SMALL");
  found.renamed = [new TextDecoder().decode(await workspace.read("SMALL")), (await workspace.list("")).map(({ path }) => path)];
  await workspace.write("dir/x", "1");
  found.intoItself = await outcome(workspace.move("dir", "Dir/sub"));
  await workspace.remove("dir");
  return found;
}

/** The changes that another handle on the same directory makes. */
async function observed() {
  if (!("FileSystemObserver" in globalThis)) return null;
  const { opfsWorkspace } = await import("/threadkeep/index.js");
  const [one, other] = [opfsWorkspace("observed"), opfsWorkspace("observed")];
  await one.write("before", "1");
  let end;
  const change = new Promise((resolve) => (end = one.watch(({ path, type }) => path === "dir/new" && resolve([path, type]))));
  // The observer begins some time after watch(): the change is repeated until it is seen.
  let isSeen = false;
  change.then(() => (isSeen = true));
  while (!isSeen) {
    await other.write("dir/new", String(Math.random()));
    await new Promise((resolve) => setTimeout(resolve));
  }
  end();
  await one.close();
  return change;
}

/** What a page gets where a part of the platform is missing. */
async function missing() {
  const { folderWorkspace, opfsWorkspace } = await import("/threadkeep/index.js");
  const outcome = async (promise) =>
    promise.then(
      (value) => value ?? "ok",
      ({ code, message }) => `${code}: ${message}`,
    );
  const found = [
    await outcome(opfsWorkspace("a/b").list("")),
    await outcome(opfsWorkspace("..").list("")),
    await outcome(folderWorkspace("").permission()),
  ];
  const { getDirectory } = StorageManager.prototype;
  StorageManager.prototype.getDirectory = async () => {
    throw new DOMException("not in private windows", "SecurityError");
  };
  found.push(await outcome(opfsWorkspace().list("")));
  delete StorageManager.prototype.getDirectory;
  found.push(await outcome(opfsWorkspace().list("")));
  StorageManager.prototype.getDirectory = getDirectory;
  const { createWritable } = FileSystemFileHandle.prototype;
  delete FileSystemFileHandle.prototype.createWritable;
  found.push(await outcome(opfsWorkspace().write("a", "1")));
  FileSystemFileHandle.prototype.createWritable = createWritable;
  return found;
}

for (const kind of availableBrowsers) {
  test(`${kind}: workspaces are kept in the private file system and in picked folders`, async (context) => {
    const browser = await tabs(kind);
    const blank = () => browser.page(`${server.origin}/pages/blank.html`);
    try {
      await blank();
      for (const where of ["opfs", "folder"]) {
        for (const name of Object.keys(common))
          await context.test(`${where}: ${name}`, async () => assert.equal(await browser.evaluate(check, where, name), ""));
      }
      await context.test("random calls have the same results as in memory", async () => {
        for (const seed of [1, 2]) assert.equal(await browser.evaluate(random, seed), "");
      });
      await context.test("a folder is used as long as the user allows it, and is remembered", async () => {
        const required = /^permission_required: /;
        const [none, requested, listed, noPicker, ...rest] = await browser.evaluate(folders, "first");
        const [noHandle, nothing, copied, unreadable, granted, handle, aborted] = rest;
        assert.deepEqual([none, requested, granted, handle], ["none", "none", "granted", "directory"]);
        assert.match(listed, /^permission_required: no folder has been picked yet: call pick\(\)/);
        assert.match(noPicker, /^store_unavailable: this browser cannot open a folder/);
        for (const refused of [noHandle, nothing]) assert.match(refused, /^invalid_options: pick\(\) takes/);
        for (const refused of [copied, unreadable]) assert.match(refused, /^invalid_options: /);
        assert.match(aborted, /^aborted: /);
        await blank();
        const found = await browser.evaluate(folders, "reloaded");
        assert.equal(found[0], "prompt");
        for (const code of found.slice(1, 8)) assert.equal(code, "permission_required");
        assert.match(
          found[8],
          /^permission_required: the page may not use the folder "user's folder readwrite" until the user allows it again: call requestPermission\(\)/,
        );
        assert.equal(found[9], "denied");
        assert.match(found[10], required);
        assert.deepEqual(found.slice(11), ["granted", "text", "none"]);
      });
      await context.test("a file of a gigabyte and an endless directory are errors; names in another case are no loss", async () => {
        const { huge, listed, endless, renamed, intoItself } = await browser.evaluate(extremes);
        assert.equal(huge[0], 2 ** 30);
        assert.match(huge[1], /^too_large: the file "huge" has 1073741824 bytes, more than the 33554432/);
        assert.deepEqual(listed, ["huge", "small"]);
        assert.match(endless[0], /^too_large: .*100000 files/);
        assert.equal(endless[1], 100_001);
        assert.deepEqual(renamed, ["1", ["SMALL"]]);
        assert.match(intoItself, /^invalid_options: "dir" cannot be moved into itself/);
      });
      await context.test("changes by others are reported where the browser observes files", async (test) => {
        const change = await browser.evaluate(observed);
        if (change === null) return test.skip("this browser does not observe files");
        assert.deepEqual(change, ["dir/new", "written"]);
      });
      await context.test("where the platform has no such files, the error says so", async () => {
        const [slash, dots, empty, secure, none, write] = await browser.evaluate(missing);
        for (const refused of [slash, dots, empty]) assert.match(refused, /^invalid_options: /);
        assert.match(secure, /^store_unavailable: .*not in private windows/);
        assert.match(none, /^store_unavailable: .*secure context/);
        assert.match(write, /^store_unavailable: this browser does not write files/);
      });
    } finally {
      await browser.close();
    }
  });
}
