// Runs other programs for the scripts in this folder, and turns failures into sentences.
import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(import.meta.dirname, "..");

/** A failure that the user can fix: printed as its message, without a stack. */
export class Stop extends Error {}

/** Advice for a missing program. */
export const whereFrom = {
  cargo: "install Rust from https://rustup.rs and open a new shell",
  rustup: "install Rust from https://rustup.rs and open a new shell",
  npm: "install Node.js 20.19 or newer, which brings npm",
  "apt-get": "this needs a Debian-like system",
};

/**
 * Runs a program and passes its output on; throws `Stop` unless it succeeds. With `stderr`, what it has written there is passed on at
 * its end, as this function returns it. What `isBeside` leaves the processors to what everybody waits for.
 */
export function run(command, args, { stderr, isBeside = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["inherit", "inherit", stderr ? "pipe" : "inherit"], ...options });
    if (isBeside && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let text = "";
    child.stderr?.setEncoding("utf8").on("data", (more) => (text += more));
    child.on("error", (error) => reject(notStarted(command, error)));
    child.on("close", (code, signal) => {
      if (stderr) process.stderr.write(stderr(text));
      if (code === 0) resolve();
      else reject(new Stop(`${command} ${args[0] ?? ""} failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

/** The trimmed output of a program, or `undefined` if it is missing or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Runs the `main` of a script: a `Stop` becomes one line on stderr and exit code 1, other errors are printed with their stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Stop ? `\nthreadkeep: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Whether the module of this URL is the program that was started, not an import of another. */
export const isProgram = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);

function notStarted(command, error) {
  if (error.code !== "ENOENT") return error;
  return new Stop(`${command} was not found: ${whereFrom[command] ?? "install it and try again"}`);
}
