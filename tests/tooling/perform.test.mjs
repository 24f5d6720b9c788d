// How a step's command reports that it passed, failed, could not run, or left something out.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { perform } from "../../scripts/testing/perform.mjs";
import { testSteps } from "../../scripts/testing/steps.mjs";
import { isAlive } from "../support/browser/process-tree.mjs";

const step = (name, code, timeout = 60) => ({ name: `perform-test-${name}`, command: [process.execPath, "-e", code], timeout });

test("exit code 0 is ok, and lines that name gaps are collected", async () => {
  const result = await perform(step("ok", 'console.log("fine"); console.log("NOT CHECKED: the weather"); console.error("also kept")'));
  assert.equal(result.outcome, "ok");
  assert.deepEqual(result.gaps, ["the weather"]);
  assert.match(result.text, /fine[^]*also kept/);
});

test("what passed when the command itself repeated it is reported, unless the command failed all the same", async () => {
  const code = 'console.log("PASSED AGAIN: one: too late"); console.log("PASSED AGAIN: two"); process.exitCode = ';
  assert.equal((await perform(step("again", `${code}0`))).repeated, "one: too late; two");
  assert.equal((await perform(step("not-again", `${code}1`))).repeated, undefined);
});

test("another exit code is a failure, and 77 a skip with its last line as the reason", async () => {
  assert.equal((await perform(step("failed", "process.exit(3)"))).reason, "exit 3");
  const skipped = await perform(step("skipped", 'console.log("looking"); console.log("no Python"); process.exitCode = 77'));
  assert.deepEqual([skipped.outcome, skipped.reason], ["skipped", "no Python"]);
});

test("a command that does not end is ended, with what it started", async () => {
  const child = `const { spawn } = require("node:child_process"); const c = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]); console.log(c.pid); setInterval(() => {}, 1000)`;
  const result = await perform(step("endless", child, 5));
  assert.deepEqual([result.outcome, result.timedOut, result.reason], ["failed", true, "no end after 5 s"]);
  const pid = Number(result.text.trim());
  assert.ok(pid > 0);
  for (const deadline = Date.now() + 5000; isAlive(pid) && Date.now() < deadline; ) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!isAlive(pid));
});

test("a program that is not there is a failure that names it", async () => {
  const result = await perform({ name: "perform-test-missing", command: ["no-such-program"], timeout: 5 });
  assert.equal(result.outcome, "failed");
  assert.match(result.reason, /no-such-program/);
});

test("of files that run together, those that failed are named, and what failed in them with the reason", async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-together-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [good, bad] = [
    ["good", ""],
    ["bad", "throw new Error('no')"],
  ].map(([name, body]) => {
    const file = path.join(folder, `${name}.test.mjs`);
    writeFileSync(file, `import { test } from "node:test"; test("outer", (context) => context.test("inner", () => { ${body} }));`);
    return file;
  });
  const { repeat } = testSteps().find(({ name }) => name === "browser");
  // Not as a part of the run that this test is in.
  const env = { NODE_TEST_CONTEXT: undefined };
  const result = await perform({ name: "perform-test-together", command: repeat([good, bad]), env, timeout: 60 });
  assert.deepEqual([result.outcome, result.failedFiles], ["failed", [bad]]);
  assert.deepEqual(
    result.failures.map(({ name }) => name),
    ["inner"],
  );
  assert.match(result.failures[0].reason, /^Error: no\n {4}at .*bad\.test\.mjs/);
  assert.deepEqual((await perform({ name: "perform-test-alone", command: repeat([good]), env, timeout: 60 })).outcome, "ok");
});
