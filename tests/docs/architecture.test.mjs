// The sentences of ARCHITECTURE.md that the code can contradict: the drawing, the files that it names, the lengths of the paths.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

const read = (file) => readFileSync(path.join(root, file), "utf8");
const text = read("ARCHITECTURE.md");
const [, drawing] = /```\n(js\/\n[^]*?)```/.exec(text);
const [js, rust] = drawing.split(/^─+$/m);

test("the drawing has every area of js/, in the order of the table that is checked", () => {
  const [, table] = /const areas = \{\n([^]*?)\n\};/.exec(read("tests/tooling/areas.test.mjs"));
  const areas = [...table.matchAll(/^ {2}"?([\w/-]+)"?: \[/gm)].map(([, area]) => area);
  const drawn = js.split("\n").flatMap((line) => {
    if (!line.startsWith(" │")) return /^ {2}([\w-]+) /.exec(line)?.slice(1) ?? [];
    return line.includes("  messages") ? ["ui/thread"] : [...line.matchAll(/ui\/[\w-]+|testing/g)].map(([name]) => name);
  });
  assert.deepEqual(drawn.toSorted(), areas.toSorted());
  const inLines = drawn.filter((area) => !area.startsWith("ui/") && area !== "testing");
  assert.deepEqual(
    inLines,
    areas.filter((area) => inLines.includes(area)),
  );
});

test("the drawing has every folder of src/, each above those that it uses", () => {
  const modules = new Map(
    [...read("tests/architecture.rs").matchAll(/\(\s*"(\w+)",\s*&\[([^\]]*)\]/g)].map(([, name, used]) => [
      name,
      [...used.matchAll(/\w+/g)].map(([each]) => each),
    ]),
  );
  const drawn = rust.split("\n").flatMap((line) => /^ {2}(\w+) /.exec(line)?.slice(1) ?? []);
  const folders = readdirSync(path.join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(drawn.toSorted(), folders.map(({ name }) => name).toSorted());
  for (const [at, name] of drawn.entries()) {
    for (const used of modules.get(name)) {
      assert.ok(!drawn.includes(used) || drawn.indexOf(used) > at, `${name} uses ${used}, which is drawn above it`);
    }
  }
});

test("every file that is named exists", () => {
  const names = [...text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.(?:rs|ts|tsx|mjs))`/g)].map(([, name]) => name);
  const files = ["src", "js", "tests"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => `/${folder}/${file}`),
  );
  const exists = (name) => existsSync(path.join(root, name)) || files.some((file) => file.endsWith(`/${name.replace(/\/$/, "")}`));
  const folders = ["generated/", "machine/", "x/", "x.ts"];
  assert.deepEqual(
    names.filter((name) => !folders.includes(name) && !exists(name)),
    [],
  );
});

test("each path through the code has as many steps as it says", () => {
  const [, paths] = /## Five paths through the code\n([^]*?)\n## /.exec(text);
  const found = [...paths.matchAll(/\((\d+)\)[^\n]*:\n((?:\d+\. .*\n)+)/g)];
  assert.equal(found.length, 5);
  for (const [, said, steps] of found) assert.equal(steps.trim().split("\n").length, Number(said), steps);
});
