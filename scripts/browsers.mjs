// Finds and installs the browsers for the page tests.
//   node scripts/browsers.mjs shell    only this one
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { installPackages, isRootOnDebian } from "./debian.mjs";
import { isProgram, main } from "./process.mjs";
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
  // Chromium without its own windows: pages cost a quarter less.
  shell: { variable: "CHROME", debianPackage: "chromium-headless-shell", commands: ["chromium-headless-shell"], files: [] },
  firefox: {
    variable: "FIREFOX",
    debianPackage: "firefox-esr",
    commands: ["firefox-esr", "firefox"],
    files: ["/Applications/Firefox.app/Contents/MacOS/firefox", "C:\\Program Files\\Mozilla Firefox\\firefox.exe"],
  },
};

export const browserKinds = ["chromium", "firefox"];

/**
 * The path of a browser: CHROME or FIREFOX if set, otherwise the first of the usual paths, otherwise `undefined`. What a shell does, Chromium
 * does as well.
 */
export const findBrowser = (kind) => programOf(kind) ?? (kind === "shell" ? programOf("chromium") : undefined);

function programOf(kind) {
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

/** Installs missing ones of these browsers if that is possible without asking. Returns a sentence for each one that is still missing. */
export async function ensureBrowsers(kinds = browserKinds) {
  const missing = kinds.filter((kind) => !programOf(kind));
  if (missing.length > 0 && isRootOnDebian()) {
    // Where another one does as well, the machine need not have it.
    const isNeeded = missing.some((kind) => !findBrowser(kind));
    const installed = installPackages(
      missing.map((kind) => places[kind].debianPackage),
      isNeeded ? {} : { attempts: 1 },
    );
    await installed.catch((error) => {
      if (isNeeded) throw error;
    });
  }
  return missing
    .filter((kind) => !findBrowser(kind))
    .map((kind) => `no ${kind} was found: install it, or set ${places[kind].variable} to the path of its program`);
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
    const kinds = process.argv.length > 2 ? process.argv.slice(2) : browserKinds;
    const missing = await ensureBrowsers(kinds);
    for (const kind of kinds) console.log(`${kind}: ${findBrowser(kind) ?? "missing"}`);
    if (missing.length === kinds.length) {
      console.log(missing.join("; "));
      process.exitCode = skipCode;
    } else for (const sentence of missing) console.log(notChecked + sentence);
  });
}
