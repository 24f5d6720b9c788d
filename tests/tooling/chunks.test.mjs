// The chunks of the wasm are listed in scripts/wasms.mjs. A bundler needs their URLs spelled out in js/chunks.ts, and the
// compiler their contents in src/bindings/chunks.rs: all three name the same chunks.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { chunks } from "../../scripts/wasms.mjs";

const text = (file) => readFileSync(path.join(root, file), "utf8");

test("the loader has the file, the copy and the companions of every chunk", () => {
  const [, table] = /const chunks: Record<string, Chunk> = {\n([^]*?)\n};/.exec(text("js/chunks.ts"));
  const expected = Object.entries(chunks).map(([name, { file, copy, loadedWith }]) => {
    const others = loadedWith ? `, loadedWith: [${loadedWith.map((other) => `"${other}"`).join(", ")}]` : "";
    return `  ${name}: { file: () => new URL("./${file}", import.meta.url), copy: () => import("./${copy}")${others} },`;
  });
  assert.deepEqual(table.split("\n").sort(), expected.sort());
});

test("the core has the content of every chunk", () => {
  const [, table] = /^chunks! {\n([^]*?)\n}/m.exec(text("src/bindings/chunks.rs"));
  const names = [...table.matchAll(/^ {4}(\w+): dyn /gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(chunks).sort());
});

test("TypeScript has a declaration for every copy", () => {
  for (const { copy } of Object.values(chunks)) assert.ok(existsSync(path.join(root, "js", copy.replace(/\.js$/, ".d.ts"))), copy);
});
