// A Python with the OpenHands SDK, for the interop tests: found, or set up once in the user's cache folder.
// The SDK needs Python 3.12. Where there is none and we are root on Debian, a newer Debian is laid out beside the
// system, and its Python runs from there through its own loader: nothing of the system changes.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { installPackages, isRootOnDebian } from "./debian.mjs";
import { Stop, isProgram, main, output, run } from "./process.mjs";
import { skipCode } from "./testing/perform.mjs";

export const sdkVersion = "1.43.1";
const packages = [`openhands-sdk==${sdkVersion}`, `openhands-tools==${sdkVersion}`];
const minors = [13, 12, 14];
const debian = "trixie";

const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "threadkeep");
const folder = path.join(cache, `python-sdk-${sdkVersion}`);

/**
 * How to start a Python that imports the SDK: { command, env }, the script and its arguments to follow `command`.
 * `undefined` if nobody has set one up. THREADKEEP_PYTHON names one that the user keeps.
 */
export function findPythonSdk() {
  if (process.env.THREADKEEP_PYTHON) return { command: [process.env.THREADKEEP_PYTHON], env: {} };
  const ready = path.join(folder, "ready.json");
  return existsSync(ready) ? JSON.parse(readFileSync(ready, "utf8")) : undefined;
}

/** Sets it up if it can. Throws `Stop` with what the user has to do if it cannot. */
export async function ensurePythonSdk() {
  const found = findPythonSdk();
  if (found && importsSdk(found)) return found;
  if (process.env.THREADKEEP_PYTHON) {
    throw new Stop(`THREADKEEP_PYTHON is ${process.env.THREADKEEP_PYTHON}, which does not import the SDK: pip install ${packages.join(" ")}`);
  }
  mkdirSync(cache, { recursive: true });
  // Made aside and then renamed, so that a set-up that was interrupted is never taken for one that ended.
  const draft = mkdtempSync(path.join(cache, "draft-"));
  try {
    const python = findPython();
    if (python) await makeEnvironment(python, draft);
    else if (isRootOnDebian()) await layOutDebian(draft);
    else {
      throw new Stop(
        "no Python 3.12 or newer was found: install one with its venv module (python3.12-venv), " +
          `or set THREADKEEP_PYTHON to one that has ${packages.join(" and ")}`,
      );
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  const made = findPythonSdk();
  if (!importsSdk(made)) throw new Stop(`the SDK was installed in ${folder}, but Python does not import it`);
  return made;
}

/** The first Python in the usual places that is new enough and can make virtual environments. */
function findPython() {
  const pyenv = path.join(process.env.PYENV_ROOT || path.join(homedir(), ".pyenv"), "versions");
  const ofPyenv = existsSync(pyenv) ? readdirSync(pyenv).map((name) => path.join(pyenv, name, "bin/python")) : [];
  const candidates = [...minors.map((minor) => `python3.${minor}`), "python3", "python", ...ofPyenv];
  const probe = "import sys, venv, ensurepip; print(sys.version_info[0], sys.version_info[1])";
  return candidates.find((candidate) => minors.some((minor) => output(candidate, ["-c", probe]) === `3 ${minor}`));
}

async function makeEnvironment(python, draft) {
  console.log(`setting up the Python SDK ${sdkVersion} with ${python}`);
  await run(python, ["-m", "venv", draft]);
  await run(path.join(draft, "bin/python"), ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages]);
  markReady(draft, { command: [path.join(folder, "bin/python")], env: {} });
}

async function layOutDebian(draft) {
  console.log(`setting up the Python SDK ${sdkVersion} in a Debian "${debian}" of its own (two minutes, 1 GB)`);
  if (!existsSync("/usr/sbin/debootstrap")) await installPackages(["debootstrap"]);
  const wanted = "python3,python3-venv,python3-pip,ca-certificates,git";
  await run("/usr/sbin/debootstrap", ["--variant=minbase", `--include=${wanted}`, debian, draft]);
  // Inside, names are resolved and certificates trusted as outside.
  for (const file of ["/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"]) {
    if (existsSync(file)) copyFileSync(file, path.join(draft, file));
  }
  await run("chroot", [draft, "python3", "-m", "venv", "/opt/sdk"]);
  await run("chroot", [draft, "/opt/sdk/bin/pip", "install", "-q", "--disable-pip-version-check", ...packages]);

  const python = readdirSync(path.join(draft, "opt/sdk/lib")).find((name) => name.startsWith("python3."));
  const loader = ["lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"].find((file) => existsSync(path.join(draft, file)));
  const libraries = readdirSync(path.join(draft, "usr/lib")).find((name) => name.endsWith("-linux-gnu"));
  if (!loader || !libraries) throw new Stop("no Debian is laid out for this processor: set THREADKEEP_PYTHON");
  const inFolder = (...parts) => path.join(folder, ...parts);
  markReady(draft, {
    command: [inFolder(loader), "--library-path", inFolder("usr/lib", libraries), inFolder("usr/bin", python)],
    env: { PYTHONHOME: inFolder("usr"), PYTHONPATH: inFolder("opt/sdk/lib", python, "site-packages") },
  });
}

function markReady(draft, how) {
  writeFileSync(path.join(draft, "ready.json"), JSON.stringify(how, null, 2));
}

function importsSdk({ command: [program, ...args], env }) {
  return output(program, [...args, "-c", "import openhands.sdk, openhands.tools"], { env: { ...process.env, ...env } }) !== undefined;
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    try {
      console.log((await ensurePythonSdk()).command.join(" "));
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      console.log(error.message);
      process.exitCode = skipCode;
    }
  });
}
