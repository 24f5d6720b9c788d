// Runs other programs for the scripts beside this file, and turns what can go wrong with them into sentences.
import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(import.meta.dirname, "..");

/** A failure that the user can act on: printed as its message, without a stack. */
export class Stop extends Error {}

/** What to do about a program that is missing. */
export const whereFrom = {
  cargo: "install Rust from https://rustup.rs and open a new shell",
  rustup: "install Rust from https://rustup.rs and open a new shell",
  npm: "install Node.js 20.19 or newer, which brings npm",
  "apt-get": "this needs a Debian-like system",
};

/** Runs a program to its end with its output on ours; anything but success throws `Stop`. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.on("error", (error) => reject(notStarted(command, error)));
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Stop(`${command} ${args[0] ?? ""} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

/** What a program prints, trimmed, or `undefined` when it is missing or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The `main` of a script: a `Stop` becomes one line on stderr and exit code 1, anything else keeps its stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Stop ? `\nthreadkeep: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** True when the module of this URL is the program that was started, not an import of another. */
export const isProgram = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);

function notStarted(command, error) {
  if (error.code !== "ENOENT") return error;
  return new Stop(`${command} was not found: ${whereFrom[command] ?? "install it and try again"}`);
}
