// Installs what a build needs: Node, Rust with the wasm target, the npm packages, and wasm-bindgen's command line, which is
// built from our own Cargo.lock so that it always matches the crate.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { installPackages, isRootOnDebian } from "./debian.mjs";
import { Stop, output, root, run, whereFrom } from "./process.mjs";

const wasmTarget = "wasm32-unknown-unknown";

export function requireNode() {
  if (isOlder(process.versions.node, "20.19")) {
    throw new Stop(`Node.js ${process.versions.node} is too old: install 20.19 or newer from https://nodejs.org`);
  }
}

/** Checks the version of Rust. Returns cargo's target directory, which the user may have moved. */
export async function ensureRust() {
  if (output("cargo", ["--version"]) === undefined) {
    if (output("rustup", ["--version"]) === undefined) throw new Stop(`cargo was not found: ${whereFrom.cargo}`);
    console.log("installing the stable Rust toolchain");
    await run("rustup", ["default", "stable"]);
  }
  const metadata = output("cargo", ["metadata", "--format-version=1", "--no-deps", "--offline"]);
  if (metadata === undefined) throw new Stop("`cargo metadata` failed: run it to see what is wrong with Cargo.toml");
  const { packages, target_directory: targetDirectory } = JSON.parse(metadata);
  const wanted = packages.find(({ name }) => name === "threadkeep").rust_version;
  const installed = /^rustc (\d+\.\d+)/.exec(output("rustc", ["--version"]))?.[1];
  if (isOlder(installed, wanted)) throw new Stop(`Rust ${installed} is too old, ${wanted} is needed: run \`rustup update\``);
  return targetDirectory;
}

function isOlder(version, wanted) {
  const [major, minor] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = wanted.split(".").map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

/** Rust links its build scripts and macros with the system's C compiler, which rustup does not install. */
export async function ensureLinker() {
  if (process.platform !== "linux" || output("cc", ["--version"])) return;
  if (isRootOnDebian()) await installPackages(["gcc", "libc6-dev"]);
  else throw new Stop("no C compiler was found, with which Rust links: install gcc (Debian: apt-get install build-essential)");
}

export async function ensureWasmTarget() {
  const sysroot = output("rustc", ["--print", "sysroot"]);
  if (sysroot && existsSync(path.join(sysroot, "lib/rustlib", wasmTarget))) return;
  if (output("rustup", ["--version"]) === undefined) {
    throw new Stop(`this Rust has no ${wasmTarget} target and no rustup to add it: install Rust from https://rustup.rs`);
  }
  console.log(`adding the Rust target ${wasmTarget}`);
  await run("rustup", ["target", "add", wasmTarget]);
}

/** rustfmt and clippy, which rustup's minimal profile does not contain. */
export async function ensureLinters() {
  if (output("cargo", ["fmt", "--version"]) && output("cargo", ["clippy", "--version"])) return;
  console.log("adding rustfmt and clippy");
  await run("rustup", ["component", "add", "rustfmt", "clippy"]);
}

/** Installs the packages of package-lock.json, unless node_modules contains exactly these. */
export async function ensureNpmPackages() {
  if (npmPackagesAreFresh()) return;
  console.log("installing npm packages");
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
}

function npmPackagesAreFresh() {
  const installedFile = path.join(root, "node_modules/.package-lock.json");
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  return Object.entries(wanted).every(([name, entry]) => name === "" || entry.optional || installed[name]?.version === entry.version);
}

/** The path of the wasm-bindgen tool. A copy with a name of its own, because cargo rebuilds the original with every change of the library. */
export async function ensureBindgenTool(targetDirectory) {
  const lock = readFileSync(path.join(root, "Cargo.lock"), "utf8");
  const version = /name = "wasm-bindgen-cli"\nversion = "([^"]+)"/.exec(lock)?.[1];
  if (!version) throw new Stop("Cargo.lock names no wasm-bindgen-cli: the feature `wbt` of Cargo.toml must depend on it");
  const source = createHash("sha256")
    .update(readFileSync(path.join(root, "tools/wbt.rs")))
    .digest("hex")
    .slice(0, 8);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const tool = path.join(targetDirectory, "tools", `wbt-${version}-${source}${suffix}`);
  if (existsSync(tool)) return tool;
  console.log(`building the wasm-bindgen tool ${version} (once, about a minute)`);
  await run("cargo", ["build", "--locked", "--features", "wbt", "--bin", "wbt"]);
  mkdirSync(path.dirname(tool), { recursive: true });
  copyFileSync(path.join(targetDirectory, "debug", `wbt${suffix}`), tool);
  return tool;
}

/** The path of the tool that splits the wasm into chunks (tools/splitter), copied in the same way. */
export async function ensureSplitter(targetDirectory) {
  const folder = path.join(root, "tools/splitter");
  const hash = createHash("sha256");
  for (const file of ["Cargo.toml", "Cargo.lock", "src/main.rs", "src/pack.rs", "src/locals.rs"])
    hash.update(readFileSync(path.join(folder, file)));
  const suffix = process.platform === "win32" ? ".exe" : "";
  const tool = path.join(targetDirectory, "tools", `splitter-${hash.digest("hex").slice(0, 8)}${suffix}`);
  if (existsSync(tool)) return tool;
  console.log("building the tool that splits the wasm (once, about a minute)");
  const splitterTarget = path.join(targetDirectory, "tools/splitter");
  await run("cargo", ["build", "--locked", "--manifest-path", path.join(folder, "Cargo.toml"), "--target-dir", splitterTarget]);
  copyFileSync(path.join(splitterTarget, "debug", `splitter${suffix}`), tool);
  return tool;
}
