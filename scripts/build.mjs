// `npm run build`: builds dist/ from the Rust sources, skipping steps whose inputs have not changed.
//   --quick     a larger wasm that compiles in seconds
//   --testing   also the conformance suite for stores: pkg/threadkeep_testing.js for the page tests, dist/testing.js for hosts
//   --tools     only installs what a build needs
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildWasm } from "./build-wasm.mjs";
import { fingerprint, unlessFresh } from "./freshness.mjs";
import { isProgram, main, root, run } from "./process.mjs";
import { measureBuild, print, sizesFile } from "./sizes.mjs";
import {
  ensureBindgenTool,
  ensureLinker,
  ensureNpmPackages,
  ensureRust,
  ensureSplitter,
  ensureWasmTarget,
  requireNode,
} from "./toolchain.mjs";
import { chunks, mainWasm, wasms } from "./wasms.mjs";

/** Tests with this build need no chunks, so it has only the main wasm. */
const testingKit = { name: "threadkeep_testing", features: ["--features", "testing"], chunks: {} };
const thisScript = path.join(root, "scripts/build.mjs");

export async function build({ quick = false, testing = false } = {}) {
  const profile = quick ? "quick" : "release";
  await buildPackage({ profiles: [profile], testing });
  await measureSizes(profile);
  print(JSON.parse(readFileSync(sizesFile, "utf8")));
  if (quick) console.log("built with --quick: these are not the sizes that a page downloads");
}

/** The build that tests load: one of either profile if it is fresh, otherwise a quick one. */
export const buildForTests = () => buildPackage({ profiles: ["release", "quick"], testing: true });

async function buildPackage({ profiles, testing }) {
  const { targetDirectory, ...tools } = await ensureTools();
  await buildWasm({ targetDirectory, tools, profiles, name: mainWasm.name, features: [], chunks });
  // With the same Cargo profile, so that the dependencies are compiled once.
  if (testing) await buildWasm({ targetDirectory, tools, profiles, ...testingKit });
  await buildJavaScript();
  if (testing) await buildTestingKit();
}

/** Returns cargo's target directory and the paths of the two tools. */
async function ensureTools() {
  requireNode();
  process.chdir(root);
  const targetDirectory = await ensureRust();
  await ensureLinker();
  await ensureNpmPackages();
  await ensureWasmTarget();
  return { targetDirectory, bindgen: await ensureBindgenTool(targetDirectory), splitter: await ensureSplitter(targetDirectory) };
}

/** js/ and pkg/ -> dist/: bundled modules, their types, each wasm, and a copy of each wasm inside a module. */
async function buildJavaScript() {
  const built = ["pkg/threadkeep.js", "pkg/threadkeep.d.ts", ...wasms.map(({ file }) => `pkg/${file}`)];
  const inputs = ["js", ...built, "tsconfig.json", "tsconfig.build.json", "package-lock.json", thisScript, "scripts/bundle.mjs"];
  // Imported here, because it needs npm packages that may just have been installed.
  const { bundle, entries, inlineModule, workers } = await import("./bundle.mjs");
  const outputs = [
    "dist/index.js",
    "dist/slim.js",
    "dist/static.js",
    ...Object.keys(entries).map((name) => `dist/${name}.js`),
    "dist/preact.css",
    ...workers.flatMap(({ file, copy }) => [`dist/${file}`, `dist/${copy}`]),
    ".cache/bundle.json",
    ...wasms.map(({ file }) => `dist/${file}`),
  ];
  const made = await unlessFresh("javascript", fingerprint(inputs), outputs, async () => {
    console.log("bundling js/ into dist/");
    rmSync("dist", { recursive: true, force: true });
    mkdirSync("dist", { recursive: true });
    for (const { file, copy } of wasms) {
      copyFileSync(`pkg/${file}`, `dist/${file}`);
      writeFileSync(`dist/${copy}`, inlineModule(file));
    }
    await bundle();
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  });
  if (!made) console.log("dist/ is fresh");
}

/** The suite for hosts with a store of their own: a module and a wasm that pages do not load. */
async function buildTestingKit() {
  const inputs = ["js", "pkg/threadkeep_testing.js", "pkg/threadkeep_testing_bg.wasm", "tsconfig.testing.json", thisScript];
  await unlessFresh(
    "testing kit",
    fingerprint(inputs),
    ["dist/testing.js", "dist/threadkeep_testing_bg.wasm", "dist/testing/index.d.ts"],
    async () => {
      console.log("bundling js/testing/ into dist/");
      copyFileSync("pkg/threadkeep_testing_bg.wasm", "dist/threadkeep_testing_bg.wasm");
      const [{ build: esbuild }, { publicCore }] = await Promise.all([import("esbuild"), import("./bundle.mjs")]);
      const entryPoints = [{ in: "js/testing/index.ts", out: "testing" }];
      await esbuild({
        entryPoints,
        outdir: "dist",
        bundle: true,
        format: "esm",
        target: "es2022",
        platform: "browser",
        plugins: [publicCore],
        logLevel: "warning",
      });
      await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.testing.json"]);
    },
  );
}

async function measureSizes(profile) {
  await unlessFresh("sizes", fingerprint([{ text: profile }, "dist", thisScript, "scripts/sizes.mjs"]), [sizesFile], async () => {
    const { entries, peers, workers } = await import("./bundle.mjs");
    const sizes = await measureBuild({ entries: Object.keys(entries), peers, workers });
    writeFileSync(sizesFile, JSON.stringify({ profile, ...sizes }, null, 2));
  });
}

if (isProgram(import.meta.url)) {
  const has = (option) => process.argv.includes(option);
  await main(() => (has("--tools") ? ensureTools() : build({ quick: has("--quick"), testing: has("--testing") })));
}
