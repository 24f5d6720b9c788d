// A Python with the OpenHands SDK in it, for the interop tests: found, or made once in the user's cache folder.
//   node tests/interop/setup.mjs                    set it up and say where it is
//   node tests/interop/setup.mjs run FILE [ARG…]    run a Python file of this folder with it
// THREADKEEP_SDK_PYTHON names a Python that has the SDK already; then nothing is installed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Stop, isProgram, main, output, run } from "../../scripts/process.mjs";
import { debianTree } from "./debian-tree.mjs";

/** The one place that says which SDK everything here is checked against. */
export const sdkVersion = "1.43.1";
export const fixtures = path.resolve(import.meta.dirname, `../fixtures/sdk-${sdkVersion}`);

const packages = [`openhands-sdk==${sdkVersion}`, `openhands-tools==${sdkVersion}`];
const cache = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), `threadkeep-sdk-${sdkVersion}`);
const ready = path.join(cache, "launcher.json");
// The SDK writes sets in hash order, prints a banner, and would fetch a price table.
const quiet = { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", OPENHANDS_SUPPRESS_BANNER: "1", LITELLM_LOCAL_MODEL_COST_MAP: "True" };

/**
 * How to start Python with the SDK: `{ argv, env }`, where `argv` goes before the script's path and `env` is complete;
 * or `{ argv: null, reason }` when this machine has no Python for it and none may be laid out.
 */
export async function python({ say = console.error } = {}) {
  const named = process.env.THREADKEEP_SDK_PYTHON;
  if (named) return launcher({ argv: [named], env: {} });
  const begun = Date.now();
  while (!existsSync(ready)) {
    const found = findPython();
    const tree = found ? undefined : debianTree(path.join(cache, "debian"));
    if (!found && tree.reason) return { argv: null, reason: `Python 3.12 or newer is missing, and ${tree.reason}` };
    if (!takeLock()) {
      if (Date.now() - begun > 900_000) throw new Stop(`another process has been setting up ${cache} for 15 minutes; if it is gone, remove ${lock}`);
      await wait(1000);
      continue;
    }
    try {
      if (existsSync(ready)) break;
      // Whatever is there without the mark that it is complete was left by a set-up that did not end.
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache, { recursive: true });
      const made = await (found ? virtualEnvironment(found, say) : tree.make(packages, say));
      const probe = `import importlib.metadata as m; assert m.version("openhands-sdk") == "${sdkVersion}"; import openhands.tools`;
      await run(made.argv[0], [...made.argv.slice(1), "-c", probe], { env: launcher(made).env, stdio: ["ignore", 2, 2] });
      writeFileSync(ready, JSON.stringify(made));
      say(`sdk: ready in ${Math.round((Date.now() - begun) / 1000)} s`);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return launcher(JSON.parse(readFileSync(ready, "utf8")));
}

function launcher({ argv, env }) {
  return { argv, env: { ...process.env, ...quiet, ...env } };
}

/** The first Python on the path that is new enough and can make virtual environments. */
function findPython() {
  const probe = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))";
  return ["python3.13", "python3.12", "python3.14", "python3"].find((name) => output(name, ["-c", probe]) !== undefined);
}

async function virtualEnvironment(interpreter, say) {
  const place = path.join(cache, "venv");
  say(`sdk: installing ${packages.join(" and ")} for ${interpreter} in ${place} (about 700 MB)`);
  await run(interpreter, ["-m", "venv", place], { stdio: ["ignore", 2, 2] });
  const inside = path.join(place, "bin/python");
  await run(inside, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages], { stdio: ["ignore", 2, 2] });
  return { argv: [inside], env: {} };
}

const lock = `${cache}.lock`;

/** Test files run in parallel, and each may be the first to need the SDK. The lock of a process that is gone is void. */
function takeLock() {
  mkdirSync(path.dirname(lock), { recursive: true });
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (ownerIsAlive()) return false;
    rmSync(lock, { recursive: true, force: true });
    return false;
  }
  writeFileSync(path.join(lock, "pid"), String(process.pid));
  return true;
}

function ownerIsAlive() {
  const file = path.join(lock, "pid");
  if (!existsSync(file)) return true; // it is just being taken
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function program([command, file, ...rest]) {
  const { argv, env, reason } = await python();
  if (!argv) throw new Stop(`the OpenHands SDK is not here: ${reason}`);
  if (command === undefined) return console.log(argv.join(" "));
  if (command !== "run" || !file) throw new Stop("there are no arguments, or run FILE [ARG…]");
  const script = path.resolve(import.meta.dirname, file);
  const { status, error } = spawnSync(argv[0], [...argv.slice(1), script, ...rest], { env, stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 1;
}

if (isProgram(import.meta.url)) await main(() => program(process.argv.slice(2)));
