// Runs test files of pages in a few processes side by side, and those of a process in one browser: see tests/support/browser/tabs.mjs.
//   node scripts/testing/beside.mjs 3 FILE…
import { spawn } from "node:child_process";
import { statSync } from "node:fs";

const [atOnce, ...files] = process.argv.slice(2);
/** Long files mostly take long, so each process gets some of them. */
const sizes = new Map(files.map((file) => [file, statSync(file).size]));
const longestFirst = [...files].sort((one, other) => sizes.get(other) - sizes.get(one));
const parts = Array.from({ length: Math.min(Number(atOnce), files.length) }, () => []);
for (const [at, file] of longestFirst.entries()) parts[at % parts.length].push(file);
const codes = await Promise.all(parts.map(play));
process.exitCode = codes.find((code) => code !== 0) ?? 0;

/** Resolves to the exit code. What belongs to an outermost test is printed together: its parts come first, and are indented. */
function play(part) {
  const args = ["--test-reporter=./scripts/testing/reporter.mjs", "scripts/testing/together.mjs", ...part];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let kept = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    kept += text;
    if (!/^\S.*\n$/.test(kept.slice(kept.lastIndexOf("\n", kept.length - 2) + 1))) return;
    process.stdout.write(kept);
    kept = "";
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.stdout.write(kept);
      resolve(code ?? 1);
    });
  });
}
