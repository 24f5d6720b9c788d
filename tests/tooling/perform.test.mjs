// How a step's command reports that it passed, failed, could not run, or left something out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { perform } from "../../scripts/testing/perform.mjs";
import { isAlive } from "../browser/process-tree.mjs";

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

test("a command that does not end is ended, with what it started", async () => {
  const child = `const { spawn } = require("node:child_process"); const c = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]); console.log(c.pid); setInterval(() => {}, 1000)`;
  const result = await perform(step("endless", child, 5));
  assert.deepEqual([result.outcome, result.reason], ["failed", "no end after 5 s"]);
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
