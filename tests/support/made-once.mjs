// Set-up that several processes need and one of them makes: test files run in parallel, and each may be the first to need it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Stop } from "../../scripts/process.mjs";

/** Long enough for a slow network and a machine that compiles meanwhile. */
const patience = 1_500_000;

/** The user's folder for what can be made again. */
export const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");

/**
 * Has `make` make what is in `folder`, unless the file `mark` is there, and then writes what it resolves to into it.
 * Files in `folder` without the mark were left by a process that died, and are removed.
 */
export async function madeOnce(folder, mark, make) {
  const lock = `${folder}.lock`;
  const begun = Date.now();
  while (!existsSync(mark)) {
    if (!takeLock(lock)) {
      if (Date.now() - begun > patience)
        throw new Stop(`another process has been making ${folder} for ${patience / 60_000} minutes; if it is gone, remove ${lock}`);
      await wait(1000);
      continue;
    }
    try {
      if (existsSync(mark)) break;
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(mark, JSON.stringify((await make()) ?? {}));
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return JSON.parse(readFileSync(mark, "utf8"));
}

/** Repeats work that needs the network: one lost packet is no reason to skip the checks. */
export async function tried(times, work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === times) throw error;
      await wait(5000 * attempt);
    }
  }
}

/** The lock of a process that is gone is void. */
function takeLock(lock) {
  mkdirSync(path.dirname(lock), { recursive: true });
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (ownerIsAlive(lock)) return false;
    rmSync(lock, { recursive: true, force: true });
    return false;
  }
  writeFileSync(path.join(lock, "pid"), String(process.pid));
  return true;
}

function ownerIsAlive(lock) {
  const file = path.join(lock, "pid");
  if (!existsSync(file)) return true; // it is just being taken
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
