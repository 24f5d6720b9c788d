// The codes of errors: the same in TypeScript, in Rust and in docs/errors.md, with the same word on whether to try again.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { ThreadkeepError } from "../../dist/index.js";

const text = (file) => readFileSync(path.join(root, file), "utf8");
const rows = [...text("docs/errors.md").matchAll(/^\| `(\w+)` \|.*\| (yes|no) \|$/gm)].map(([, code, word]) => [code, word === "yes"]);

test("every code is in docs/errors.md, and is as retryable as it says", () => {
  const [, union] = /export type ErrorCode =([^;]+);/.exec(text("js/errors.ts"));
  assert.deepEqual([...union.matchAll(/"(\w+)"/g)].map(([, code]) => code).sort(), rows.map(([code]) => code).sort());
  for (const [code, retryable] of rows) assert.equal(new ThreadkeepError(code, "x").retryable, retryable, code);
});

test("what the wasm says is in it, too", () => {
  const said = [...text("src/error.rs").matchAll(/^ {4}\w+ = "(\w+)", retryable (true|false);$/gm)].map(([, code, word]) => [code, word === "true"]);
  assert.ok(said.length > 20);
  const known = new Map(rows);
  for (const [code, retryable] of said) assert.equal(known.get(code), retryable, code);
});
