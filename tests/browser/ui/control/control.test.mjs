// The decisions about a conversation as a component of a Preact app: the policy, tools that are always allowed, and secrets.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { appOf } from "../../../support/documented.mjs";
import { startServer } from "../../../support/server.mjs";

const source = `/** @jsxImportSource preact */
  import { render } from "preact";
  import { Agent, Conversation, LLM } from "threadkeep";
  import { ControlView } from "threadkeep/preact";
  const agent = new Agent({ llm: new LLM({ model: "openai/small", baseUrl: "/v1" }) });
  const conversationId = location.hash.slice(1);
  const conversation = await Conversation.open({ agent, ...(conversationId !== "" && { conversationId }) });
  location.hash = conversation.id;
  const told = [];
  const labels = location.search === "?german" ? { policy: "Wann er fragt", add: "Hinzufügen" } : undefined;
  const props = { conversation, labels, onSecret: (...secret) => (told.push(secret), draw()), onChange: () => told.push("changed") };
  const draw = () => {
    const givenSecrets = told.filter(Array.isArray).filter(([, value]) => value !== null).map(([name]) => name);
    render(<ControlView {...props} givenSecrets={givenSecrets} />, document.querySelector(".threadkeep"));
  };
  draw();
  Object.assign(window, { conversation, told });`;
const html = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
  <title>x</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/threadkeep/preact.css">
  <style>.threadkeep { height: auto; padding: 1rem }</style><main><h1>Control</h1><div class="threadkeep"></div></main>
  <script type="module" src="/app/app.js"></script></html>`;

let server;
before(async () => {
  const app = await appOf({ "app.tsx": source }, ["app.js"]);
  const page = (_, response) => (response.writeHead(200, { "content-type": "text/html" }).end(html), true);
  server = await startServer({ mounts: { "/app/": app, "/app-page": page } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the decisions about a conversation are seen and changed`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const open = async (address = "/app-page") => {
      const tab = await browser.page(`${server.origin}${address}`);
      await untilIn(tab, "it is drawn", () => window.conversation && document.querySelector(".control"));
      return tab;
    };
    const shows = (tab, pattern, selector = ".control") =>
      untilIn(
        tab,
        `${selector} shows ${pattern}`,
        (selector, source) => new RegExp(source, "s").test(document.querySelector(selector)?.textContent ?? ""),
        selector,
        pattern.source,
      );
    const press = async (tab, name) => {
      const find = (name) =>
        [...document.querySelectorAll("button")].find((each) => (each.getAttribute("aria-label") ?? each.textContent) === name);
      await untilIn(tab, `there is a button “${name}”`, find, name);
      await (await tab.evaluateHandle(find, name)).click();
    };
    const state = (tab) => tab.evaluate(() => [conversation.state.confirmation_policy, conversation.state.security_analyzer?.kind]);

    await context.test("the policy is chosen, and another tab shows it", async () => {
      const tab = await open();
      const checked = () => document.querySelector("input:checked").value;
      assert.equal(await tab.evaluate(checked), "NeverConfirm");
      const second = await open(`/app-page${await tab.evaluate(() => location.hash)}`);
      await tab.bringToFront();
      await tab.click('input[value="ConfirmRisky"]');
      await untilIn(tab, "it is told", () => told.length === 1);
      const [policy, analyzer] = await state(tab);
      assert.deepEqual([policy.kind, policy.threshold, analyzer], ["ConfirmRisky", "MEDIUM", "PatternSecurityAnalyzer"]);
      await second.bringToFront();
      await untilIn(second, "it is checked there", () => document.querySelector("input:checked").value === "ConfirmRisky");
      await second.close();
      await tab.close();
    });

    await context.test("a tool that is always allowed can be asked about again", async () => {
      const tab = await open();
      assert.doesNotMatch(await tab.$eval(".control", ({ textContent }) => textContent), /Always allowed/);
      await tab.evaluate(() => conversation.setAllowedTools(["roll_dice", "search"]));
      await shows(tab, /Always allowed here.*roll_dice.*search/);
      await press(tab, "Ask again about roll_dice");
      await shows(tab, /You will be asked about roll_dice again\./, ".outcome");
      assert.deepEqual(await tab.evaluate(() => [conversation.allowedTools, document.activeElement.type]), [["search"], "radio"]);
      await tab.close();
    });

    await context.test("a secret is given, told to the page, shown nowhere, and removed", async () => {
      const tab = await open();
      await tab.type("input[name=name]", "API_TOKEN");
      await tab.type("input[name=value]", "swordfish-7123");
      await press(tab, "Add");
      await shows(tab, /^API_TOKENRemove$/, ".secret-names");
      assert.deepEqual(await tab.evaluate(() => told), [["API_TOKEN", "swordfish-7123"], "changed"]);
      assert.equal(await tab.$eval("input[name=value]", ({ value }) => value), "");
      assert.doesNotMatch(await tab.content(), /swordfish/);
      for (const width of [1280, 390]) {
        await tab.setViewport({ width, height: 800 });
        assert.deepEqual(await faultsOf(tab), [], `${width} pixels`);
        assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
        await photograph({ page: tab }, `control-${width}-${kind}`);
      }
      await tab.reload();
      await shows(tab, /API_TOKEN.*not stored, enter it again/, ".secret-names");
      await press(tab, "Remove API_TOKEN");
      await shows(tab, /API_TOKEN is removed\./, ".outcome");
      await untilIn(tab, "it is gone", () => document.querySelector(".secret-names").hidden);
      await tab.close();
    });

    await context.test("its texts can be replaced", async () => {
      const tab = await open("/app-page?german");
      await shows(tab, /Wann er fragt.*Hinzufügen/);
      await tab.close();
    });
    assert.deepEqual(browser.problems, []);
  });
}
