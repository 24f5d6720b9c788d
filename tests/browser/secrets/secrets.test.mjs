// The planted secrets in real browsers: over IndexedDB, whose raw records are searched, and with a passphrase.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/secrets/": "tests/secrets" } })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: planted secrets are in no record of IndexedDB`, async (context) => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await context.test("planted secrets reach the tool that asks and nothing else", async () => {
        const { code, isGiven, counts, leaked } = await browser.evaluate(async () => {
          const [library, { leaks, plant }, { shapes }] = await Promise.all(
            ["/threadkeep/index.js", "/secrets/planting.mjs", "/secrets/shapes.mjs"].map((url) => import(url)),
          );
          const { code, given, places } = await plant(library, library.indexedDBStore("planted"));
          places.database = await (await import("/secrets/database.mjs")).textsOf("planted");
          const isGiven = Object.keys(shapes).every((name) => given[name] === shapes[name]);
          return {
            code,
            isGiven,
            counts: Object.fromEntries(Object.entries(places).map(([place, texts]) => [place, texts.length])),
            leaked: leaks(places),
          };
        });
        assert.equal(code, "llm_bad_request");
        assert.ok(isGiven, "every tool got what it asked for");
        assert.ok(counts.database > 300 && counts.archive > 300 && counts.deltas > 100, JSON.stringify(counts));
        assert.deepEqual(leaked, []);
      });
      await context.test("every spelling of the platform is hidden", async () => {
        const left = await browser.evaluate(async () => {
          const [library, { seen }] = await Promise.all(["/threadkeep/index.js", "/secrets/spelled.mjs"].map((url) => import(url)));
          return seen(library, 4, 30);
        });
        assert.deepEqual(left, []);
      });
      await context.test("a passphrase decrypts the secrets of an earlier page load, and a wrong one is refused", async () => {
        const inPage = async (cipher, secrets) => {
          const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
          const conversationId = "5ec4e700-0000-4000-8000-00000000000b";
          const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid" }) });
          try {
            const conversation = await Conversation.open({
              agent,
              conversationId,
              store: indexedDBStore("encrypted"),
              ...(cipher && { cipher }),
              ...(secrets && { secrets }),
            });
            // A conversation is stored with its first change.
            if (secrets) await conversation.sendMessage("Hello!");
            const { secret_registry } = conversation.state;
            await conversation.close();
            return { warnings: conversation.warnings.map(({ code }) => code), value: secret_registry.secret_sources.TOKEN.value };
          } catch ({ code, message }) {
            return { code, message };
          }
        };
        const first = await browser.evaluate(inPage, "right", { TOKEN: "planted-value" });
        assert.match(first.value, /^gAAAAA/);
        await browser.page(`${server.origin}/pages/blank.html`);
        assert.equal((await browser.evaluate(inPage, "wrong")).code, "invalid_options");
        assert.deepEqual(await browser.evaluate(inPage, "right"), { warnings: [], value: first.value });
        assert.deepEqual(await browser.evaluate(inPage), { warnings: ["secrets_unavailable"], value: first.value });
      });
    } finally {
      await browser.close();
    }
  });
}
