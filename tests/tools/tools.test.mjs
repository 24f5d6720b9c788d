// The tools on files, where they differ from the SDK's, or where the SDK has no counterpart. tests/interop/tools.test.mjs
// compares the rest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TestWorkspace, definitions, testFiles } from "./place.mjs";

const tools = definitions({ workingDir: "/workspace", isTransactional: true });

/** A workspace with these files, and a function that calls a tool on it. */
function place(
  files = {},
  { workspace = new TestWorkspace("/workspace", files), more = testFiles(), signal = new AbortController().signal } = {},
) {
  const call = (name, args) => tools[name].execute(args, { workspace, files: more, signal });
  return { workspace, more, call, edit: (command, path, args) => call("file_editor", { command, path: `/workspace/${path}`, ...args }) };
}

const text = (workspace, path) => Buffer.from(workspace.contents.get(path)).toString();
const succeeded = (output) => (assert.ok(!output.isError, output.content), output);
const failed = (output, words) => (assert.ok(output.isError, output.content), assert.match(output.content, words), output);

test("edits can be undone by the next page", async () => {
  const first = place({ "a.txt": "1" });
  for (let edit = 1; edit <= 12; edit += 1)
    succeeded(await first.edit("str_replace", "a.txt", { old_str: `${edit}`, new_str: `${edit + 1}` }));
  // The index and the newest ten entries.
  assert.equal(first.more.contents.size, 11);
  const next = place({}, { workspace: first.workspace, more: testFiles(new Map(first.more.contents)) });
  for (let edit = 12; edit > 2; edit -= 1) {
    succeeded(await next.edit("undo_edit", "a.txt"));
    assert.equal(text(next.workspace, "a.txt"), `${edit}`);
  }
  failed(await next.edit("undo_edit", "a.txt"), /^No edit of \/workspace\/a\.txt is left to be undone\.$/);
  assert.deepEqual([...next.more.contents.keys()], ["file_editor/history.json"]);
});

test("a damaged history begins again", async () => {
  for (const damaged of [
    "",
    "[]",
    "null",
    '{"next":-1,"files":[]}',
    '{"next":1,"files":{"a.txt":["x"]}}',
    '{"next":3,"files":{"a.txt":[2]}}',
  ]) {
    const { edit } = place({ "a.txt": "1" }, { more: testFiles(new Map([["file_editor/history.json", Buffer.from(damaged)]])) });
    failed(await edit("undo_edit", "a.txt"), /^No edit of /);
    succeeded(await edit("str_replace", "a.txt", { old_str: "1", new_str: "2" }));
    succeeded(await edit("undo_edit", "a.txt"));
  }
});

test("the encoding of a file stays", async () => {
  const latin = Buffer.from("caf\xe9 \x80 5\n", "latin1");
  const utf16 = (content) => Buffer.from(`\ufeff${content}`, "utf16le");
  const { edit, workspace } = place({ "latin.txt": latin, "le.txt": utf16("né 😀\r\n"), "be.txt": utf16("né 😀").swap16() });
  assert.match(succeeded(await edit("view", "latin.txt")).content, /\tcafé € 5\n/);
  succeeded(await edit("str_replace", "latin.txt", { old_str: "5", new_str: "“ü”" }));
  assert.deepEqual(Buffer.from(workspace.contents.get("latin.txt")), Buffer.from("caf\xe9 \x80 \x93\xfc\x94\n", "latin1"));
  for (const name of ["le.txt", "be.txt"]) succeeded(await edit("insert", name, { insert_line: 1, new_str: "ß" }));
  assert.deepEqual(Buffer.from(workspace.contents.get("le.txt")), utf16("né 😀\nß\n"));
  assert.deepEqual(Buffer.from(workspace.contents.get("be.txt")), utf16("né 😀ß\n").swap16());
  // A character that the encoding does not have: the file becomes UTF-8.
  succeeded(await edit("str_replace", "latin.txt", { old_str: "café", new_str: "茶" }));
  assert.equal(text(workspace, "latin.txt"), "茶 € “ü”\n");
});

test("binary files are refused", async () => {
  const { edit } = place({
    "a.txt": Buffer.from([0xff, 0, 1, 2]),
    "b.wasm": "text",
    "c.txt": Buffer.from([0xff, 0xfe, 0xd8]),
    "d.png": Buffer.from([0x89, 0x50, 0, 0xff]),
    "big.png": Buffer.alloc(10 * 1024 * 1024 + 1),
  });
  for (const name of ["a.txt", "b.wasm", "c.txt"]) failed(await edit("view", name), /is neither text nor an image/);
  failed(await edit("insert", "d.png", { insert_line: 0, new_str: "x" }), /is neither text nor an image/);
  failed(await edit("view", "big.png"), /It has 10\.0MB, more than the 10MB that can be opened\.$/);
});

test("paths lead nowhere outside of the workspace", async () => {
  const { call, workspace } = place({ "a.txt": "a" });
  for (const path of ["/etc/passwd", "/workspace/../etc/passwd", "/workspace2/a.txt", "/", "/workspace/a.txt/../../x"]) {
    failed(await call("file_editor", { command: "view", path }), /does not exist/);
    failed(await call("file_editor", { command: "create", path, file_text: "x" }), /It is outside of the workspace \/workspace\./);
    failed(await call("grep", { pattern: "a", path }), /^There is no directory /);
    failed(await call("glob", { pattern: "*", path }), /^There is no directory /);
    failed(await call("list_directory", { dir_path: path }), /^There is no directory /);
    failed(
      await call("apply_patch", { patch: `*** Begin Patch\n*** Add File: ok.txt\n+x\n*** Add File: ${path}\n+x\n*** End Patch` }),
      / is outside of \/workspace: give a path relative to it/,
    );
  }
  failed(await call("list_directory", { dir_path: "../.." }), /^There is no directory /);
  assert.match((await call("glob", { pattern: "../*" })).content, /^Files below .*: none$/);
  assert.match((await call("glob", { pattern: "**/../../*" })).content, /^Files below .*: none$/);
  assert.deepEqual([...workspace.contents.keys()], ["a.txt"]);
});

test("a patch with a path outside changes nothing, and moving a file to its own place keeps it", async () => {
  const { call, workspace } = place({ "a.txt": "1\n" });
  failed(
    await call("apply_patch", { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+2\n*** Add File: ../b\n+x\n*** End Patch" }),
    /^\.\.\/b is outside of \/workspace/,
  );
  assert.equal(text(workspace, "a.txt"), "1\n");
  succeeded(
    await call("apply_patch", { patch: "*** Begin Patch\n*** Update File: a.txt\n*** Move to: ./a.txt\n@@\n-1\n+2\n*** End Patch" }),
  );
  assert.equal(text(workspace, "a.txt"), "2\n");
});

test("braces name alternatives", async () => {
  const { call } = place({ "a.ts": "x", "b.tsx": "x", "c.js": "x", "d/e.ts": "x", "{f}.ts": "x" });
  const files = async (name, args) =>
    (await call(name, args)).fields[name === "glob" ? "files" : "matches"].map((path) => path.slice("/workspace/".length));
  assert.deepEqual(await files("glob", { pattern: "*.{ts,tsx}" }), ["a.ts", "b.tsx", "d/e.ts", "{f}.ts"]);
  assert.deepEqual(await files("glob", { pattern: "{a,d/*}.{ts,j{s,sx}}" }), ["a.ts", "d/e.ts"]);
  assert.deepEqual(await files("glob", { pattern: "/workspace/{d,e}/*.ts" }), ["d/e.ts"]);
  assert.deepEqual(await files("glob", { pattern: "{f}.ts" }), ["{f}.ts"]);
  assert.deepEqual(await files("grep", { pattern: "X", include: "*.{js,tsx}" }), ["b.tsx", "c.js"]);
  failed(await call("glob", { pattern: "{a,b}".repeat(20) }), /more than 1000 alternatives/);
});

test("grep matches at the ends of lines", async () => {
  const { call } = place({ "a.py": "import os\ndef f():\n", "b.py": "x def f\n" });
  for (const pattern of ["^def", "(?s)^def", "os$", "(?x) ^ def"]) {
    assert.deepEqual((await call("grep", { pattern })).fields.matches, ["/workspace/a.py"], pattern);
  }
});

test("grep finds what Python finds, whichever way it searches", async () => {
  const { call } = place({ "a.txt": "import os\nlog: an ERROR (1)\nfoo.bar\n\u0130stanbul\ttab\nxx-yy" });
  for (const pattern of [
    "log.*error",
    "(?:log|nothing).*error",
    "x+-y+",
    "err?or",
    "\\(\\d+\\)",
    "foo\\.b+ar",
    "nothing|o{2}",
    "(nothing)?imports?",
    "[l]og.*R \\(",
    "istan(?:b+)ul",
    "\\ttab+",
    "(?i:LOG): +",
    "an\\s+error(?= )",
    "a{0}import.*",
    "\\x69mport +os",
    "foos*",
  ]) {
    assert.equal((await call("grep", { pattern })).fields.matches.length, 1, pattern);
  }
  for (const pattern of ["log.*nothing", "x+_y+", "errr+or", "nothing.*|also nothing+", "imports+ ", "^os.*"]) {
    assert.equal((await call("grep", { pattern })).fields.matches.length, 0, pattern);
  }
});

test("no pattern stops the page", async () => {
  const { call } = place({ "a.txt": `${"a".repeat(200_000)}b`, "deep/b.txt": "x" });
  for (const pattern of ["(a+)+$", "(a|a)*c", "(?:a?){30}a{30}c", "a*a*a*a*a*a*c", "(.*)(.*)(.*)[^ab]"]) {
    const begun = performance.now();
    const { content } = await call("grep", { pattern, include: "a.txt" });
    assert.match(content, /^(Files below .*: none$|The search was stopped because)/s, pattern);
    // Not a limit that decides: a search without bounds would take years.
    assert.ok(performance.now() - begun < 120_000);
  }
  failed(await call("grep", { pattern: "(?:(?:a{1,500}){1,500}){1,500}" }), /The search was stopped/);
  failed(await call("grep", { pattern: "(a)\\1" }), /The search was stopped because it refers to a group/);
  failed(await call("grep", { pattern: "a*+b" }), /^The pattern is no regular expression of Python: .*possessive/);
  assert.equal((await call("glob", { pattern: `${"**/".repeat(200)}b.txt` })).fields.files.length, 1);
  assert.equal((await call("glob", { pattern: `${"*a".repeat(5000)}` })).fields.files.length, 0);
});

test("a search ends with its signal", async () => {
  const stopped = new AbortController();
  stopped.abort(new Error("stopped"));
  const { call } = place({ "a.txt": "a" }, { signal: stopped.signal });
  await assert.rejects(call("grep", { pattern: "a" }), /stopped/);
  await assert.rejects(call("glob", { pattern: "a" }), /stopped/);
});

test("a damaged list of tasks is empty", async () => {
  for (const damaged of [
    "",
    "{}",
    "[1]",
    '[{"title":1}]',
    '[{"title":"a","status":"later"}]',
    '[{"title":"a","status":"toString"}]',
    '[{"title":"a","notes":null}]',
  ]) {
    const { call } = place({}, { more: testFiles(new Map([["TASKS.json", Buffer.from(damaged)]])) });
    assert.deepEqual((await call("task_tracker", {})).fields.task_list, [], damaged);
  }
  const { call } = place({}, { more: testFiles(new Map([["TASKS.json", Buffer.from('[{"title":"a","more":1}]')]])) });
  assert.deepEqual((await call("task_tracker", {})).fields.task_list, [{ title: "a", notes: "", status: "todo" }]);
});

test("only changes that are stored with the result need no approval", () => {
  const elsewhere = definitions({ workingDir: "/workspace", isTransactional: false });
  for (const name of ["file_editor", "apply_patch"]) {
    assert.deepEqual([tools[name].replay, tools[name].needsApproval({})], ["safe", false]);
    assert.deepEqual([elsewhere[name].replay, elsewhere[name].needsApproval], ["ask", undefined]);
  }
});

test("errors of a workspace are results", async () => {
  class Full extends TestWorkspace {
    async write() {
      throw new Error("there is no space left");
    }
    async list() {
      throw new Error("the permission was withdrawn");
    }
  }
  const { call, edit } = place({}, { workspace: new Full("/workspace", { "a.txt": "a" }) });
  failed(await edit("create", "b.txt", { file_text: "x" }), /^\/workspace\/b\.txt could not be written: there is no space left$/);
  failed(await edit("view", ""), /withdrawn/);
  failed(await call("apply_patch", { patch: "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch" }), /no space/);
  failed(await call("grep", { pattern: "a" }), /withdrawn/);
  failed(await call("glob", { pattern: "a" }), /withdrawn/);
  failed(await call("list_directory", {}), /^The directory could not be listed: the permission was withdrawn$/);
});
