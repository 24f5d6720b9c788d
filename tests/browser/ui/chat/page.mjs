// The page with <threadkeep-chat> that tests of its controls use.
import assert from "node:assert/strict";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { photograph } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { isAll } from "../../../support/explored.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";

/** A call as a scripted model makes it. */
export const call = (name, args = {}, summary = undefined) => ({ name, arguments: summary ? { ...args, summary } : args });
export const pay = (to, amount) => call("transfer_money", { to, amount }, `Pay ${to} ${amount}`);

/**
 * Serves the page. Each step has a tab and a scripted model of its own, and fails if the browser complains; with `failing`, requests may
 * fail.
 */
export async function startChat() {
  let model;
  const server = await startServer({ model: { handle: (request, response) => model.handle(request, response) } });
  const stepsOf =
    (context, browser) =>
    (name, query, body, { failing = false } = {}) =>
      context.test(name, async () => {
        model = createModel([]);
        const chat = await ElementPage.open(browser, server.origin, query);
        await body(chat, model);
        model.check();
        const isOfRequest = (problem) => /status of|NetworkError|Failed to load/.test(problem);
        assert.deepEqual(
          browser.problems.splice(0).filter((problem) => !(failing && isOfRequest(problem))),
          [],
        );
        if (!chat.page.isClosed()) await chat.page.close();
      });
  return { stepsOf, close: () => server.close() };
}

/** A page with the element. Functions in it have `one`, `all`, `button` and `focused` of the page's script. */
export class ElementPage {
  static async open(browser, origin, query = "") {
    const page = await browser.page(`${origin}/pages/chat-controls.html${query}`);
    const chat = new ElementPage(page, browser);
    await chat.ready();
    return chat;
  }
  constructor(page, browser) {
    this.page = page;
    this.browser = browser;
  }
  ready() {
    return this.until(
      "it is open",
      () => window.one?.(".composer-text") && window.chat.thread?.getSnapshot().phase === "open" && location.hash,
    );
  }
  async until(what, condition, ...args) {
    await untilIn(this.page, what, condition, ...args);
  }
  shows(pattern, selector = ".main") {
    return this.until(
      `${selector} shows ${pattern}`,
      (selector, source) => new RegExp(source, "s").test(one(selector)?.textContent ?? ""),
      selector,
      pattern.source,
    );
  }
  /** Also that nothing is under way. */
  async idle() {
    await this.until("nothing runs", () => !window.chat.thread.getSnapshot().isRunning && !one(".stop"));
  }
  async press(name) {
    await this.until(`there is a button “${name}”`, (name) => button(name), name);
    await this.page.evaluate((name) => (button(name).focus(), button(name).click()), name);
  }
  async fill(selector, text) {
    await this.until(`there is ${selector}`, (selector) => one(selector), selector);
    await this.page.evaluate(
      (selector, text) => {
        one(selector).focus();
        one(selector).select();
        document.execCommand(text ? "insertText" : "delete", false, text);
      },
      selector,
      text,
    );
  }
  async say(text) {
    await this.fill(".composer-text", text);
    await this.page.keyboard.press("Enter");
  }
  async reload() {
    await this.page.reload();
    await this.ready();
  }
  get(body, ...args) {
    return this.page.evaluate(body, ...args);
  }
  /** What axe says of elements and their colours is the same in every browser: Chromium is asked, which takes a second each time. */
  async isAccessible(where) {
    if (this.browser.kind !== "chromium") return;
    // Colours of another theme come in a transition.
    await this.until("colours stand still", () =>
      window.chat.shadowRoot.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
    );
    const found = await faultsOf(this.page);
    assert.deepEqual(found, [], where);
  }
  /**
   * In both themes, on a phone and on a screen: axe finds nothing; and pictures of it, if they are wanted. A change is checked in one theme on each,
   * and `npm test -- --all` has both on both.
   */
  async looksRight(name, height = 800) {
    const once = { 390: ["light"], 1280: ["dark"] };
    for (const width of [390, 1280])
      for (const theme of isAll ? ["light", "dark"] : once[width]) {
        await this.page.setViewport({ width, height });
        await this.get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
        await this.isAccessible(`${name}, ${theme}, ${width} pixels`);
        await photograph(this, `${name}-${theme}-${width}-${this.browser.kind}`);
      }
  }
  names() {
    return this.get(() => all(".approvals button").map(nameOf));
  }
  /** The states of all calls, in order. */
  states() {
    return this.get(() =>
      window.chat.thread.getSnapshot().messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [part.state] : []))),
    );
  }
}

/** In the page: pastes an image into the field, and drops a text on the messages. */
export function pasteAndDrop(base64) {
  const pasted = new DataTransfer();
  pasted.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], "pasted.png", { type: "image/png" }));
  // Not every browser lets a page make such an event with files in it.
  const paste = Object.assign(new Event("paste", { bubbles: true, cancelable: true }), { clipboardData: pasted });
  one(".composer-text").dispatchEvent(paste);
  if (!paste.defaultPrevented) throw new Error("the paste was left to the browser");
  const dropped = new DataTransfer();
  dropped.items.add(new File(["# Notes"], "notes.md"));
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer: dropped, bubbles: true, cancelable: true });
    one(".scroller").dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`${type} was left to the browser, which would open the file`);
  }
}

/** Parts of a snapshot, and the text and the buttons at the end of its messages. */
export const states = [
  [{ status: "finished", last: [["text", "Hello"]] }, /^$/, []],
  [{ status: "finished", last: [["text", "Hel", { state: "incomplete", reason: "length" }]] }, /^Continue$/, ["Continue"]],
  [{ status: "finished", last: [["text", "Hel", { state: "incomplete", reason: "content_filter" }]] }, /^$/, []],
  [{ status: "idle" }, /has not answered yet/, ["Continue"]],
  [{ status: "stuck", last: [["text", "Hello"]] }, /repeats itself/, ["Continue"]],
  [
    {
      status: "paused",
      last: [
        ["text", "Hel"],
        ["notice", "Paused"],
      ],
    },
    /^Write what to do instead, or let the agent continue\.Continue$/,
    ["Continue"],
  ],
  [
    {
      status: "paused",
      last: [
        ["text", "Hel"],
        ["notice", "Stopped"],
      ],
    },
    /^Write what to do instead, or let the agent continue\.Continue$/,
    ["Continue"],
  ],
  [
    {
      status: "paused",
      isRunning: true,
      last: [
        ["tool", "running"],
        ["notice", "Paused"],
      ],
    },
    /pauses when the call that is running has ended/,
    [],
  ],
  [{ status: "paused", last: [["tool", "ready"]] }, /It stopped before Roll a die began/, ["Continue"]],
  [
    { status: "paused", last: [["text", "Hel"]] },
    /When the agent continues, it asks for the answer that broke off again\.Continue$/,
    ["Continue"],
  ],
  [{ status: "paused", last: [["tool", "interrupted"]] }, /It stopped during Roll a die\. That is done again/, ["Continue"]],
  [{ status: "error", last: [["error", "no such key"]] }, /^Try again$/, ["Try again"]],
  [
    { status: "error", last: [["error", "no such key"]], error: { code: "store_quota", message: "no room is left" } },
    /no room left on this device.*No room is left\./,
    ["Try again", "Dismiss"],
  ],
  [
    { status: "idle", error: { code: "store_lost", message: "it is gone" } },
    /The browser has lost this conversation/,
    ["Reload the page", "Dismiss"],
  ],
  [{ phase: "failed", error: { code: "not_found", message: "there is none" } }, /not on this device/, []],
  [{ phase: "failed", error: { code: "store_blocked", message: "another tab" } }, /storage is not available/, ["Reload the page"]],
  [
    { status: "finished", last: [["text", "Hello"]], warnings: [{ code: "quarantined", message: "one file was set aside" }] },
    /One file was set aside\./,
    ["Dismiss: one file was set aside"],
  ],
  [
    { isRunning: true, status: "running", waiting: { kind: "WaitingEvent", attempt: 1, seconds: 5, why: "offline", message: "offline" } },
    /You are offline.*as soon as there is a network.*in 5 s/,
    ["Try now"],
  ],
];
