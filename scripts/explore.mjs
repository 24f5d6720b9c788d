// `npm run explore`: looks for what nobody knows yet. It plays what is random in the tests with new seeds and in larger amounts, one after the
// other and over again, until something fails, or as long as one lets it. A check (`npm test`) always plays the same.
//   --minutes 60      no longer than so
//   --only kills      only those whose name contains this; `--list` names them
// It prints the command that plays a failure again; of a killed browser only what it did is the same, not when it died.
import { randomInt } from "node:crypto";
import { spawnSync } from "node:child_process";
import { buildForTests } from "./build.mjs";
import { Stop, main, root } from "./process.mjs";
import { ensureBrowsers } from "./browsers.mjs";
import { ensureRust, requireNode } from "./toolchain.mjs";

/** { name, command, amount, variable }: how much of it is played at a time, and the variable with the seed. */
const cargo = (name, test, filter, amount) => ({
  name,
  // Many scripts are played faster by optimized code.
  command: ["cargo", "test", "--locked", "--profile", "explore", "--test", test, filter],
  amount,
  variable: "PROPTEST_RNG_SEED",
});
const file = (name, file, amount) => ({
  name,
  command: [process.execPath, "--test", "--test-reporter=spec", `tests/${file}.test.mjs`],
  amount,
  variable: "THREADKEEP_SEED",
});
const explored = [
  cargo("random commands", "conversation", "commands::", 20_000),
  cargo("shown answers", "conversation", "shown_answers::", 20_000),
  { ...cargo("devices that exchange histories", "conversation", "merging::", 2_000), variable: "THREADKEEP_SEED" },
  { ...cargo("files of earlier events", "conversation", "file_versions::", 2_000), variable: "THREADKEEP_SEED" },
  file("take-overs", "conversation/take-overs", 1_000),
  file("mirrors of devices", "mirror/devices", 60),
  file("files of earlier events in a store", "workspace/versions", 60),
  file("files of earlier events in a page", "browser/workspace/versions", 60),
  file("pictures of threads", "browser/ui/thread/picture", 2_000),
  file("damaged archives", "formats/mutations", 10_000),
  file("small limits of tokens", "agent/token-limits", 100),
  file("tabs that act, die and freeze", "browser/conversation/homes-chaos", 60),
  file("a long memory", "browser/agent/long-memory", 20),
  file("kills", "kills/kills", 60),
  file("kills of drafts", "kills/drafts", 40),
  file("kills of folders", "kills/folders", 40),
  file("kills of mirrors", "kills/mirror", 40),
  file("kills of sealed stores", "kills/encrypted", 30),
  file("kills of sub-agents", "kills/sub-agents", 40),
  file("kills of terminals", "kills/terminal", 20),
];

await main(async () => {
  const { minutes, only, list } = parse(process.argv.slice(2));
  const chosen = explored.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Stop(`nothing is called "${only}": --list names what there is`);
  if (list) return console.log(chosen.map(({ name }) => name).join("\n"));
  requireNode();
  await ensureRust();
  if (chosen.some(({ command }) => command[0] !== "cargo")) {
    await buildForTests();
    await ensureBrowsers();
  }
  const end = Date.now() + minutes * 60_000;
  for (let round = 1; ; round++) {
    for (const each of chosen) {
      if (Date.now() > end) return console.log(`nothing has failed in ${minutes} minutes`);
      explore(each, round);
    }
  }
});

/** Plays it once, with a new seed; throws if it fails. */
function explore({ name, command: [program, ...args], amount, variable }, round) {
  const env = { [variable]: String(randomInt(2 ** 31)), THREADKEEP_AMOUNT: String(amount) };
  const again = [...Object.entries(env).map(([key, value]) => `${key}=${value}`), program, ...args].join(" ");
  const begun = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1e9,
  });
  const seconds = Math.round((performance.now() - begun) / 1000);
  if (status !== 0) throw new Stop(`${stdout}${stderr}\n${name} has failed (${signal ?? `exit ${status}`}); to play it again:\n  ${again}`);
  console.log(`✔ round ${round}: ${name}, ${amount}, ${variable}=${env[variable]} (${seconds} s)`);
}

function parse(args) {
  const options = { minutes: Infinity, only: "", list: false };
  for (let i = 0; i < args.length; i++) {
    const value = args[i + 1];
    if (args[i] === "--list") options.list = true;
    else if (args[i] === "--only" && value) [options.only, i] = [value, i + 1];
    else if (args[i] === "--minutes" && Number(value) > 0) [options.minutes, i] = [Number(value), i + 1];
    else throw new Stop(`unknown option ${args[i]}: there are --minutes <number>, --only <name> and --list`);
  }
  return options;
}
