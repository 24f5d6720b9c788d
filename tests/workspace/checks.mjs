// Checks that several tests of workspaces make, in Node and in pages; so there is no module of Node here.

const assert = {
  ok(value, message) {
    if (!value) throw new Error(message ?? "not ok");
  },
  equal(found, expected, message = "") {
    if (!Object.is(found, expected)) throw new Error(`${message}: ${String(found)}, not ${String(expected)}`);
  },
  deepEqual(found, expected) {
    assert.equal(JSON.stringify(found), JSON.stringify(expected));
  },
  match(text, words) {
    assert.ok(words.test(text), `${text} does not match ${words}`);
  },
  async rejects(promise, check, message) {
    const [error] = await promise.then(
      () => [],
      (error) => [error],
    );
    assert.ok(error, `${message ?? "the call"} should have failed`);
    assert.ok(check(error), `${message ?? "the call"}: ${error.code}: ${error.message}`);
  },
};

/** Checks the code and the message of an error. */
export const refused = (code, words) => (error) => (assert.equal(error.code, code, error.stack), assert.match(error.message, words), true);

export const text = (content) => new TextDecoder().decode(content);

/** Path and size of all files, and the paths of all directories with a slash, sorted. */
export async function tree(workspace, path = "") {
  const found = [];
  for (const { path: child, type, size } of await workspace.list(path)) {
    if (type === "file") found.push(`${child} ${size}`);
    else found.push(`${child}/`, ...(await tree(workspace, child)));
  }
  return found.sort();
}

/** The behaviour that all workspaces have in common. `open` makes an empty one, which need not be at `/workspace`. */
export const common = {
  async "files are written, read, listed, moved and removed"(open) {
    const workspace = await open();
    assert.deepEqual(await workspace.list(""), []);
    await workspace.write("notes/plan.md", "eins");
    await workspace.write(`${workspace.workingDir}/notes/./deep/../deep/a.bin`, Uint8Array.of(0, 255));
    assert.equal(text(await workspace.read("notes//plan.md")), "eins");
    assert.deepEqual([...(await workspace.read("notes/deep/a.bin"))], [0, 255]);
    assert.deepEqual(await tree(workspace), ["notes/", "notes/deep/", "notes/deep/a.bin 2", "notes/plan.md 4"]);
    const before = await workspace.stat("notes/plan.md");
    assert.deepEqual([before.path, before.type, before.size], ["notes/plan.md", "file", 4]);
    assert.ok(before.modifiedAt > Date.now() - 600_000);
    const { path, type, size } = await workspace.stat("notes");
    assert.deepEqual([path, type, size], ["notes", "directory", 0]);
    assert.equal((await workspace.stat("")).type, "directory");
    await workspace.move("notes/plan.md", "plan.md");
    await workspace.write("plan.md", "zwei!");
    assert.deepEqual(await tree(workspace), ["notes/", "notes/deep/", "notes/deep/a.bin 2", "plan.md 5"]);
    await workspace.move("notes", "archive/2026");
    assert.deepEqual(await tree(workspace), ["archive/", "archive/2026/", "archive/2026/deep/", "archive/2026/deep/a.bin 2", "plan.md 5"]);
    await workspace.move("archive/2026/deep/a.bin", "plan.md");
    assert.deepEqual([...(await workspace.read("plan.md"))], [0, 255]);
    await workspace.remove("archive");
    assert.deepEqual(await tree(workspace), ["plan.md 2"]);
    await workspace.move("plan.md", "plan.md");
    await workspace.remove("plan.md");
    assert.deepEqual(await workspace.list(workspace.workingDir), []);
  },
  async "a directory stays when its last file is removed or moved"(open) {
    const workspace = await open();
    await workspace.makeDirectory("a/b");
    await workspace.makeDirectory("a/b");
    await workspace.makeDirectory("");
    assert.deepEqual(await tree(workspace), ["a/", "a/b/"]);
    await workspace.write("a/b/x", "1");
    await workspace.remove("a/b/x");
    assert.deepEqual(await tree(workspace), ["a/", "a/b/"]);
    await workspace.write("a/b/x", "1");
    await workspace.move("a/b/x", "y");
    await workspace.move("a/b", "a/c");
    assert.deepEqual(await tree(workspace), ["a/", "a/c/", "y 1"]);
    await workspace.remove("a/c");
    assert.deepEqual(await tree(workspace), ["a/", "y 1"]);
  },
  async "what does not exist, or is of the other type, is an error with a code"(open) {
    const workspace = await open();
    await workspace.write("dir/file", "1");
    assert.equal(await workspace.stat("no/such"), undefined);
    assert.equal(await workspace.stat("dir/file/below"), undefined);
    for (const call of [
      () => workspace.read("no"),
      () => workspace.list("no"),
      () => workspace.remove("no"),
      () => workspace.move("no", "x"),
      () => workspace.move("no", "no"),
    ]) {
      await assert.rejects(call(), refused("not_found", /no file or directory "no"/));
    }
    for (const call of [() => workspace.read("dir"), () => workspace.write("dir", "x"), () => workspace.move("dir/file", "dir")]) {
      await assert.rejects(call(), refused("invalid_options", /"dir".* is a directory/));
    }
    for (const call of [
      () => workspace.list("dir/file"),
      () => workspace.write("dir/file/below", "x"),
      () => workspace.makeDirectory("dir/file"),
      () => workspace.makeDirectory("dir/file/below"),
    ]) {
      await assert.rejects(call(), refused("invalid_options", /"dir\/file" is a file/));
    }
    await workspace.write("other/x", "1");
    await assert.rejects(workspace.move("dir", "other"), refused("invalid_options", /"other" exists already/));
    await assert.rejects(workspace.move("dir", "dir/below/itself"), refused("invalid_options", /into itself/));
    for (const call of [
      () => workspace.read(""),
      () => workspace.write(".", "x"),
      () => workspace.remove(workspace.workingDir),
      () => workspace.move("", "x"),
      () => workspace.move("dir", ""),
    ]) {
      await assert.rejects(call(), refused("invalid_options", /the workspace itself cannot be/));
    }
    assert.deepEqual(await tree(workspace), ["dir/", "dir/file 1", "other/", "other/x 1"]);
  },
  async "content is a copy, and nothing but texts and bytes is written"(open) {
    const workspace = await open();
    const bytes = Uint8Array.of(1, 2);
    const writing = workspace.write("a", bytes);
    bytes[0] = 9;
    await writing;
    (await workspace.read("a"))[1] = 9;
    assert.deepEqual([...(await workspace.read("a"))], [1, 2]);
    await workspace.write("empty", "");
    assert.equal((await workspace.read("empty")).length, 0);
    for (const content of [undefined, null, 7, {}, [1], new ArrayBuffer(1)])
      await assert.rejects(workspace.write("a", content), refused("invalid_options", /text or a Uint8Array/));
  },
  async "a path never leads out of the workspace"(open) {
    const workspace = await open();
    for (const path of [
      "..",
      "../x",
      "a/../../x",
      "/",
      "/etc/passwd",
      `${workspace.workingDir}/../etc`,
      `${workspace.workingDir}s/x`,
      workspace.workingDir.toUpperCase(),
      "//etc",
      "a\\..\\..\\x",
      "C:/x",
      "a\0b",
      "a/.directory",
      ".Directory/x",
      "\ud800",
      7,
      undefined,
    ]) {
      for (const call of [
        () => workspace.read(path),
        () => workspace.write(path, "x"),
        () => workspace.stat(path),
        () => workspace.list(path),
        () => workspace.makeDirectory(path),
        () => workspace.remove(path),
        () => workspace.move(path, "x"),
        () => workspace.move("x", path),
      ]) {
        await assert.rejects(call(), (error) => error.code === "invalid_options", `${path}`);
      }
    }
    assert.deepEqual(await tree(workspace), []);
  },
  async "a file over the limit is neither written nor read"(open) {
    const workspace = await open();
    await assert.rejects(
      workspace.write("large", new Uint8Array((32 << 20) + 1)),
      refused("too_large", /33554433 bytes, more than the 33554432/),
    );
    assert.deepEqual(await tree(workspace), []);
  },
  async "listeners get each change, until they end"(open) {
    const workspace = await open();
    const [changes, others] = [[], []];
    const end = workspace.watch((change) => changes.push(change));
    workspace.watch(({ path }) => others.push(path));
    await workspace.write("a/b", "1");
    await workspace.move("a/b", "c");
    await workspace.remove("c");
    const seen = (wanted) => changes.some(({ path, type }) => `${type} ${path}` === wanted);
    for (const wanted of ["written a/b", "removed a/b", "written c", "removed c"])
      assert.ok(seen(wanted), `${wanted}: ${JSON.stringify(changes)}`);
    end();
    const { length } = changes;
    await workspace.write("d", "1");
    assert.equal(changes.length, length);
    assert.equal(others.at(-1), "d");
  },
};

/**
 * Makes the same random calls on two workspaces, one after the other, and compares the results: content, the code of an error, and
 * the tree after every few calls. `random` comes from `randomFrom()`.
 */
export async function compare(one, other, random, count) {
  const names = ["a", "b", "c.txt", "./a", "b/.."];
  const path = () => Array.from({ length: random.between(1, 3) }, () => random.of(names)).join("/");
  const calls = [
    () => ["write", path(), "x".repeat(random.between(0, 9))],
    () => ["read", path()],
    () => ["makeDirectory", path()],
    () => ["remove", path()],
    () => ["move", path(), path()],
    () => ["move", path(), path()],
    () => ["list", path()],
  ];
  const outcome = async (workspace, name, ...args) => {
    try {
      const result = await workspace[name](...args);
      if (name === "list") return result.map(({ path, type, size }) => `${path} ${type} ${size}`).sort();
      return name === "read" ? text(result) : "done";
    } catch (error) {
      return error.code ?? String(error);
    }
  };
  const outcomes = {};
  for (let i = 0; i < count; i++) {
    const call = random.of(calls)();
    const [found, expected] = [await outcome(one, ...call), await outcome(other, ...call)];
    assert.ok(JSON.stringify(found) === JSON.stringify(expected), `${i}: ${JSON.stringify(call)}: ${JSON.stringify([found, expected])}`);
    outcomes[`${call[0]} ${Array.isArray(found) ? "list" : found.startsWith("x") || found === "" ? "text" : found}`] = true;
    if (i % 10 === 0) assert.deepEqual(await tree(one), await tree(other));
  }
  return Object.keys(outcomes).length;
}
