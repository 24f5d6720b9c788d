// How a step's command reports that it passed, failed, could not run, or left something out.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { perform } from "../../scripts/testing/perform.mjs";
import { testSteps } from "../../scripts/testing/steps.mjs";
import { summarise } from "../../scripts/testing/summary.mjs";
import { isAlive } from "../support/browser/process-tree.mjs";
import { until } from "../support/until.mjs";

const step = (name, code, timeout = 60) => ({ name: `perform-test-${name}`, command: [process.execPath, "-e", code], timeout });

test("exit code 0 is ok, and lines that name gaps are collected", async () => {
  const result = await perform(step("ok", 'console.log("fine"); console.log("NOT CHECKED: the weather"); console.error("also kept")'));
  assert.equal(result.outcome, "ok");
  assert.deepEqual(result.gaps, ["the weather"]);
  assert.match(result.text, /fine[^]*also kept/);
});

test("another exit code is a failure, and 77 a skip with its last line as the reason", async () => {
  assert.equal((await perform(step("failed", "process.exit(3)"))).reason, "exit 3");
  const skipped = await perform(step("skipped", 'console.log("looking"); console.log("no Python"); process.exitCode = 77'));
  assert.deepEqual([skipped.outcome, skipped.reason], ["skipped", "no Python"]);
});

test("a command that does not end is ended, with what it started, also a group of its own, as browsers are", async () => {
  const child = `const { spawn } = require("node:child_process"); const c = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true }); console.log(c.pid); setInterval(() => {}, 1000)`;
  const result = await perform(step("endless", child, 5));
  assert.deepEqual([result.outcome, result.timedOut, result.reason], ["failed", true, "no end after 5 s"]);
  const pid = Number(result.text.trim());
  assert.ok(pid > 0);
  await until(() => !isAlive(pid), "its child is gone");
});

test("a program that is not there is a failure that names it", async () => {
  const result = await perform({ name: "perform-test-missing", command: ["no-such-program"], timeout: 5 });
  assert.equal(result.outcome, "failed");
  assert.match(result.reason, /no-such-program/);
});

test("what has failed is named with its file, its place and the reason, and the outermost tests have their times", async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-files-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [good, bad] = [
    ["good", ""],
    ["bad", "throw new Error('no')"],
  ].map(([name, body]) => {
    const file = path.join(folder, `${name}.test.mjs`);
    writeFileSync(file, `import { test } from "node:test";\ntest("${name}", (context) => context.test("inner", () => { ${body} }));`);
    return file;
  });
  const { again } = testSteps().find(({ name }) => name === "browser");
  // Not as a part of the run that this test is in.
  const env = { NODE_TEST_CONTEXT: undefined };
  const step = { name: "perform-test-files", command: again([good, bad]), env, timeout: 60 };
  const result = await perform(step);
  assert.equal(result.outcome, "failed");
  const [failure, ...more] = result.failures;
  assert.deepEqual(more, []);
  assert.deepEqual([failure.file, failure.line, failure.name], [path.relative(root, bad), 2, "bad > inner"]);
  assert.match(failure.reason, /^Error: no\n {4}at .*bad\.test\.mjs/);
  assert.deepEqual(result.times.map(({ name }) => name).sort(), ["bad", "good"]);
  assert.deepEqual((await perform({ ...step, command: again([good]) })).outcome, "ok");

  const { lines, isFailure } = summarise([step], [{ ...result, name: step.name }], 3);
  assert.equal(isFailure, true);
  const text = lines.join("\n");
  assert.equal(text.split("Error: no").length, 2, "each failure is told once");
  assert.match(text, /to play it again: .*npm run one .*bad\.test\.mjs/);
  assert.match(text, /0 of 1 steps passed in 3 s$/);
});

test("a file of pages that cannot be loaded is a failure, and the files that share its browser are played", async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-files-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [broken, good] = ["broken", "good"].map((name) => path.join(folder, `${name}.test.mjs`));
  writeFileSync(broken, 'throw new Error("no start");');
  writeFileSync(good, 'import { test } from "node:test";\ntest("good", () => {});');
  const command = [process.execPath, "scripts/testing/beside.mjs", "1", broken, good];
  const result = await perform({ name: "perform-test-broken", command, env: { NODE_TEST_CONTEXT: undefined }, timeout: 60 });
  assert.equal(result.outcome, "failed");
  assert.deepEqual(
    result.failures.map(({ name, reason }) => [name, reason.split("\n")[0]]),
    [[broken, "Error: no start"]],
  );
  assert.deepEqual(result.times.map(({ name }) => name).sort(), [broken, "good"].sort());
});
