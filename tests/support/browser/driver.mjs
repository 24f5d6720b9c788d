// Starts real browsers for the page tests, ends them politely or by SIGKILL, and starts them again on the same profile.
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import puppeteer from "puppeteer-core";
import { browserKinds, findBrowser } from "../../../scripts/browsers.mjs";
import { findWebKit } from "../../../scripts/webkit.mjs";
import { fingerprint } from "../../../scripts/freshness.mjs";
import { root } from "../../../scripts/process.mjs";
import { killTree } from "./process-tree.mjs";
import { isAll } from "../explored.mjs";
import { patience } from "../until.mjs";
import { startWebKit } from "./webkit.mjs";

/** A name of this machine that is not trusted as `localhost` is: pages from there are no secure context. */
export const plainHost = "plain.test";

/** Why this browser does not find it, if it does not. */
export const noPlainHost = (kind) => kind === "webkit" && "WebKit takes names from the system only";

const chromiumFlags = [
  `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
  // Root, which is what a container runs as, has no Chromium sandbox.
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  // Pages of its own for an address field that nobody sees: a third of what starting it costs.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

const firefoxPreferences = {
  "network.dns.localDomains": plainHost,
  // navigator.storage.persist() asks the user, and there is none: answer yes.
  "dom.storageManager.prompt.testing": true,
  "dom.storageManager.prompt.testing.allow": true,
  // After a SIGKILL neither the old tabs nor the safe mode should come back.
  "browser.sessionstore.resume_from_crash": false,
  "toolkit.startup.max_resumed_crashes": -1,
  // As puppeteer starts Chromium: a test may use several tabs, and only one of them is in front.
  "dom.min_background_timeout_value": 4,
  "dom.timeout.enable_budget_timer_throttling": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "toolkit.telemetry.enabled": false,
  "app.update.enabled": false,
};

/** So many milliseconds a page may take to load, on a machine on which five browsers compile the library at once. */
const slowestLoad = 120_000;

const wanted = process.env.THREADKEEP_BROWSER;

/** Whole Chromium, as people have it, belongs to `npm test -- --all`. */
const programOf = (kind) => findBrowser(kind === "chromium" && !isAll ? "shell" : kind);
const isShell = (program) => program.includes("headless-shell");

/** Why this browser has no tabs that hide each other and no settings of a user, if it has none. */
export const noWindows = (kind) => kind === "chromium" && isShell(programOf(kind)) && "the shell of Chromium has no windows: see --all";

/**
 * The browsers of this machine, of "chromium" and "firefox": run page tests once for each. THREADKEEP_BROWSER names the
 * one that is wanted, which may be "webkit": not every file can run there, see scripts/webkit.mjs.
 */
export const availableBrowsers =
  wanted === "webkit" ? [wanted].filter(() => findWebKit()) : browserKinds.filter((kind) => programOf(kind) && (wanted ?? kind) === kind);

/**
 * Starts a browser. Without `profile` (a folder) it gets one of its own, removed by `close()`; with one, what its
 * pages store outlives it. `preferences` are Firefox's.
 */
export async function launch(kind, { profile, preferences } = {}) {
  const folder = profile ?? mkdtempSync(path.join(tmpdir(), `threadkeep-${kind}-`));
  mkdirSync(folder, { recursive: true });
  if (kind === "firefox" && readdirSync(folder).length === 0) cpSync(await firefoxTemplate(), folder, { recursive: true });
  const browser = await start(kind, folder, preferences);
  return new Browser(kind, browser, folder, profile === undefined);
}

/** A Firefox that starts on a new profile takes twice as long: one is made once, and copied. */
async function firefoxTemplate() {
  const program = realpathSync(findBrowser("firefox"));
  const made = fingerprint([program, path.join(program, "../application.ini"), { text: JSON.stringify(firefoxPreferences) }]);
  const template = path.join(root, `.cache/firefox-${made.slice(0, 16)}`);
  if (existsSync(template)) return template;
  mkdirSync(path.dirname(template), { recursive: true });
  const folder = mkdtempSync(`${template}-`);
  const browser = new Browser("firefox", await start("firefox", folder), folder, false);
  await browser.page("about:blank");
  await browser.close();
  try {
    renameSync(folder, template);
  } catch (error) {
    // Another process was quicker.
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

/** Tabs of a browser, apart from other tabs of it. */
export class Tabs {
  /** Uncaught errors and failed scripts of all these pages: a test may assert that there are none. */
  problems = [];
  #browser;
  #pages = [];

  constructor(kind, browser) {
    this.kind = kind;
    this.#browser = browser;
  }

  /** Opens a tab on `url`, a puppeteer Page. The tab opened last is the one that `evaluate` means. */
  async page(url) {
    const page = await this.#browser.newPage();
    page.on("pageerror", (error) => this.problems.push(`uncaught: ${error?.stack ?? error}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.problems.push(`console: ${message.text()}`);
    });
    this.#pages.push(page);
    // The driver of WebKit has no limits of its own to set.
    page.setDefaultTimeout?.(patience);
    await page.goto(url, { timeout: slowestLoad });
    return page;
  }

  /** Runs a function in the page, awaits its promise, and returns its JSON value. */
  evaluate(body, ...args) {
    return this.#pages.at(-1).evaluate(body, ...args);
  }

  /** More tabs of the same browser. */
  more() {
    return new Tabs(this.kind, this.#browser);
  }

  async close() {
    for (const page of this.#pages) if (!page.isClosed()) await page.close();
  }

  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

class Browser extends Tabs {
  #browser;
  #ownsProfile;

  constructor(kind, browser, profile, ownsProfile) {
    super(kind, browser);
    this.profile = profile;
    this.pid = browser.process().pid;
    this.#browser = browser;
    this.#ownsProfile = ownsProfile;
  }

  /** SIGKILL for every process of the browser at once; resolves when all are gone. The profile stays. */
  async kill() {
    const child = this.#browser.process();
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    await killTree(this.pid);
    await ended;
  }

  /** Ends the browser in order, and removes the profile if it was its own. */
  async close() {
    await Promise.race([this.#browser.close(), delay(10_000, undefined, { ref: false })]).catch(() => {});
    await this.kill();
    if (this.#ownsProfile) rmSync(this.profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** A browser that was killed may find its profile still locked by the ghost of its predecessor: a few attempts. */
async function start(kind, profile, preferences = {}, attempts = 4) {
  for (let attempt = 1; ; attempt++) {
    for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) rmSync(path.join(profile, name), { force: true });
    try {
      if (kind === "webkit") return await startWebKit({ ...findWebKit(), profile });
      return await puppeteer.launch(options(kind, profile, preferences));
    } catch (error) {
      if (attempt === attempts) throw new Error(`${kind} did not start in ${attempts} attempts`, { cause: error });
      await delay(500 * attempt);
    }
  }
}

function options(kind, profile, preferences) {
  const executablePath = programOf(kind);
  if (!executablePath || !existsSync(executablePath)) throw new Error(`no ${kind} on this machine`);
  const common = { executablePath, headless: true, userDataDir: profile, timeout: 60_000, protocolTimeout: 300_000 };
  if (kind === "firefox") return { ...common, browser: "firefox", extraPrefsFirefox: { ...firefoxPreferences, ...preferences } };
  // Pages that are left are kept, as people's browsers do.
  const headless = isShell(executablePath) ? "shell" : true;
  return { ...common, headless, args: chromiumFlags, ignoreDefaultArgs: ["--disable-back-forward-cache"] };
}

/** For a page: resolves when its title is `ready`. */
export function isReady() {
  return new Promise((resolve) => {
    const look = () => (document.title === "ready" ? resolve() : setTimeout(look, 5));
    look();
  });
}
