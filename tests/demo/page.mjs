// The demo page as its users see it: what it shows, and what can be done with it. Nothing here reads the page's code, and
// every step waits for what it expects to see.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fingerprint } from "../../scripts/freshness.mjs";
import { root } from "../../scripts/process.mjs";
import { createScriptedModel } from "../../scripts/scripted-model.mjs";
import { site } from "../../scripts/site.mjs";
import { build } from "../../www/build.mjs";
import { listen } from "../support/listen.mjs";
import { faultsOf } from "../support/browser/axe.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { madeOnce } from "../support/made-once.mjs";
import { untilIn } from "../support/browser/until.mjs";
import { patience } from "../support/until.mjs";

/** The folder of the built page, which all processes that test it share. */
async function builtPage() {
  const sources = readdirSync(path.join(root, "www")).filter((name) => name !== "dist");
  const folder = `.cache/demo-${fingerprint([...sources.map((name) => `www/${name}`), "dist"]).slice(0, 16)}`;
  const outdir = path.join(root, folder);
  await madeOnce(outdir, path.join(outdir, ".made"), () => build({ outdir }));
  return folder;
}

/**
 * Builds the page and serves it with its scripted model, which `npm start` does too, or with the handler of another.
 * `requests` are those to the model. `stop` and `restart` are what happens to a network.
 */
export async function startDemo({ delay = 3, model: scripted = createScriptedModel({ delay }), mounts } = {}) {
  const folder = await builtPage();
  const requests = [];
  const model = (request, response) => {
    if (request.method !== "HEAD") requests.push({ url: request.url, authorization: request.headers.authorization });
    return scripted(request, response);
  };
  const handle = site({ model, page: folder, mounts });
  let server = await listen(handle);
  const { origin, port } = server;
  const stop = () => server.close();
  const restart = async () => void (server = await listen(handle, port));
  return { origin, folder, requests, stop, restart, close: stop };
}

// Firefox logs one of these when a reload cuts off the loading of a part of the library, such as the one that makes titles.
const cutOff = [
  /^uncaught: Error: Failed to load .*(-[A-Z0-9]{8}\.js|\/threadkeep_\w+\.wasm).*A ServiceWorker intercepted the request/,
  /^uncaught: Error: ThreadkeepError: a part of the library did not load: error loading dynamically imported module/,
];

/**
 * How to run the steps of a test: each in a tab of its own, on a new conversation. What the browser complains of beyond
 * `expected` fails it.
 */
export function stepsOf(context, browser, demo, usual = /^$/) {
  return (name, body, expected = usual) =>
    context.test(name, async () => {
      const page = await DemoPage.open(browser, `${demo.origin}/#/`);
      await body(page);
      assert.deepEqual(
        browser.problems.splice(0).filter((problem) => ![expected, ...cutOff].some((known) => known.test(problem))),
        [],
      );
      await page.page.close();
    });
}

/**
 * A test in each browser, of a page that is served for its file: `body` has its steps. `expected` is what browsers may complain of, the
 * other options are those of `startDemo()`.
 */
export function demoTest(name, { expected, ...options }, body) {
  let demo;
  before(async () => (demo = await startDemo(options)));
  after(() => demo.close());
  for (const kind of availableBrowsers)
    test(`${kind}: ${name}`, async (context) => {
      const browser = await tabs(kind);
      try {
        await body({ kind, browser, demo, step: stepsOf(context, browser, demo, expected) });
      } finally {
        await browser.close();
      }
    });
}

export class DemoPage {
  constructor(page, kind) {
    this.page = page;
    this.kind = kind;
  }

  /** Opens the page in a tab of `browser`. What it offers for download is kept in the tab. */
  static async open(browser, url) {
    const page = await browser.page("about:blank");
    await page.evaluateOnNewDocument(() => {
      window.downloads = [];
      const toUrl = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        const url = toUrl.call(URL, blob);
        window.downloads.push({ blob, url });
        return url;
      };
      const click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () {
        const download = window.downloads.find((each) => each.url === this.href);
        if (download) download.name = this.download;
        else click.call(this);
      };
    });
    await page.setViewport({ width: 1100, height: 800 });
    await page.goto(url);
    const demo = new DemoPage(page, browser.kind);
    await demo.drawn();
    return demo;
  }

  /** Waits until the page has started. Its start view is there before. */
  drawn() {
    return this.until(
      "the page has drawn itself",
      () => document.querySelector("#model-label").textContent && document.querySelector(".start, .items"),
    );
  }

  /** Waits until `condition` holds in the page. */
  async until(what, condition, ...args) {
    await untilIn(this.page, what, condition, ...args);
  }

  /** Waits until the text of the thread, or of another part of the page, matches. */
  shows(pattern, selector = ".items") {
    const condition = (selector, source) => new RegExp(source, "s").test(document.querySelector(selector)?.textContent ?? "");
    return this.until(`${selector} shows ${pattern}`, condition, selector, pattern.source);
  }

  /** Waits until the page asks about calls, in these words. */
  async waits(pattern) {
    await this.shows(pattern, ".next");
    await this.idle();
  }

  /** Waits until so much of an answer has streamed in. */
  streams(length = 50) {
    return this.until(
      "an answer streams in",
      (wanted) => document.querySelector(".entry.live .prose")?.textContent.length > wanted,
      length,
    );
  }

  async say(text) {
    // It is not, while the conversation is opened again.
    await this.until("the message field can be used", () => document.querySelector(".composer-text")?.disabled === false);
    await this.page.focus(".composer-text");
    await this.enter(text);
    await this.page.keyboard.press("Enter");
  }

  /** Puts it into a field, in place of what is there. */
  async fill(selector, text) {
    // One that is hidden yet would not take the focus, and the text would go elsewhere.
    await this.until("there is a field", (selector) => document.querySelector(selector)?.checkVisibility(), selector);
    await this.page.$eval(selector, (field) => (field.focus(), field.select()));
    await this.enter(text);
  }

  /** Chooses this value in a list. */
  async choose(selector, value) {
    await this.page.waitForSelector(selector);
    await this.page.select(selector, value);
  }

  /** Chooses a server that the settings do not know. `kept` is the passphrase under which its key is stored. */
  async connect({ baseUrl, model = "openai/scripted-model", key, kept }) {
    await this.press("Settings");
    await this.choose("[name=provider]", "other");
    await this.fill("[name=base-url]", baseUrl);
    await this.fill("[name=model]", model);
    if (key !== undefined) await this.fill("[name=api-key]", key);
    if (kept !== undefined) await this.choose("[name=protection]", "passphrase");
    if (kept !== undefined) await this.fill("[name=passphrase]", kept);
    await this.press("Use this model");
    await this.shows(/^Saved\.$/, ".saved");
    await this.press("Close the settings");
  }

  /** Answers the question for the passphrase. */
  async unlock(passphrase) {
    const field = await this.page.waitForSelector("body > div >>> #unlock-field");
    await field.type(`${passphrase}\n`);
    await this.until("it is unlocked", () => ![...document.querySelectorAll("body > div")].some(({ shadowRoot }) => shadowRoot));
  }

  /** All of it at once, as from a clipboard: key by key takes a browser seconds. */
  enter(text) {
    return this.page.evaluate((text) => document.execCommand(text ? "insertText" : "delete", false, text), text);
  }

  /** Says it, and waits until the agent has answered. */
  async ask(text) {
    const before = await this.events();
    await this.say(text);
    const isAnswered = (before) =>
      Number.parseInt(document.querySelector("#subtitle").textContent, 10) > before + 1 &&
      document.querySelector(".row.last .entry-agent:not(.live)");
    await this.until(`“${text}” is answered`, isAnswered, before);
    await this.idle();
  }

  idle() {
    return this.until("the run is over", () => !document.querySelector(".composer .stop, .entry.live, .live > *"));
  }

  /** Waits until nothing moves any more, not even a colour. */
  still() {
    return this.until("nothing moves", () => document.getAnimations().length === 0);
  }

  /** Shows the page in a theme of the system, and waits until no colour is on its way. Only Chromium's protocol can; false elsewhere. */
  async inTheme(value) {
    if (this.kind !== "chromium") return false;
    await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    // The transitions begin when the page is drawn the next time.
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await this.still();
    return true;
  }

  /** Asserts that axe finds no fault in the current state of the page. */
  async isAccessible(where) {
    const found = await faultsOf(this.page);
    assert.deepEqual(found, [], where);
  }

  /** Clicks the button of this name, once it has stopped moving. */
  async press(name) {
    await this.#clickFound(`there is a button “${name}”`, findButton, name);
  }

  /** Clicks what this selector finds, once it has stopped moving. */
  async click(selector) {
    await this.#clickFound(`there is ${selector}`, (selector) => document.querySelector(selector), selector);
  }

  async #clickFound(what, find, argument) {
    for (const end = performance.now() + patience; ; ) {
      await this.until(what, find, argument);
      const found = await this.page.evaluateHandle(find, argument);
      try {
        await found.evaluate(stands);
        return await found.click();
      } catch (error) {
        // It was drawn anew in the meantime, or a dialog has opened above it.
        if (performance.now() > end) throw error;
      }
    }
  }

  /** Approves the first of the calls that wait. */
  approve() {
    return this.page.locator('.ask button[aria-label^="Approve"]').click();
  }

  /** Clicks the button of this name in one step, if there is one: it may disappear by itself at any time. */
  async pressIfThere(name) {
    const button = await this.page.evaluateHandle(findButton, name);
    await button.evaluate((found) => found?.click());
  }

  /** Every call in the thread: its title, its state, and what is in it, which is there when it is unfolded. */
  async calls() {
    // Only rows that can be seen are in the document.
    const viewport = this.page.viewport();
    await this.page.setViewport({ ...viewport, height: 6000 });
    await this.until("the calls are drawn and unfolded", () => {
      const steps = document.querySelector('.steps[aria-expanded="false"]');
      if (steps) return void steps.click();
      const rows = [...document.querySelectorAll(".items .row")];
      const { top, bottom } = document.querySelector(".scroller").getBoundingClientRect();
      // Those beside the rows that were in sight come some frames later.
      const reachesUp = rows[0]?.matches(".first") || rows[0]?.getBoundingClientRect().top <= top;
      const reachesDown = rows.at(-1)?.matches(".last") || rows.at(-1)?.getBoundingClientRect().bottom >= bottom;
      const calls = rows.flatMap((row) => [...row.querySelectorAll(".call")]);
      return reachesUp && reachesDown && calls.every((call) => (call.open = true) && call.querySelector(".call-body"));
    });
    const calls = await this.page.$$eval(".call", (calls) =>
      calls.map((call) => ({
        title: call.querySelector(".call-title").textContent,
        state: call.dataset.state,
        result: call.querySelector(".result")?.textContent,
      })),
    );
    await this.page.setViewport(viewport);
    return calls;
  }

  /** The number of events of the conversation, which the page names. */
  async events() {
    return Number.parseInt(await this.text("#subtitle"), 10) || 0;
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.textContent);
  }

  /** The name and the bytes of the last download with a name like this. */
  async download(pattern) {
    await this.until(
      `there is a download ${pattern}`,
      (source) => new RegExp(source).test(window.downloads.at(-1)?.name ?? ""),
      pattern.source,
    );
    const { name, bytes } = await this.page.evaluate(async () => {
      const { name, blob } = window.downloads.at(-1);
      const url = new FileReader();
      url.readAsDataURL(blob);
      await new Promise((resolve) => (url.onload = resolve));
      return { name, bytes: url.result.split(",")[1] };
    });
    return { name, bytes: Buffer.from(bytes, "base64") };
  }

  /** Drops a file on a part of the page. */
  drop(file, selector = ".conversations") {
    return this.page.evaluate(dropEvents, path.basename(file), readFileSync(file, "base64"), selector);
  }
}

function dropEvents(name, base64, selector) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name, { type: name.endsWith(".png") ? "image/png" : "" }));
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector(selector).dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`${type} was left to the browser, which would open the file`);
  }
}

function findButton(name) {
  const shown = [...document.querySelectorAll("button")].filter((button) => button.checkVisibility());
  // A modal dialog makes the rest of the page inert, and another dialog below it, too.
  const dialog = [...document.querySelectorAll("dialog:modal")].at(-1);
  return shown.find((button) => (!dialog || dialog.contains(button)) && (button.getAttribute("aria-label") ?? button.textContent) === name);
}

/** In the page: resolves when this element is at the same place in two frames, in sight, and not below something. @throws Error if it stays there */
async function stands(element) {
  let before;
  for (let frames = 0; frames < 120 && element.isConnected; frames++) {
    const { x, y, width, height } = element.getBoundingClientRect();
    if (before?.x === x && before?.y === y) {
      const atPoint = document.elementFromPoint(x + width / 2, y + height / 2);
      if (element.contains(atPoint)) return;
      element.scrollIntoView({ block: "center", behavior: "instant" });
      before = undefined;
    } else {
      before = { x, y };
    }
    await new Promise(requestAnimationFrame);
  }
  throw new Error("it is gone, moves or lies below something");
}
