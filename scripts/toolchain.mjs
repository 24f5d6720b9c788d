// Installs what a build needs: Node, Rust with the wasm target, the npm packages, and the tool that makes the files of a build,
// whose wasm-bindgen is that of the library: both are in Cargo.lock, and Cargo refuses another version beside it.
import { existsSync, readFileSync } from "node:fs";
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
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { stderr: exceptForPages, isBeside: true });
}

/** Packages that ask for a newer Node than this project, which only bundles them for pages, or takes their types. */
const forPages = /package: '(ai|@ai-sdk\/[a-z-]+|nanoid|pdfjs-dist)@/;

/** Leaves out that Node is too old for these. Of all others npm's warnings stay. */
export function exceptForPages(text) {
  return text.replaceAll(
    /^npm warn EBADENGINE Unsupported engine \{\n(?:npm warn EBADENGINE {3}.*\n)+npm warn EBADENGINE \}\n/gim,
    (block) => (forPages.test(block) ? "" : block),
  );
}

function npmPackagesAreFresh() {
  const installedFile = path.join(root, "node_modules/.package-lock.json");
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  return Object.entries(wanted).every(([name, entry]) => name === "" || entry.optional || installed[name]?.version === entry.version);
}

/** The path of the tool that makes the files of a build from the linked wasm (tools/wasm). Cargo builds what is not there yet. */
export async function ensureWasmTool(targetDirectory) {
  const tool = path.join(targetDirectory, "tool", process.platform === "win32" ? "wasm-tool.exe" : "wasm-tool");
  if (!existsSync(tool)) console.log("building the tool for wasm files, tools/wasm (once, about a minute)");
  await run("cargo", ["build", "--locked", "--quiet", "--package", "wasm-tool", "--profile", "tool"], { isBeside: true });
  return tool;
}
