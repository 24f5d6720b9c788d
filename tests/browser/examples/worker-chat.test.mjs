// The app examples/worker-chat: its agent runs in a shared worker, so an answer outlives the tab that has asked for it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { example } from "../../support/example.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { photograph, tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const model = createModel([]);
/** The cities that the worker has asked for. */
const asked = [];
let server;
before(async () => {
  const page = await example("worker-chat", { "/app.js": "app.ts", "/worker.ts": "worker.ts" });
  const sky = (request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "content-type": "application/json" }).end('{"colour":"#8fc1e3"}');
    return true;
  };
  server = await startServer({ model, page, mounts: { "/sky": sky } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: an answer of examples/worker-chat outlives the tab that has asked for it`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const isOpen = (page) =>
      untilIn(page, "it is open", () => document.querySelector("threadkeep-chat")?.thread?.getSnapshot().phase === "open");
    const open = async (address = "") => {
      const page = await browser.page(`${server.origin}/${address}`);
      await isOpen(page);
      return page;
    };
    const shows = (page, text) =>
      untilIn(
        page,
        `it shows “${text}”`,
        (text) => document.querySelector("threadkeep-chat").shadowRoot.querySelector(".items")?.textContent.includes(text),
        text,
      );
    const say = async (page, text) => {
      await page.bringToFront();
      await untilIn(page, "one can write", () => {
        const field = document.querySelector("threadkeep-chat").shadowRoot.querySelector("textarea:not(:disabled)");
        field?.focus();
        return field;
      });
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    const homeOf = (page) => page.evaluate(() => document.querySelector("threadkeep-chat").thread.getSnapshot().home);
    const addressOf = (page) => page.evaluate(() => location.hash);
    const paintOf = (page) => page.evaluate(() => document.documentElement.style.getPropertyValue("--paint"));
    const step = (name, body) =>
      context.test(name, async () => {
        await body();
        assert.deepEqual(browser.problems.splice(0), []);
        model.check();
      });

    await step("an answer goes on in the other tab when the tab that began it is closed in the middle", async () => {
      let finish;
      const rest = new Promise((resolve) => (finish = resolve));
      model.add({ text: "Skies are blue because of scattering.", pieces: 10, pace: (write) => (write < 3 ? undefined : rest) });
      const one = await open();
      await photograph({ page: one }, `worker-chat-empty-${kind}`);
      assert.equal(await homeOf(one), "worker");
      const two = await open(await addressOf(one));
      await say(one, "Why are skies blue?");
      for (const page of [one, two]) await shows(page, "Skies are");
      await one.close();
      finish();
      await shows(two, "because of scattering.");
      assert.equal(await homeOf(two), "worker");
      await two.close();
    });

    await step("one tool runs in the worker, the other in the page that is looked at", async () => {
      const call = (name, args) => ({ calls: [{ name, arguments: args }] });
      model.add(call("look_at_sky", { city: "Bern" }), call("paint_page", { colour: "#8fc1e3" }), { text: "As the sky over Bern." });
      const one = await open();
      const two = await open(await addressOf(one));
      await say(one, "Paint the page like the sky over Bern");
      for (const page of [one, two]) await shows(page, "As the sky over Bern.");
      assert.match(asked.at(-1), /\/sky\?city=Bern/);
      assert.deepEqual([await paintOf(one), await paintOf(two)], ["#8fc1e3", ""]);
      await photograph({ page: one }, `worker-chat-${kind}`);
      await one.setViewport({ width: 390, height: 800 });
      await photograph({ page: one }, `worker-chat-narrow-${kind}`);

      model.add(call("paint_page", { colour: "gloom" }), { text: "That is none." });
      await say(two, "Paint it in gloom");
      await shows(two, "That is none.");
      assert.match(JSON.stringify(model.requests.at(-1).body.messages.at(-1)), /gloom is no colour of CSS/);
      assert.deepEqual([await paintOf(one), await paintOf(two)], ["#8fc1e3", ""]);
      await one.close();
      await two.close();
    });

    await step("without shared workers the agent runs in the tab", async () => {
      model.add({ text: "All the same." });
      const page = await browser.page("about:blank");
      await page.evaluateOnNewDocument(() => delete globalThis.SharedWorker);
      await page.goto(`${server.origin}/`);
      await isOpen(page);
      assert.equal(await homeOf(page), "here");
      await say(page, "And here?");
      await shows(page, "All the same.");
    });
  });
}
