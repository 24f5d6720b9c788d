// What tests/fixtures/stuck_detector.json says that the SDK's stuck detector finds, it finds.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { python } from "./setup.mjs";

test("the SDK's stuck detector finds what is kept", { timeout: 900_000 }, async (t) => {
  const { argv, env, reason } = await python();
  if (!argv) {
    if (process.env.CI) throw new Error(`the OpenHands SDK is needed here: ${reason}`);
    return t.skip(reason);
  }
  const file = path.join(import.meta.dirname, "stuck_cases.py");
  const { status, stdout, stderr } = spawnSync(argv[0], [...argv.slice(1), file], { env, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^800 cases, 0 differ$/m);
});
