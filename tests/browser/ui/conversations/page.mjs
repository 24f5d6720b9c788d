// The page with <threadkeep-conversations> that tests of it use.
import assert from "node:assert/strict";
import { archivesIn } from "../../../support/archives.mjs";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { photograph } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";

/** Serves the page. Each step has a tab, and fails if the browser complains. `archive` is that of archives.mjs. */
export async function startList(name) {
  const server = await startServer({ model: createModel(() => ({ text: "Hello to you." })) });
  const { folder, archive } = archivesIn(name);
  const stepsOf = (context, browser) => (name, query, body) =>
    context.test(name, async () => {
      const list = await ListPage.open(browser, server.origin, query, archive);
      await body(list);
      assert.deepEqual(browser.problems.splice(0), []);
      await list.page.close();
    });
  return { stepsOf, folder, archive, close: () => server.close() };
}

/** A page with the element. Functions in it have `one`, `all`, `button` and `focused` of the page's script. */
export class ListPage {
  static async open(browser, origin, query, archive) {
    const page = await browser.page(`${origin}/pages/conversations.html${query}`);
    const list = new ListPage(page, browser, archive);
    await list.ready();
    return list;
  }
  constructor(page, browser, archive) {
    this.page = page;
    this.browser = browser;
    this.archive = archive;
  }
  async ready() {
    await this.until("it is there", () => window.button && window.one?.(".conversations-list"));
  }
  async until(what, condition, ...args) {
    await untilIn(this.page, what, condition, ...args);
  }
  get(body, ...args) {
    return this.page.evaluate(body, ...args);
  }
  shows(pattern, selector = ".conversations") {
    return this.until(
      `${selector} shows ${pattern}`,
      (selector, source) => new RegExp(source, "s").test(one(selector)?.textContent ?? ""),
      selector,
      pattern.source,
    );
  }
  async press(name) {
    await this.until(`there is a button “${name}”`, (name) => button(name), name);
    await this.get((name) => (button(name).focus(), button(name).click()), name);
  }
  /** Presses a button in the menu that this one opens. */
  async choose(opener, name) {
    await this.press(opener);
    await this.until("the menu is open", () => one("dialog[open]"));
    await this.press(name);
  }
  act(title, name) {
    return this.choose(`More about “${title}”`, name);
  }
  async fill(selector, text) {
    await this.until(`there is ${selector}`, (selector) => one(selector), selector);
    await this.get(
      (selector, text) => {
        one(selector).focus();
        one(selector).select();
        document.execCommand(text ? "insertText" : "delete", false, text);
      },
      selector,
      text,
    );
  }
  /** Waits until the list has these groups, each a heading and the titles below it. */
  lists(...groups) {
    return this.until(
      `the list is ${JSON.stringify(groups)}`,
      (expected) =>
        JSON.stringify(
          all(".conversation-group").map((group) => [
            group.querySelector("h3").textContent,
            ...[...group.querySelectorAll(".conversation-title")].map(({ textContent }) => textContent),
          ]),
        ) === expected,
      JSON.stringify(groups),
    );
  }
  focusOn(text) {
    return this.until(`the focus is on “${text}”`, (text) => (nameOf(focused()) ?? "").includes(text), text);
  }
  /** Imports files, as if they had been chosen. */
  async import(...files) {
    const [input] = await Promise.all([this.page.evaluateHandle(() => one("input[type=file]"))]);
    await input.uploadFile(...files);
  }
  /** Puts these into the list, and nothing else. */
  async fresh(conversations) {
    await this.get(async () => {
      for (const trashed of [false, true])
        for (const { id } of await Conversation.list({ trashed })) {
          await updateConversations(id, { trashed: true });
          await Conversation.delete(id).catch(() => undefined);
        }
    });
    await this.lists();
    await this.import(this.archive(conversations));
    await this.shows(/Imported/, ".conversations-notices");
    await this.press("New conversation");
    await this.until(
      "all are there, and none is open",
      (count) => all(".conversation").length >= count && !one("[aria-current]"),
      Math.min(conversations.length, 5),
    );
  }
  async isAccessible(where) {
    await this.until("colours stand still", () => list.shadowRoot.getAnimations().every((each) => !(each instanceof CSSTransition)));
    assert.deepEqual(await faultsOf(this.page), [], where);
  }
  /** In both themes, on a phone and on a screen: axe finds nothing; and pictures of it, if they are wanted. */
  async looksRight(name, height = 800) {
    for (const width of [390, 1280])
      for (const theme of ["light", "dark"]) {
        await this.page.setViewport({ width, height });
        await this.get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
        await this.isAccessible(`${name}, ${theme}, ${width} pixels`);
        await photograph(this, `${name}-${theme}-${width}-${this.browser.kind}`);
      }
  }
}
