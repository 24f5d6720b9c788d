// The size of a page's download to run an agent, of each entry, and of all wasm files together, measured by each build and compared
// with size-budget.json, which has the figures of a release. dist/ is readable; JavaScript is measured as the bundler of an app minifies it.
// `node scripts/sizes.mjs` compares the last build with the budget.
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { Stop, isProgram, main, root } from "./process.mjs";
import { notChecked } from "./testing/perform.mjs";
import { chunks, mainWasm, wasms } from "./wasms.mjs";

/** Written by a build: its sizes, and its profile. */
export const sizesFile = path.join(root, ".cache/sizes.json");

/** Minified bundles for the measurements. */
const minified = ".cache/minified";

/**
 * Measures dist/. `entries` are the names of the entries beside the core, `parts` those of the files that the core loads when they
 * are needed, `peers` the packages that are not part of them, and `workers` the files of workers with their copies.
 */
export async function measureBuild({ entries, parts: scripts, peers, workers }) {
  rmSync(path.join(root, minified), { recursive: true, force: true });
  const copies = [...wasms, ...workers].map(({ copy }) => `./${copy}`);
  const page = await minify("index", copies);
  const { rows: files, total } = measure(filesOfAPage(page, `${minified}/index/index.js`, `dist/${mainWasm.file}`));
  const rows = files.map((row) => ({ ...row, file: path.basename(row.file) }));
  const parts = Object.entries(chunks).map(([chunk, { file }]) => measure([`dist/${file}`], `${chunk}, when needed`).total);
  for (const { file } of workers) parts.push(measure([`dist/${file}`], `${path.parse(file).name}, when needed`).total);
  for (const name of scripts) parts.push(measure([await minifiedPart(name)], `${name}.js, when needed`).total);
  const added = [];
  for (const entry of entries) {
    const beside = await minify(entry, [...peers, "./slim.js"]);
    const [, ...files] = filesOfAPage(beside, `${minified}/${entry}/${entry}.js`);
    added.push(measure(files, `threadkeep/${entry} adds`).total);
  }
  return {
    rows,
    total,
    parts,
    added,
    wasm: measure(
      wasms.map(({ file }) => `dist/${file}`),
      "all wasm files",
    ).total,
  };
}

/** A file of dist/ that the core loads when it is needed, alone. */
async function minifiedPart(name) {
  const file = readdirSync(path.join(root, "dist")).find((each) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(each));
  if (file === undefined) throw new Stop(`dist/ has no part ${name}`);
  const { build } = await import("esbuild");
  await build({ absWorkingDir: root, entryPoints: [`dist/${file}`], outdir: `${minified}/parts`, minify: true, logLevel: "warning" });
  return `${minified}/parts/${file}`;
}

/** Bundles an entry of dist/ as an app would, and returns the metafile. */
async function minify(entry, external) {
  // Imported here, because `npm test` imports this module before the npm packages are installed.
  const { build } = await import("esbuild");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`dist/${entry}.js`],
    outdir: `${minified}/${entry}`,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    metafile: true,
    external,
    logLevel: "warning",
    // The library's chunks import each other only for their order; inside a bundle this has no effect.
    logOverride: { "ignored-bare-import": "silent" },
  });
  return metafile;
}

/**
 * The files a page loads before its first conversation: the wasm and the entry with everything it imports statically,
 * without chunks behind a dynamic import.
 */
export function filesOfAPage(metafile, entry, wasm) {
  const files = new Set();
  const visit = (file) => {
    if (files.has(file)) return;
    files.add(file);
    for (const { path: imported, kind, external } of metafile.outputs[file].imports) {
      if (kind === "import-statement" && !external) visit(imported);
    }
  };
  visit(entry);
  return [wasm, ...files];
}

/** Raw, gzip and brotli bytes of each file, and their sum. */
export function measure(files, name = "what a page downloads") {
  const rows = files.map((file) => {
    const bytes = readFileSync(path.join(root, file));
    const brotli = brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    });
    return { file, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli.length };
  });
  const total = { file: name, raw: 0, gzip: 0, brotli: 0 };
  for (const row of rows) for (const key of ["raw", "gzip", "brotli"]) total[key] += row[key];
  return { rows, total };
}

export function print({ rows, total, parts, added, wasm }) {
  const line = (cells) => console.log(cells.map((cell, i) => (i ? String(cell).padStart(10) : cell.padEnd(34))).join(""));
  line(["bytes", "raw", "gzip", "brotli"]);
  for (const { file, raw, gzip, brotli } of [...rows, total, ...parts, ...added, wasm]) line([file, raw, gzip, brotli]);
}

/** A build may be so much larger than the release, because another order of functions alone changes what Brotli makes of them. */
const tolerance = 1.02;

/** What a build of `bytes` is too large for, as a sentence; `undefined` if it is within the budget. */
export function excess(file, bytes, budget) {
  if (bytes <= budget * tolerance) return undefined;
  const more = ((100 * bytes) / budget - 100).toFixed(1);
  return (
    `${file}: ${bytes} bytes (brotli), ${more} % more than the ${budget} of the release: ` +
    "find what grew, or raise the figure in size-budget.json and say why in the commit"
  );
}

/** Throws if the last build is much larger than the release. */
function holdBudget() {
  if (!existsSync(sizesFile)) throw new Stop("there is no build to measure: run `npm run build`");
  const { profile, ...sizes } = JSON.parse(readFileSync(sizesFile, "utf8"));
  const { total, wasm } = sizes;
  print(sizes);
  if (profile !== "release") return console.log(`${notChecked}the sizes, because the build was made with --quick`);
  const budgets = JSON.parse(readFileSync(path.join(root, "size-budget.json"), "utf8"));
  for (const [{ file, brotli }, budget] of [
    [total, budgets.page],
    [wasm, budgets.wasm],
  ]) {
    const sentence = excess(file, brotli, budget);
    if (sentence) throw new Stop(sentence);
    console.log(`${file}: ${brotli} bytes brotli, ${((100 * brotli) / budget).toFixed(1)} % of the release's ${budget}`);
  }
}

if (isProgram(import.meta.url)) await main(holdBudget);
