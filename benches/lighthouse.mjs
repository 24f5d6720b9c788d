// Lighthouse on the demo page, as a host on the web would serve it: fails below the scores that the page has to have.
//
//     node benches/lighthouse.mjs
//
// Lighthouse needs a newer Node than the repository does, so both come from npm, into .cache/lighthouse.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findBrowser } from "../scripts/browsers.mjs";
import { main, root, run, Stop } from "../scripts/process.mjs";
import { createScriptedModel } from "../scripts/scripted-model.mjs";
import { site } from "../scripts/site.mjs";
import { listen } from "../tests/support/listen.mjs";
import { build } from "../www/build.mjs";

const wanted = { performance: 0.96, accessibility: 1, "best-practices": 1 };
const packages = ["lighthouse@13.5.0", "node@22"];
const folder = path.join(root, ".cache/lighthouse");

await main(async () => {
  const browser = findBrowser("chromium");
  if (!browser) throw new Stop("there is no Chromium on this machine");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path.join(folder, "node_modules/lighthouse"))) {
    // The package `node` gets its program in an install script.
    await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, ...packages]);
  }
  const page = ".cache/lighthouse/page";
  await build({ outdir: path.join(root, page) });
  const { origin, close } = await listen(site({ model: createScriptedModel(), page, compress: true }));
  const output = path.join(folder, "report.json");
  const flags = `--headless=new --disable-gpu ${process.getuid?.() === 0 ? "--no-sandbox" : ""} --user-data-dir=${path.join(folder, "profile")}`;
  const options = [
    "--quiet",
    "--output=json",
    `--output-path=${output}`,
    `--chrome-flags=${flags}`,
    `--only-categories=${Object.keys(wanted).join()}`,
  ];
  const reports = [];
  try {
    // A busy machine makes a single run slow.
    while (reports.length < 3) {
      const command = [path.join(folder, "node_modules/lighthouse/cli/index.js"), `${origin}/`, ...options];
      await run(path.join(folder, "node_modules/node/bin/node"), command, { env: { ...process.env, CHROME_PATH: browser } });
      reports.push(JSON.parse(readFileSync(output, "utf8")));
    }
  } finally {
    await close();
  }
  const [, median] = reports.sort((one, other) => one.categories.performance.score - other.categories.performance.score);
  writeFileSync(output, JSON.stringify(median));
  const { categories, audits } = median;
  for (const [name, { score }] of Object.entries(categories)) console.log(`${name}: ${Math.round(score * 100)}`);
  for (const name of ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"])
    console.log(`${name}: ${audits[name].displayValue}`);
  const low = Object.keys(wanted).filter((name) => categories[name].score < wanted[name]);
  if (low.length > 0) throw new Stop(`too low: ${low.join(", ")}; the report is ${output}`);
});
