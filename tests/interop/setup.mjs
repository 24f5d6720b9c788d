// A Python with the OpenHands SDK in it, for the interop tests: found, or made once in the user's cache folder.
//   node tests/interop/setup.mjs                    set it up and say where it is
//   node tests/interop/setup.mjs run FILE [ARG…]    run a Python file of this folder with it
// THREADKEEP_SDK=1.58.2 chooses that version, here and in every test of this folder; without it, it is the first below.
// THREADKEEP_SDK_PYTHON names a Python that has the SDK already; then nothing is installed.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { Stop, isProgram, main } from "../../scripts/process.mjs";
import { environment, ofTheSdk } from "../support/python-environment.mjs";

/** The versions of the SDK that everything here is checked against, named only here: that of the fixtures, and the newest. */
export const sdkVersions = ["1.43.1", "1.58.2"];
/** The one that it is checked against now. */
export const sdkVersion = process.env.THREADKEEP_SDK || sdkVersions[0];
if (!sdkVersions.includes(sdkVersion)) throw new Stop(`THREADKEEP_SDK is ${sdkVersion}: choose from ${sdkVersions.join(" and ")}`);

// The SDK writes sets in hash order, prints a banner, and would fetch a price table.
const quiet = { PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", OPENHANDS_SUPPRESS_BANNER: "1", LITELLM_LOCAL_MODEL_COST_MAP: "True" };

/**
 * How to start Python with the SDK: `{ argv, env }`, where `argv` goes before the script's path and `env` is complete;
 * or `{ argv: null, reason }` when this machine has no Python for it and none may be laid out.
 */
export async function python({ say = console.error } = {}) {
  const named = process.env.THREADKEEP_SDK_PYTHON;
  if (named) return { argv: [named], env: { ...process.env, ...quiet } };
  return environment({
    name: `threadkeep-sdk-${sdkVersion}`,
    oldest: 12,
    // Every package is named there, with its hashes.
    install: ["--require-hashes", "--no-deps"],
    requirements: path.join(import.meta.dirname, "requirements", `${sdkVersion}.txt`),
    alike: ofTheSdk,
    probe: `import importlib.metadata as m; assert m.version("openhands-sdk") == "${sdkVersion}"; import openhands.tools`,
    env: quiet,
    size: "700 MB",
    say,
  });
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
