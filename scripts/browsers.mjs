// Where the browsers are that the page tests run in, and how they get there.
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isProgram, main, run } from "./process.mjs";
import { notChecked, skipCode } from "./testing/perform.mjs";

const places = {
  chromium: {
    variable: "CHROME",
    debianPackage: "chromium",
    commands: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
    files: [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    ],
  },
  firefox: {
    variable: "FIREFOX",
    debianPackage: "firefox-esr",
    commands: ["firefox-esr", "firefox"],
    files: ["/Applications/Firefox.app/Contents/MacOS/firefox", "C:\\Program Files\\Mozilla Firefox\\firefox.exe"],
  },
};

export const browserKinds = Object.keys(places);

/** The program of a browser: what CHROME or FIREFOX says, else the first of the usual places, else `undefined`. */
export function findBrowser(kind) {
  const { variable, commands, files } = places[kind];
  const chosen = process.env[variable];
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`${variable} is ${chosen}, which is not a program`);
    return chosen;
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const candidates = [...commands.flatMap((command) => folders.map((folder) => path.join(folder, command))), ...files];
  return candidates.find(isExecutable);
}

/** Installs what is missing where that can be done unasked. Returns a sentence per browser that is still missing. */
export async function ensureBrowsers() {
  const missing = browserKinds.filter((kind) => !findBrowser(kind));
  if (missing.length > 0 && isRootOnDebian()) await installWithApt(missing.map((kind) => places[kind].debianPackage));
  return missing
    .filter((kind) => !findBrowser(kind))
    .map((kind) => `no ${kind} was found: install it, or set ${places[kind].variable} to the path of its program`);
}

async function installWithApt(packages) {
  const apt = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  console.log(`installing ${packages.join(" and ")} with apt-get`);
  await run("apt-get", [...apt, "update"], { env });
  await run("apt-get", [...apt, "install", "-y", "--no-install-recommends", ...packages], { env });
}

function isRootOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/os-release")) return false;
  return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const missing = await ensureBrowsers();
    for (const kind of browserKinds) console.log(`${kind}: ${findBrowser(kind) ?? "missing"}`);
    if (missing.length === browserKinds.length) {
      console.log(missing.join("; "));
      process.exitCode = skipCode;
    } else for (const sentence of missing) console.log(notChecked + sentence);
  });
}
