// A Python with packages in it, for tests: made once in the user's cache folder, by whichever test is first to need it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Stop, output, run } from "../../scripts/process.mjs";
import { debianTree } from "./debian-tree.mjs";

/**
 * How to start Python with these packages: `{ argv, env }`, where `argv` goes before the script's path and `env` is
 * complete; or `{ argv: null, reason }` when this machine has no Python for it and none may be laid out.
 *
 * `name` is that of the folder in the cache, with a version. `install` are pip's arguments, and `requirements` a file for
 * it. `oldest` is the oldest Python that will do, `env` what it is started with, `probe` a program that fails where
 * something is missing.
 */
export async function environment({ name, oldest, install, requirements, env, probe, size, say }) {
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), name);
  const ready = path.join(cache, "launcher.json");
  const lock = `${cache}.lock`;
  const begun = Date.now();
  while (!existsSync(ready)) {
    const found = findPython(oldest);
    const tree = found ? undefined : debianTree(path.join(cache, "debian"));
    if (!found && tree.reason) return { argv: null, reason: `Python 3.${oldest} or newer is missing, and ${tree.reason}` };
    if (!takeLock(lock)) {
      if (Date.now() - begun > 900_000) throw new Stop(`another process has been setting up ${cache} for 15 minutes; if it is gone, remove ${lock}`);
      await wait(1000);
      continue;
    }
    try {
      if (existsSync(ready)) break;
      // Whatever is there without the mark that it is complete was left by a set-up that did not end.
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache, { recursive: true });
      const wanted = { name, install, requirements, size, say };
      const made = await (found ? virtualEnvironment(found, path.join(cache, "venv"), wanted) : tree.make(wanted));
      await run(made.argv[0], [...made.argv.slice(1), "-c", probe], { env: started(made).env, stdio: ["ignore", 2, 2] });
      writeFileSync(ready, JSON.stringify(made));
      say(`${name}: ready in ${Math.round((Date.now() - begun) / 1000)} s`);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return started(JSON.parse(readFileSync(ready, "utf8")));

  function started(made) {
    return { argv: made.argv, env: { ...process.env, ...env, ...made.env } };
  }
}

/** The first Python on the path that is new enough and can make virtual environments. */
function findPython(oldest) {
  const probe = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${oldest}))`;
  return ["python3.13", "python3.12", "python3.14", "python3"].find((name) => output(name, ["-c", probe]) !== undefined);
}

async function virtualEnvironment(interpreter, place, { name, install, requirements, size, say }) {
  say(`${name}: installing for ${interpreter} in ${place} (about ${size}, a minute or two)`);
  await run(interpreter, ["-m", "venv", place], { stdio: ["ignore", 2, 2] });
  const inside = path.join(place, "bin/python");
  const all = requirements ? [...install, "-r", requirements] : install;
  await run(inside, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...all], { stdio: ["ignore", 2, 2] });
  return { argv: [inside], env: {} };
}

/** Test files run in parallel, and each may be the first to need it. The lock of a process that is gone is void. */
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
