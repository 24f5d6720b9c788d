// Packages of the system, where they can be installed without asking anybody: by root, on Debian.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./process.mjs";

export function isRootOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}

/** Installs packages without their recommendations, waiting for its turn if another apt-get is at work. */
export async function installPackages(packages, attempts = 6) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  console.log(`installing ${packages.join(" and ")} with apt-get`);
  for (let attempt = 1; ; attempt++) {
    try {
      await run("apt-get", [...options, "update"], { env });
      await run("apt-get", [...options, "install", "-y", "--no-install-recommends", ...packages], { env });
      return;
    } catch (error) {
      // The lock on the package lists knows no waiting.
      if (attempt === attempts) throw error;
      await delay(5000 * attempt);
    }
  }
}
