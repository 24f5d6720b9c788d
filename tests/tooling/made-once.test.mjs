// Set-up that parallel test files share is made by one of them, and by another if that one dies.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { madeOnce, tried } from "../support/made-once.mjs";

test("what two processes need at once is made once, also after a process died in the middle of it", async (t) => {
  const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-made-once-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const folder = path.join(place, "made");
  const mark = path.join(folder, "ready.json");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "half"), "");
  mkdirSync(`${folder}.lock`);
  writeFileSync(path.join(`${folder}.lock`, "pid"), String(spawnSync(process.execPath, ["-e", ""]).pid));
  let times = 0;
  const make = async () => ({ times: ++times });
  assert.deepEqual(await Promise.all([madeOnce(folder, mark, make), madeOnce(folder, mark, make)]), [{ times: 1 }, { times: 1 }]);
  assert.deepEqual([existsSync(path.join(folder, "half")), existsSync(`${folder}.lock`)], [false, false]);
  assert.deepEqual(await madeOnce(folder, mark, make), { times: 1 });
});

test("work that fails leaves no mark and no lock", async (t) => {
  const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-made-once-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const folder = path.join(place, "made");
  const failing = madeOnce(folder, path.join(folder, "ready.json"), () => tried(1, () => Promise.reject(new Error("no network"))));
  await assert.rejects(failing, /no network/);
  assert.deepEqual([existsSync(path.join(folder, "ready.json")), existsSync(`${folder}.lock`)], [false, false]);
});
