// WebKit as a browser for page tests: WebKitGTK on Linux, with a window of our own (tests/support/browser/webkit-window.py)
// and a screen that nobody sees; and the files of tests that run in it.
//   node scripts/webkit.mjs    installs it, where that needs no question
import { existsSync } from "node:fs";
import path from "node:path";
import { installPackages, isRootOnDebian } from "./debian.mjs";
import { isProgram, main, output } from "./process.mjs";
import { skipCode } from "./testing/perform.mjs";

const packages = ["webkit2gtk-driver", "xvfb", "python3-gi", "gir1.2-webkit2-4.1"];

/** Debian's Python, because its modules are not those of another one on the PATH. */
const python = "/usr/bin/python3";
const bindings = "import gi; gi.require_version('Gtk', '3.0'); gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2";

/** Files of tests that need something which a driver of WebDriver cannot do, or which WebKit has not: they do not run there. */
const lacks = {
  "keys, the mouse and sizes of the window, which our driver does not have": ["tests/browser/ui", "tests/browser/examples", "tests/demo"],
  "tabs in front of others, because no window hides another on a screen without a desktop": ["tests/browser/conversation/workers.test.mjs"],
  "the protocol of Chromium": ["tests/browser/store/full.test.mjs", "tests/browser/store/full-large.test.mjs"],
  "a handle of a directory in the database, which WebKitGTK refuses": ["tests/browser/workspace/workspace.test.mjs"],
  "times of files in parts of a second, by which a store in a directory notices changes": [
    "tests/browser/store/directory.test.mjs",
    "tests/kills/folders.test.mjs",
  ],
  "the text of a form with a file, which WebKit does not read": ["tests/browser/secrets/secrets.test.mjs"],
  "an error at the early end of an answer in chunks, which WebKit takes for its end": ["tests/browser/llm/fetch.test.mjs"],
};

/**
 * Files of tests that run in it, by the folder of their step; they are those that say most about storage, tabs and networks. `lacks`
 * has those that cannot, and the rest is left out for time.
 */
export const webKitTests = {
  browser: [
    "tests/browser/conversation/branches.test.mjs",
    "tests/browser/conversation/followers.test.mjs",
    "tests/browser/conversation/homes.test.mjs",
    "tests/browser/conversation/lifecycle.test.mjs",
    "tests/browser/conversation/side-calls.test.mjs",
    "tests/browser/conversation/two-writers.test.mjs",
    "tests/browser/entries/environments.test.mjs",
    "tests/browser/formats/archive.test.mjs",
    "tests/browser/formats/devices.test.mjs",
    "tests/browser/llm/background.test.mjs",
    "tests/browser/llm/llm.test.mjs",
    "tests/browser/llm/offline.test.mjs",
    "tests/browser/store/encrypted.test.mjs",
    "tests/browser/store/lost.test.mjs",
    "tests/browser/store/storage.test.mjs",
    "tests/browser/store/store.test.mjs",
    "tests/browser/tooling/driver.test.mjs",
  ],
  kills: ["tests/kills/kills.test.mjs", "tests/kills/drafts.test.mjs"],
  lacks,
};

let found;

/** The programs { driver, python } that a test starts; `undefined` if something is missing. */
export function findWebKit() {
  found ??= { programs: look() };
  return found.programs;
}

function look() {
  const [driver, screen] = ["WebKitWebDriver", "Xvfb"].map(onPath);
  if (!driver || !screen || !existsSync(python)) return undefined;
  return output(python, ["-c", bindings], { stdio: ["ignore", "pipe", "ignore"] }) === undefined ? undefined : { driver, python };
}

function onPath(command) {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, command)).find((file) => existsSync(file));
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    let reason = `install ${packages.join(", ")}`;
    if (!findWebKit() && isRootOnDebian()) {
      // Nothing that is installed is changed for a browser that only some tests use.
      const how = { attempts: 3, more: ["--no-remove", "--no-upgrade"] };
      await installPackages(packages, how).catch((error) => (reason = error.message));
      found = undefined;
    }
    if (findWebKit()) return console.log(`webkit: ${findWebKit().driver}`);
    console.log(`no WebKit was found: ${reason}`);
    process.exitCode = skipCode;
  });
}
