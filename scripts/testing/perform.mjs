// Runs one step of `npm test`, with its output in a log file, so that the output of parallel steps is not mixed.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import { killTree } from "../../tests/support/browser/process-tree.mjs";
import { root } from "../process.mjs";
import { failedTest, timedTest } from "./reporter.mjs";

/** The exit code of a command that cannot run here; the last line of its output is the reason. */
export const skipCode = 77;
/** The beginning of a line in which a command reports that it skipped something, and why. */
export const notChecked = "NOT CHECKED: ";
const logs = path.join(root, ".cache/test-logs");
const children = new Set();

/** Runs `step.command`; resolves to { outcome, timedOut, reason, gaps, failures, times, seconds, log, text }, also if it fails. */
export async function perform(step) {
  mkdirSync(logs, { recursive: true });
  const log = path.join(logs, `${step.name}.log`);
  const begun = performance.now();
  const ended = await execute(step, log);
  const text = readFileSync(log, "utf8");
  const said = (beginning) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(beginning))
      .map((line) => line.slice(beginning.length));
  return {
    ...verdict(ended, text, step),
    gaps: said(notChecked),
    failures: said(failedTest).map((line) => JSON.parse(line)),
    times: said(timedTest).map((line) => JSON.parse(line)),
    seconds: (performance.now() - begun) / 1000,
    log,
    text,
  };
}

function verdict({ code, error, timedOut }, text, { timeout }) {
  if (timedOut) return { outcome: "failed", timedOut, reason: `no end after ${timeout} s` };
  if (error) return { outcome: "failed", reason: error.message };
  if (code === 0) return { outcome: "ok" };
  if (code === skipCode) return { outcome: "skipped", reason: text.trim().split("\n").at(-1) };
  return { outcome: "failed", reason: `exit ${code}` };
}

/**
 * Makes the folder for what tests keep for a while, such as profiles of browsers: in memory, if there is room for several large ones. A disk
 * keeps them waiting, and what is written there survives a killed process no better. What a killed browser leaves goes with the folder.
 */
const makeScratch = () => mkdtempSync(path.join(roomIn("/dev/shm") > 6e9 ? "/dev/shm" : tmpdir(), "threadkeep-"));

function roomIn(folder) {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, freemem());
}

function execute({ command: [program, ...args], env, timeout }, log) {
  const file = openSync(log, "w");
  const scratch = makeScratch();
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, TMPDIR: scratch, ...env },
    stdio: ["ignore", file, file],
    detached: true,
  });
  closeSync(file);
  children.add(child);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killTree(child.pid);
    }, timeout * 1000);
    const end = (how) => {
      clearTimeout(timer);
      children.delete(child);
      try {
        rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      } catch {
        // A process that outlives its step may still write there.
      }
      resolve({ ...how, timedOut });
    };
    child.on("error", (error) => end({ error }));
    child.on("exit", (code, signal) => end({ code: code ?? signal }));
  });
}

/** Ends all running commands with all that they have started, such as browsers, when the tests are interrupted. */
export async function endAll() {
  await Promise.all([...children].map((child) => killTree(child.pid)));
}
