// The rules for paths, and the wrapper that applies them to a workspace of the host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../support/bundled.mjs";
import { randomFrom } from "../support/random.mjs";
import { refused, text } from "./checks.mjs";

const { checkedWorkingDir, isRelativePath, relativePath } = await fromSource("workspace/path.ts");
const { confined } = await fromSource("workspace/confined.ts");

test("every spelling of a path has one shortest form", () => {
  const spellings = {
    "": [
      "",
      ".",
      "./",
      "/workspace",
      "/workspace/",
      "//workspace//",
      "/workspace/.",
      "/workspace/a/..",
      "a/..",
      "../workspace",
      "/../workspace",
    ],
    "a/b": [
      "a/b",
      "./a/b",
      "a//b",
      "a/./b",
      "a/b/",
      "a/c/../b",
      "/workspace/a/b",
      "/workspace//a/b",
      "/workspace/../workspace/a/b",
      "/x/../workspace/a/b",
      "../workspace/a/b",
    ],
    "...": ["...", "/workspace/..."],
    "a/..b": ["a/..b"],
    " a ": [" a ", "/workspace/ a "],
    "%2e%2e/x": ["%2e%2e/x"],
    "~/x": ["~/x"],
    "ü/日本/😀": ["ü/日本/😀"],
    "workspace/x": ["workspace/x", "/workspace/workspace/x"],
  };
  for (const [shortest, paths] of Object.entries(spellings))
    for (const path of paths) assert.equal(relativePath(path, "/workspace"), shortest, path);
  assert.equal(relativePath("/a/b", "/"), "a/b");
  assert.equal(relativePath("../../a", "/"), "a");
  assert.equal(relativePath("/home/me/../me/x", "/home/me"), "x");
});

test("a path that leads out, or has a name that not every file system accepts, is refused", () => {
  const cases = [
    [
      /is outside of the workspace \/workspace/,
      "..",
      "../x",
      "../../..",
      "a/../../x",
      "/",
      "//",
      "/etc/passwd",
      "/workspace/../etc",
      "/workspace/..",
      "/workspaces",
      "/workspace2/x",
      "/WORKSPACE/x",
      "/Workspace",
      "//server/share",
      "/proc/self/cwd/workspace/x",
    ],
    [/backslash or a colon/, "a\\b", "..\\x", "\\\\server\\share", "C:\\x", "C:/x", "a:b", "file:stream:$DATA"],
    [/control character/, "a\0b", "\0", "a\nb", "a\tb", "\x7f", "\u0085", "\u009f"],
    [/surrogate/, "\ud800", "a\udc00b", "\udc00\ud800"],
    [/the name \.directory/, ".directory", "a/.directory", ".DIRECTORY", "a/.Directory/b"],
    [/longer than 1000 bytes/, "a/".repeat(501) + "b", "x".repeat(100_000_000), "ü/".repeat(334)],
    [/longer than 255 bytes/, "x".repeat(256), "ü".repeat(128), "😀".repeat(64)],
    [/must be a text/, undefined, null, 7, {}, ["a"]],
  ];
  for (const [words, ...paths] of cases) {
    for (const path of paths)
      assert.throws(() => relativePath(path, "/workspace"), refused("invalid_options", words), JSON.stringify(path)?.slice(0, 40));
  }
  assert.equal(relativePath("x".repeat(255), "/workspace").length, 255);
  assert.equal(relativePath("ab/".repeat(333) + "x", "/workspace").length, 1000);
});

test("random paths are refused or become relative, and the shortest form stays as it is", () => {
  const random = randomFrom(20261122);
  const pieces = [
    "..",
    ".",
    "",
    "a",
    "b.txt",
    "workspace",
    "/",
    "//",
    "\\",
    "\0",
    ":",
    " ",
    "...",
    ".directory",
    "ü",
    "\ud800",
    "/workspace",
  ];
  for (let i = 0; i < 50_000; i++) {
    const path = Array.from({ length: random.between(0, 7) }, () => random.of(pieces)).join(random.of(["/", "/", ""]));
    let relative;
    try {
      relative = relativePath(path, "/workspace");
    } catch (error) {
      assert.equal(error.code, "invalid_options", path);
      continue;
    }
    assert.ok(relative === "" || isRelativePath(relative), JSON.stringify([path, relative]));
    assert.equal(relativePath(relative, "/workspace"), relative);
    assert.equal(relativePath(`/workspace/${relative}`, "/workspace"), relative);
    assert.ok(`/workspace/${relative}/`.startsWith("/workspace/") && !`/${relative}/`.includes("/../"), path);
  }
});

test("the path of a workspace is absolute", () => {
  for (const [given, shortest] of [
    ["/workspace", "/workspace"],
    ["/a//b/", "/a/b"],
    ["/a/../b", "/b"],
    ["/", "/"],
  ])
    assert.equal(checkedWorkingDir(given), shortest);
  for (const given of ["", "workspace", "./x", "C:\\x", "/a\0", 7, undefined])
    assert.throws(() => checkedWorkingDir(given), refused("invalid_options", /absolute path/));
});

/** A workspace of the host, with these methods in place of ones that do nothing, and the calls that it gets. */
function hosts(methods = {}) {
  const calls = [];
  const record =
    (name) =>
    async (...args) =>
      void calls.push([name, ...args]);
  const names = ["read", "write", "stat", "list", "makeDirectory", "remove", "move"];
  const workspace = {
    workingDir: "/home/me/",
    ...Object.fromEntries(names.map((name) => [name, record(name)])),
    watch: () => () => {},
    ...methods,
  };
  return { calls, workspace };
}

test("a workspace of the host gets relative paths and bytes only", async () => {
  const { calls, workspace } = hosts();
  const files = confined(workspace);
  assert.equal(files.workingDir, "/home/me");
  await files.write("/home/me/./a//b", "text");
  await files.makeDirectory("x/..");
  await files.makeDirectory("./x/");
  await files.remove("a/../b");
  await files.move("/home/me/b", "c/./d");
  await files.stat("/home/me");
  await files.close();
  assert.deepEqual(calls, [
    ["write", "a/b", new TextEncoder().encode("text")],
    ["makeDirectory", "x"],
    ["remove", "b"],
    ["move", "b", "c/d"],
    ["stat", ""],
  ]);
  for (const path of ["../x", "/workspace/x", "/home/mean", "a\\b"]) {
    for (const name of ["read", "write", "stat", "list", "makeDirectory", "remove", "move"])
      await assert.rejects(files[name](path, "x"), refused("invalid_options", /path/));
  }
  assert.equal(calls.length, 5);
});

test("results of a host's workspace are checked", async () => {
  const entry = (path, more) => ({ path, type: "file", size: 1, modifiedAt: 0, ...more });
  const entries = [entry("a"), entry("../b"), entry("/etc/passwd"), entry("c:d"), entry(".directory"), null, entry(7)];
  const files = confined(hosts({ read: async () => "text", stat: async () => entry("b"), list: async () => entries }).workspace);
  await assert.rejects(files.read("a"), refused("store_corrupt", /not a Uint8Array/));
  await assert.rejects(files.stat("a"), refused("store_corrupt", /"b" is not of the documented form/));
  assert.deepEqual(await files.list(""), [entry("a")]);
  await assert.rejects(files.list("x"), refused("store_corrupt", /"a" is not of the documented form/));
  for (const bad of [entry("a", { type: "link" }), entry("a", { size: "1" })])
    await assert.rejects(confined(hosts({ list: async () => [bad] }).workspace).list(""), refused("store_corrupt", /"a" is not/));
  await assert.rejects(
    confined(hosts({ list: async () => Array(100_001).fill(entry("a")) }).workspace).list(""),
    refused("too_large", /100000 files/),
  );
  await assert.rejects(
    confined(hosts({ read: async () => new Uint8Array((32 << 20) + 1) }).workspace).read("a"),
    refused("too_large", /33554432/),
  );
  assert.equal(await confined(hosts({ stat: async () => null }).workspace).stat("a"), undefined);
  const extended = await confined(hosts({ stat: async () => entry("a", { handle: 1 }) }).workspace).stat("a");
  assert.deepEqual(extended, entry("a"));
  const seen = [];
  confined(hosts({ watch: (listener) => void ["a", "../b", 7].forEach((path) => listener({ path, type: "written" })) }).workspace).watch(
    ({ path }) => seen.push(path),
  );
  assert.deepEqual(seen, ["a"]);
  assert.equal(text(await confined(hosts({ read: async () => new Uint8Array([97]) }).workspace).read("a")), "a");
});

test("an object that is no workspace is refused", () => {
  for (const bad of [undefined, null, "x", {}, hosts({ read: 7 }).workspace, hosts({ workingDir: "here" }).workspace])
    assert.throws(() => confined(bad), refused("invalid_options", /workspace/));
  const { workspace } = hosts();
  delete workspace.watch;
  assert.throws(() => confined(workspace), refused("invalid_options", /no method watch\(\)/));
});
