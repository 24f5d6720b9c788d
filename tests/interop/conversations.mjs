// The conversations that this version of the SDK wrote. Those of the first are in the repository; those of the newest, but
// for a few, are made when they are first needed, and kept in the user's cache folder until what makes them changes.
//   THREADKEEP_SDK=1.58.2 node tests/interop/conversations.mjs     make them, and say where they are
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { Stop, isProgram } from "../../scripts/process.mjs";
import { caches, madeOnce } from "../support/made-once.mjs";
import { python, sdkVersion, sdkVersions } from "./setup.mjs";

/** The folder of those in the repository. */
export const committed = path.resolve(import.meta.dirname, `../fixtures/sdk-${sdkVersion}`);

/** The folder of all. */
export const fixtures = sdkVersion === sdkVersions[0] ? committed : await generated();
/** The entry of `index.json` for each. */
export const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));
if (isProgram(import.meta.url)) console.log(`${conversations.length} conversations in ${fixtures}`);

async function generated() {
  const { argv, env } = await python();
  // Sent by the scripts that drive the SDK.
  if (!argv) return committed;
  const place = path.join(caches, `threadkeep-conversations-${sdkVersion}`);
  await madeOnce(place, path.join(place, `${fingerprint()}.json`), () => generate(argv, env, place));
  return place;
}

/** Of all that the conversations are made by. */
function fingerprint() {
  const hash = createHash("sha256");
  const folders = [".", "scenarios"].map((folder) => path.join(import.meta.dirname, folder));
  for (const folder of folders) {
    for (const name of readdirSync(folder)
      .filter((name) => name.endsWith(".py"))
      .sort())
      hash.update(name).update(readFileSync(path.join(folder, name)));
  }
  return hash
    .update(readFileSync(path.join(import.meta.dirname, "requirements", `${sdkVersion}.txt`)))
    .digest("hex")
    .slice(0, 16);
}

/** Each of several processes plays its share of the scenarios, for each is busy with one at a time. */
async function generate(argv, env, place) {
  const shares = Math.min(availableParallelism(), 4);
  const begun = Date.now();
  console.error(`the conversations of ${sdkVersion}: playing them, in ${shares} processes`);
  await Promise.all(Array.from({ length: shares }, (_, share) => play(argv, env, place, `${share}/${shares}`)));
  const parts = readdirSync(place)
    .filter((name) => name.startsWith("index-"))
    .map((name) => path.join(place, name));
  const all = parts.flatMap((part) => JSON.parse(readFileSync(part, "utf8")).conversations);
  all.sort((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1));
  for (const part of parts) rmSync(part);
  writeFileSync(path.join(place, "index.json"), JSON.stringify({ sdk: sdkVersion, conversations: all }));
  console.error(`the conversations of ${sdkVersion}: ready in ${Math.round((Date.now() - begun) / 1000)} s`);
}

function play(argv, env, place, share) {
  const stage = `/tmp/threadkeep-fixture-${share.replace("/", "-of-")}`;
  mkdirSync(place, { recursive: true });
  const script = path.join(import.meta.dirname, "write_fixtures.py");
  const more = { THREADKEEP_FIXTURES: place, THREADKEEP_STAGE: stage, THREADKEEP_SHARE: share };
  const child = spawn(argv[0], [...argv.slice(1), script], { cwd: place, env: { ...env, ...more }, stdio: ["ignore", "ignore", 2] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) =>
      code === 0 ? resolve() : reject(new Stop(`playing share ${share} of the scenarios failed (${signal ?? code})`)),
    );
  });
}
