// `npm run build`: builds dist/ from the Rust sources, skipping steps whose inputs have not changed.
//   --quick     a larger wasm that compiles in seconds
//   --testing   also what tests need: pkg/threadkeep_testing.js, and dist/testing.js for hosts
//   --tools     only installs what a build needs
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildWasm, kit, library } from "./build-wasm.mjs";
import { fingerprint, unlessFresh } from "./freshness.mjs";
import { isProgram, main, root, run } from "./process.mjs";
import { measureBuild, print, sizesFile } from "./sizes.mjs";
import { ensureLinker, ensureNpmPackages, ensureRust, ensureWasmTarget, ensureWasmTool, requireNode } from "./toolchain.mjs";
import { wasms } from "./wasms.mjs";

const thisScript = path.join(root, "scripts/build.mjs");
const profileOf = (quick) => (quick ? "quick" : "release");

export async function build({ quick = false, testing = false } = {}) {
  const profile = profileOf(quick);
  await buildPackage({ profiles: [profile], testing });
  await measureSizes(profile);
  print(JSON.parse(readFileSync(sizesFile, "utf8")));
  if (quick) console.log("built with --quick: these are not the sizes that a page downloads");
}

/** The build that tests load: one of either profile if it is fresh, otherwise a quick one. */
export const buildForTests = () => buildPackage({ profiles: ["release", "quick"], testing: true });

/** What a page needs: neither types nor sizes. */
export async function buildForPages({ quick }) {
  const { targetDirectory } = await ensureRustTools();
  const where = { targetDirectory, tool: toolOnce(targetDirectory), profiles: [profileOf(quick)] };
  await Promise.all([ensureNpmPackages(), buildWasm(library, where)]);
  await buildJavaScript();
}

async function buildPackage({ profiles, testing }) {
  const { targetDirectory } = await ensureRustTools();
  const where = { targetDirectory, tool: toolOnce(targetDirectory), profiles };
  await Promise.all([ensureNpmPackages(), buildWasm(library, where)]);
  // With the same Cargo profile, so that the dependencies are compiled once.
  if (testing) await buildWasm(kit, where);
  await buildJavaScript();
  await buildTypes();
  if (testing) await buildTestingKit();
}

async function ensureTools() {
  const { targetDirectory } = await ensureRustTools();
  await Promise.all([ensureNpmPackages(), ensureWasmTool(targetDirectory)]);
}

/** Returns cargo's target directory. */
async function ensureRustTools() {
  requireNode();
  process.chdir(root);
  const targetDirectory = await ensureRust();
  await ensureLinker();
  await ensureWasmTarget();
  return { targetDirectory };
}

/** A function that builds the tool for wasm files when it is first called, and promises its path. */
function toolOnce(targetDirectory) {
  let tool;
  return () => (tool ??= ensureWasmTool(targetDirectory));
}

/** js/ and pkg/ -> dist/: bundled modules, each wasm, and a copy of each wasm inside a module. */
async function buildJavaScript() {
  const built = ["pkg/threadkeep.js", ...wasms.map(({ file }) => `pkg/${file}`)];
  const inputs = ["js", ...built, "tsconfig.json", "package-lock.json", thisScript, "scripts/bundle.mjs"];
  // Imported here, because it needs npm packages that may just have been installed.
  const { bundle, entries, inlineModule, workers } = await import("./bundle.mjs");
  const outputs = [
    "dist/index.js",
    "dist/slim.js",
    "dist/static.js",
    ...Object.keys(entries).map((name) => `dist/${name}.js`),
    "dist/preact.css",
    ...workers.flatMap(({ file, copy }) => [`dist/${file}`, `dist/${copy}`]),
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
  });
  if (!made) console.log("dist/ is fresh");
}

/** js/ -> dist/: the types of the modules. */
async function buildTypes() {
  const inputs = ["js", "pkg/threadkeep.d.ts", "tsconfig.json", "tsconfig.build.json", "package-lock.json", thisScript];
  await unlessFresh("types", fingerprint(inputs), ["dist/entries/index.d.ts"], async () => {
    console.log("writing the types of js/ into dist/");
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  });
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
    const { entries, parts, peers, workers } = await import("./bundle.mjs");
    const sizes = await measureBuild({ entries: Object.keys(entries), parts: Object.keys(parts), peers, workers });
    writeFileSync(sizesFile, JSON.stringify({ profile, ...sizes }, null, 2));
  });
}

if (isProgram(import.meta.url)) {
  const has = (option) => process.argv.includes(option);
  await main(() => (has("--tools") ? ensureTools() : build({ quick: has("--quick"), testing: has("--testing") })));
}
