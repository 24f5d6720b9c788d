// How `npm run one` finds the runner of a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runnerOf } from "../../scripts/one.mjs";

test("a JavaScript file of tests is run by Node on a fresh build", () => {
  const { needsBuild, command } = runnerOf("./tests/tools/tools.test.mjs", ["--test-name-pattern=undo"]);
  assert.equal(needsBuild, true);
  assert.deepEqual(command.slice(1), ["--test", "--test-reporter=spec", "--test-name-pattern=undo", "tests/tools/tools.test.mjs"]);
});

test("a Rust file is run by cargo, which needs no wasm, with the other modules of its crate left out", () => {
  const filters = (file) => runnerOf(file).command.slice(1);
  assert.deepEqual(filters("tests/conversation/tree.rs"), ["test", "--locked", "--test", "conversation", "--", "tree::"]);
  assert.deepEqual(filters("tests/conversation/commands/ledger.rs"), [
    "test",
    "--locked",
    "--test",
    "conversation",
    "--",
    "commands::ledger::",
  ]);
  assert.deepEqual(filters("tests/conversation/commands/mod.rs"), ["test", "--locked", "--test", "conversation", "--", "commands::"]);
  assert.deepEqual(filters("tests/conversation/main.rs"), ["test", "--locked", "--test", "conversation", "--"]);
  assert.deepEqual(filters("tests/skills.rs"), ["test", "--locked", "--test", "skills", "--"]);
  assert.equal(runnerOf("tests/skills.rs").needsBuild, false);
});

test("what is no file of tests has no runner", () => {
  for (const file of ["tests/support/model.mjs", "src/lib.rs", "README.md", "tests"]) assert.equal(runnerOf(file), undefined, file);
});
