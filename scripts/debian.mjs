// Installs packages of the system where that needs no question: as root, on Debian.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "./process.mjs";

export function isRootOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}

/** Installs packages without their recommendations; waits if another apt-get is running. `more` are further options of the installation. */
export async function installPackages(packages, { attempts = 6, more = [] } = {}) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  console.log(`installing ${packages.join(" and ")} with apt-get`);
  for (let attempt = 1; ; attempt++) {
    try {
      await run("apt-get", [...options, "update"], { env });
      await run("apt-get", [...options, "install", "-y", "--no-install-recommends", ...more, ...packages], { env });
      return;
    } catch (error) {
      // apt-get does not wait for the lock on the package lists.
      if (attempt === attempts) throw error;
      await delay(5000 * attempt);
    }
  }
}
