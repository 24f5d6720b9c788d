// A Python with packages in it, for tests: made once in the user's cache folder, by whichever test is first to need it. Several of them
// have most of their packages in common, which are installed once.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { output, run } from "../../scripts/process.mjs";
import { debianTree } from "./debian-tree.mjs";
import { caches, madeOnce, tried } from "./made-once.mjs";

const tests = path.resolve(import.meta.dirname, "..");
/** The requirements of all Pythons that have the SDK, for `alike`. */
export const ofTheSdk = ["interop", "server"].flatMap((area) => {
  const folder = path.join(tests, area, "requirements");
  const files = readdirSync(folder).filter((file) => file.endsWith(".txt"));
  return files.map((file) => path.join(folder, file));
});

/**
 * How to start Python with these packages: `{ argv, env }`, where `argv` goes before the script's path and `env` is
 * complete; or `{ argv: null, reason }` when this machine has no Python for it and none may be laid out.
 *
 * `name` is that of the folder in the cache, with a version. `install` are pip's arguments, and `requirements` a file for
 * it. `alike` are the files of several such Pythons: what they all name is installed once for all of them. `oldest` is the
 * oldest Python that will do, `env` what it is started with, `probe` a program that fails where something is missing.
 */
export async function environment({ name, oldest, install, requirements, alike = [], env, probe, size, say }) {
  const ready = markOf(name);
  const found = existsSync(ready) ? undefined : findPython(oldest);
  const tree = existsSync(ready) || found ? undefined : debianTree(path.join(caches, "threadkeep-debian"));
  if (tree?.reason) return { argv: null, reason: `Python 3.${oldest} or newer is missing, and ${tree.reason}` };
  const make = (layer) => {
    const wanted = { ...layer, install: ["--retries", "10", ...install], size, say };
    return found ? virtualEnvironment(found, wanted) : tree.make(wanted);
  };
  const launcher = await madeOnce(path.join(caches, name), ready, async () => {
    const begun = Date.now();
    const { common, own } = parted(requirements, alike);
    const below = common && (await installed(common, found, make));
    const made = await make({ name, requirements: own });
    if (below) made.env.PYTHONPATH = [made.packages, below.packages].join(path.delimiter);
    await run(made.argv[0], [...made.argv.slice(1), "-c", probe], { env: started(made).env, stdio: ["ignore", 2, 2] });
    say(`${name}: ready in ${Math.round((Date.now() - begun) / 1000)} s`);
    return made;
  });
  return started(launcher);

  function started(made) {
    return { argv: made.argv, env: { ...process.env, ...env, ...made.env } };
  }
}

/** The layer with these requirements, which is another one for each interpreter. */
function installed(requirements, interpreter, make) {
  const print = createHash("sha256").update(`${interpreter}\n${requirements}`).digest("hex");
  const name = `threadkeep-common-${print.slice(0, 12)}`;
  return madeOnce(path.join(caches, name), markOf(name), () => make({ name, requirements }));
}

const markOf = (name) => path.join(caches, name, "launcher.json");

/** A file of requirements in two texts: { common } has what all of these files name, if there are any, { own } the rest. */
export function parted(file, alike) {
  const entriesOf = (file) =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split(/\n(?=\S)/);
  const others = alike.map((other) => new Set(entriesOf(other)));
  const isCommon = (entry) => others.length > 0 && others.every((entries) => entries.has(entry));
  const textOf = (isWanted) => {
    const wanted = entriesOf(file).filter((entry) => entry.startsWith("--") || isWanted(entry));
    return `${wanted.join("\n")}\n`;
  };
  return { common: others.length > 0 ? textOf(isCommon) : undefined, own: textOf((entry) => !isCommon(entry)) };
}

/** The first Python on the path that is new enough and can make virtual environments. */
function findPython(oldest) {
  const probe = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${oldest}))`;
  return ["python3.13", "python3.12", "python3.14", "python3"].find((name) => output(name, ["-c", probe]) !== undefined);
}

async function virtualEnvironment(interpreter, { name, install, requirements, size, say }) {
  const place = path.join(caches, name, "venv");
  say(`${name}: installing for ${interpreter} in ${place} (about ${size}, a minute or two)`);
  await run(interpreter, ["-m", "venv", place], { stdio: ["ignore", 2, 2] });
  const inside = path.join(place, "bin/python");
  const list = path.join(place, "requirements.txt");
  writeFileSync(list, requirements);
  await tried(3, () =>
    run(inside, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...install, "-r", list], { stdio: ["ignore", 2, 2] }),
  );
  const packages = output(inside, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
  return { argv: [inside], env: {}, packages };
}
