// Kills a process and everything it started, and waits until all of them are gone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** SIGKILL for `pid` and all its descendants; resolves when none is left. */
export async function killTree(pid) {
  const victims = treeOf(pid);
  // The group first, for it dies at one moment; a helper outside of it follows.
  kill(-pid);
  for (const victim of victims) kill(victim.pid);
  const deadline = Date.now() + 10_000;
  while (
    processes().some((left) => left.group === pid || victims.some((victim) => victim.pid === left.pid && victim.start === left.start))
  ) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there 10 s after SIGKILL`);
    await delay(10);
  }
}

/** Whether a process runs; a zombie does not. */
export function isAlive(pid) {
  return processes().some((each) => each.pid === pid);
}

/** A process with all that it started. */
export function treeOf(pid) {
  const all = processes();
  const found = all.filter((each) => each.pid === pid);
  for (const parent of found) found.push(...all.filter((each) => each.parent === parent.pid));
  return found;
}

function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** All live processes; a zombie, which only waits to be reaped, is not one. */
function processes() {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

function fromProc() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      let stat;
      try {
        stat = readFileSync(`/proc/${name}/stat`, "utf8");
      } catch {
        return [];
      }
      // The name in parentheses may itself hold spaces and parentheses; fields are counted after its end.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return entry(name, fields[1], fields[2], fields[0], fields[19]);
    });
}

function fromPs() {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="], { encoding: "utf8" }).trim().split("\n");
  return lines.flatMap((line) => entry(...line.trim().split(/\s+/), ""));
}

function entry(pid, parent, group, state, start) {
  if (state.startsWith("Z") || state.startsWith("X")) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start }];
}

/** The most megabytes that a page's process had; 0 for another process. */
export function peakOf(pid) {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) return 0;
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  } catch {
    return 0;
  }
}
