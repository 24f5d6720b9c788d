// The page with <threadkeep-model> that its tests use.
import assert from "node:assert/strict";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { photograph } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";

export class ModelPage {
  static async open(browser, origin, query = "") {
    const page = await browser.page(`${origin}/pages/model.html${query}`);
    const settings = new ModelPage(page, browser);
    await settings.ready();
    return settings;
  }
  constructor(page, browser) {
    this.page = page;
    this.browser = browser;
  }
  ready() {
    return this.until("it is drawn", () => window.one?.("form"));
  }
  async until(what, condition, ...args) {
    await untilIn(this.page, what, condition, ...args);
  }
  shows(pattern, selector = "form") {
    return this.until(
      `${selector} shows ${pattern}`,
      (selector, source) => new RegExp(source, "s").test(one(selector)?.textContent ?? ""),
      selector,
      pattern.source,
    );
  }
  /** Puts a text into the field of this name, and leaves it. */
  async fill(name, text) {
    await this.until(`there is a field ${name}`, (name) => field(name)?.checkVisibility(), name);
    await this.get(
      (name, text) => {
        field(name).focus();
        field(name).select();
        document.execCommand(text ? "insertText" : "delete", false, text);
        field(name).blur();
      },
      name,
      text,
    );
  }
  async choose(name, value) {
    await this.until(
      `${name} has ${value}`,
      (name, value) => [...(field(name)?.options ?? [])].some((each) => each.value === value),
      name,
      value,
    );
    await this.get(
      (name, value) => {
        field(name).value = value;
        field(name).dispatchEvent(new Event("change", { bubbles: true }));
      },
      name,
      value,
    );
  }
  async press(name) {
    await this.until(`there is a button “${name}”`, (name) => button(name), name);
    await this.get((name) => (button(name).focus(), button(name).click()), name);
  }
  /** A server that is none of the providers. */
  async connect({ baseUrl, model = "openai/small", key = "" }) {
    await this.choose("provider", "other");
    await this.fill("base-url", baseUrl);
    await this.fill("model", model);
    await this.fill("api-key", key);
  }
  async save() {
    await this.press("Save");
    await this.shows(/^Saved\.$/, ".saved");
  }
  async reload() {
    await this.page.reload();
    await this.ready();
  }
  async ask(text) {
    await this.until("the chat is open", () => chat.thread?.getSnapshot().phase === "open");
    await this.get((text) => void chat.thread.send(text).catch(() => {}), text);
  }
  answers(pattern) {
    return this.until(
      `the chat answers ${pattern}`,
      (source) => new RegExp(source).test(JSON.stringify(chat.thread?.getSnapshot().messages ?? "")),
      pattern.source,
    );
  }
  value(name) {
    return this.get((name) => field(name)?.value, name);
  }
  get(body, ...args) {
    return this.page.evaluate(body, ...args);
  }
  /** In both themes, on a phone and on a screen: axe finds nothing; and pictures of it, if they are wanted. */
  async looksRight(name) {
    for (const width of [390, 1280])
      for (const theme of ["light", "dark"]) {
        await this.page.setViewport({ width, height: 900 });
        await this.get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
        // Colours of another theme come in a transition.
        const isStill = () =>
          [settings.shadowRoot, chat.shadowRoot, document].every(
            (root) => !root.getAnimations().some((animation) => animation instanceof CSSTransition),
          );
        await this.get(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        await this.until("colours stand still", isStill);
        assert.deepEqual(await faultsOf(this.page), [], `${name}, ${theme}, ${width} pixels`);
        const tooWide = await this.get(() => document.documentElement.scrollWidth > innerWidth);
        assert.equal(tooWide, false, `${name} is wider than ${width} pixels`);
        await photograph(this, `model-${name}-${theme}-${width}-${this.browser.kind}`);
      }
  }
}

/** All that the browser has stored for the page, and all that the page shows, as text: databases with bytes as characters too. */
export async function dump() {
  const read = (request) =>
    new Promise((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = reject)));
  const text = (value) => {
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new TextDecoder("latin1").decode(value);
    if (Array.isArray(value)) return value.map(text).join(" ");
    return typeof value === "object" && value !== null ? Object.entries(value).flat().map(text).join(" ") : String(value);
  };
  const found = [location.href, document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
  for (const { name } of await indexedDB.databases()) {
    const database = await read(indexedDB.open(name));
    for (const table of database.objectStoreNames) {
      const store = database.transaction(table).objectStore(table);
      found.push(name, table, text(await read(store.getAll())), text(await read(store.getAllKeys())));
    }
    database.close();
  }
  const walk = async (folder) => {
    for await (const [name, handle] of folder.entries()) {
      found.push(name);
      if (handle.kind === "directory") await walk(handle);
      else found.push(text(await (await handle.getFile()).arrayBuffer()));
    }
  };
  await walk(await navigator.storage.getDirectory());
  for (const name of await caches.keys()) found.push(name, ...(await (await caches.open(name)).keys()).map(({ url }) => url));
  const shown = (root) => [
    root.innerHTML,
    ...[...root.querySelectorAll("*")].filter((each) => each.shadowRoot).flatMap(({ shadowRoot }) => shown(shadowRoot)),
  ];
  const values = [...settings.shadowRoot.querySelectorAll("input, select")].map(({ value }) => value);
  return [
    ...found,
    ...shown(document.documentElement),
    ...values,
    JSON.stringify(settings.llm),
    JSON.stringify(settings.store.settings),
  ].join("\n");
}
