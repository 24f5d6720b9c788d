// A Python with packages in it, for tests: made once in the user's cache folder, by whichever test is first to need it.
import { existsSync } from "node:fs";
import path from "node:path";
import { output, run } from "../../scripts/process.mjs";
import { debianTree } from "./debian-tree.mjs";
import { caches, madeOnce, tried } from "./made-once.mjs";

/**
 * How to start Python with these packages: `{ argv, env }`, where `argv` goes before the script's path and `env` is
 * complete; or `{ argv: null, reason }` when this machine has no Python for it and none may be laid out.
 *
 * `name` is that of the folder in the cache, with a version. `install` are pip's arguments, and `requirements` a file for
 * it. `oldest` is the oldest Python that will do, `env` what it is started with, `probe` a program that fails where
 * something is missing.
 */
export async function environment({ name, oldest, install, requirements, env, probe, size, say }) {
  const cache = path.join(caches, name);
  const ready = path.join(cache, "launcher.json");
  const found = existsSync(ready) ? undefined : findPython(oldest);
  const tree = existsSync(ready) || found ? undefined : debianTree(path.join(caches, "threadkeep-debian"));
  if (tree?.reason) return { argv: null, reason: `Python 3.${oldest} or newer is missing, and ${tree.reason}` };
  const launcher = await madeOnce(cache, ready, async () => {
    const begun = Date.now();
    const wanted = { name, install: ["--retries", "10", ...install], requirements, size, say };
    const made = await (found ? virtualEnvironment(found, path.join(cache, "venv"), wanted) : tree.make(wanted));
    await run(made.argv[0], [...made.argv.slice(1), "-c", probe], { env: started(made).env, stdio: ["ignore", 2, 2] });
    say(`${name}: ready in ${Math.round((Date.now() - begun) / 1000)} s`);
    return made;
  });
  return started(launcher);

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
  await tried(3, () =>
    run(inside, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...all], { stdio: ["ignore", 2, 2] }),
  );
  return { argv: [inside], env: {} };
}
