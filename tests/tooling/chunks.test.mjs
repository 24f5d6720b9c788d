// The chunks of the wasm are listed in scripts/wasms.mjs. A bundler needs their URLs spelled out in js/wasm/chunks.ts and their
// copies in js/entries/with-copies.ts, and the compiler their contents in src/bindings/chunks.rs: all name the same chunks.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { terminal } from "../../scripts/bundle.mjs";
import { chunks, wasms } from "../../scripts/wasms.mjs";

const text = (file) => readFileSync(path.join(root, file), "utf8");

test("the loader has the file and the companions of every chunk", () => {
  const [, table] = /const chunks: Record<string, Chunk> = {\n([^]*?)\n};/.exec(text("js/wasm/chunks.ts"));
  const expected = Object.entries(chunks).map(([name, { file, loadedWith }]) => {
    const others = loadedWith ? `, loadedWith: [${loadedWith.map((other) => `"${other}"`).join(", ")}]` : "";
    return `  ${name}: { file: () => new URL("./${file}", import.meta.url)${others} },`;
  });
  assert.deepEqual(table.split("\n").sort(), expected.sort());
});

test("the core has the content of every chunk", () => {
  const [, table] = /^chunks! {\n([^]*?)\n}/m.exec(text("src/bindings/chunks.rs"));
  const names = [...table.matchAll(/^ {4}(\w+): dyn /gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(chunks).sort());
});

test("threadkeep offers the copy of every file", () => {
  const [, table] = /^offerCopies\({\n([^]*?)\n}\);/m.exec(text("js/entries/with-copies.ts"));
  const expected = [...wasms, terminal].map(({ file, copy }) => `  "${file}": () => import("./${copy}"),`);
  assert.deepEqual(table.split("\n").sort(), expected.sort());
});

test("TypeScript has a declaration for every copy", () => {
  for (const { copy } of [...wasms, terminal]) assert.ok(existsSync(path.join(root, "js/entries", copy.replace(/\.js$/, ".d.ts"))), copy);
});
