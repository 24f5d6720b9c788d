// `npm run build`: everything from the Rust sources to dist/, skipping what is fresh.
//   --quick   a wasm that compiles in seconds and is larger than a page should download; the budget is not checked
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { fingerprint, unlessFresh } from "./freshness.mjs";
import { isProgram, main, root, run } from "./process.mjs";
import { filesOfAPage, holdBudget, measure, print } from "./sizes.mjs";
import { ensureBindgenTool, ensureNpmPackages, ensureWasmTarget, requireCargo, requireNode } from "./toolchain.mjs";

const wasmName = "threadkeep_bg.wasm";
const thisScript = path.join(root, "scripts/build.mjs");

export async function build({ quick = false } = {}) {
  requireNode();
  process.chdir(root);
  const targetDirectory = requireCargo();
  await ensureNpmPackages();
  await ensureWasmTarget();
  const tool = await ensureBindgenTool(targetDirectory);
  await buildWasm(targetDirectory, tool, quick ? "quick" : "release");
  await buildJavaScript();
  const { metafile } = JSON.parse(readFileSync(".cache/bundle.json", "utf8"));
  const sizes = measure(filesOfAPage(metafile, "dist/index.js", `dist/${wasmName}`));
  print(sizes);
  if (quick) console.log("built with --quick: these are not the sizes that a page downloads");
  else holdBudget(sizes);
}

/** src/ -> pkg/: the wasm, its JavaScript glue and the glue's types. */
async function buildWasm(targetDirectory, tool, profile) {
  console.log(`compiling the wasm (profile ${profile})`);
  await run("cargo", ["build", "--locked", "--lib", "--profile", profile, "--target", "wasm32-unknown-unknown"]);
  const compiled = path.join(targetDirectory, "wasm32-unknown-unknown", profile, "threadkeep.wasm");
  await unlessFresh("bindgen", fingerprint([compiled, tool, thisScript]), [`pkg/${wasmName}`, "pkg/threadkeep.js"], async () => {
    rmSync("pkg", { recursive: true, force: true });
    // The loader (js/wasm.ts) says where the wasm is; a default path in the glue would make bundlers emit it twice.
    await run(tool, [
      "--target", "web", "--omit-default-module-path", "--remove-name-section", "--remove-producers-section",
      "--out-dir", "pkg", "--out-name", "threadkeep", compiled,
    ]);
  });
}

/** js/ and pkg/ -> dist/: bundled modules, their types, the wasm, and the wasm once more as a module of last resort. */
async function buildJavaScript() {
  const inputs = ["js", "pkg", "tsconfig.json", "tsconfig.build.json", "package-lock.json", thisScript];
  const made = await unlessFresh("javascript", fingerprint(inputs), ["dist/index.js", `dist/${wasmName}`, ".cache/bundle.json"], async () => {
    console.log("bundling js/ into dist/");
    rmSync("dist", { recursive: true, force: true });
    mkdirSync("dist", { recursive: true });
    copyFileSync(`pkg/${wasmName}`, `dist/${wasmName}`);
    writeFileSync("dist/wasm-inline.js", inlineModule(readFileSync(`pkg/${wasmName}`)));
    await bundle();
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"]);
  });
  if (!made) console.log("dist/ is fresh");
}

async function bundle() {
  const { build: esbuild } = await import("esbuild");
  const entryPoints = ["js/index.ts", "js/testing.ts"].filter((file) => existsSync(file));
  const { metafile } = await esbuild({
    entryPoints,
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    minify: true,
    sourcemap: true,
    metafile: true,
    // Chunks stay beside index.js, because the loader finds the wasm relative to its own file.
    chunkNames: "[name]-[hash]",
    external: ["./wasm-inline.js"],
    logLevel: "warning",
  });
  mkdirSync(".cache", { recursive: true });
  writeFileSync(".cache/bundle.json", JSON.stringify({ metafile }));
}

function inlineModule(wasm) {
  const base64 = gzipSync(wasm, { level: 9 }).toString("base64");
  return `// ${wasmName}, gzip, base64: for where the file itself cannot be fetched.\nexport default "${base64}";\n`;
}

if (isProgram(import.meta.url)) await main(() => build({ quick: process.argv.includes("--quick") }));
