// <threadkeep-model> as an element: what it gives to a page, and what a user does with it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { root } from "../../../../scripts/process.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";
import { listen } from "../../../support/listen.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { until } from "../../../support/until.mjs";
import { ModelPage } from "./page.mjs";

/** A provider at `/provider/v1`: it wants a key, which it repeats where it should not, and knows two models. */
function provider(request, response, pathname) {
  const json = (status, body) => (response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)), true);
  const key = request.headers.authorization?.replace("Bearer ", "");
  if (!key?.startsWith("sk-right")) return json(401, { error: { message: `no such key: ${key}` } });
  if (pathname.endsWith("/models")) return json(200, { object: "list", data: [{ id: "small" }, { id: "large" }, { id: 7 }, {}] });
  return json(404, { error: { message: `The model does not exist for ${key}.` } });
}

let server;
let refusing;
/** Says its name. */
const model = createModel(({ model: name }) => ({ text: `I am ${name}.` }));
before(async () => {
  server = await startServer({ model, mounts: { "/provider/v1/": provider } });
  // It answers, but not to pages of another origin.
  refusing = await listen((_, response) => response.end("here I am"));
});
after(() => Promise.all([server.close(), refusing.close()]));

const complaints = /status of|Cross-Origin|CORS|ERR_|NetworkError|Failed to load|blocked by/;

test("a server can import the entry: nothing is defined, nothing fails", async () => {
  const { ThreadkeepModel, defineModel, ModelStore, modelProviders } = await import(`${root}/dist/model.js`);
  assert.equal(typeof ThreadkeepModel, "function");
  defineModel("other-name");
  assert.equal(globalThis.customElements, undefined);
  assert.equal(new ModelStore().llm, null);
  assert.ok(modelProviders.length > 10 && modelProviders.every(({ name, baseUrl }) => name !== "" && URL.canParse(baseUrl)));
});

for (const kind of availableBrowsers) {
  test(`${kind}: <threadkeep-model>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = (name, body, { query = "", expected = /^$/ } = {}) =>
      context.test(name, async () => {
        const settings = await ModelPage.open(browser, server.origin, query);
        await body(settings);
        assert.deepEqual(
          browser.problems.splice(0).filter((problem) => !expected.test(problem)),
          [],
        );
        await settings.get(() => localStorage.clear());
        await settings.page.close();
      });

    await step("it drives a chat by two lines, and again after a reload", async (settings) => {
      assert.deepEqual(await settings.get(() => [window.settings.llm, window.llms]), [null, []]);
      await settings.connect({ baseUrl: `${server.origin}/v1`, model: "openai/first" });
      await settings.save();
      await settings.ask("Who are you?");
      await settings.answers(/I am first/);
      await settings.fill("model", "openai/second");
      await settings.save();
      await settings.ask("And now?");
      await settings.answers(/I am second/);
      assert.deepEqual(await settings.get(() => [window.llms, window.saves]), [["openai/first", "openai/second"], 2]);

      const other = await ModelPage.open(browser, server.origin);
      await other.until("it tells of what was saved", () => window.llms.length === 1);
      await settings.fill("model", "openai/third");
      await settings.save();
      await other.until("another tab has the same", () => window.llms.join() === "openai/second,openai/third");
      assert.equal(await other.get(() => window.saves), 0);
      await other.page.close();

      await settings.reload();
      assert.deepEqual([await settings.value("provider"), await settings.value("model")], ["other", "openai/third"]);
      await settings.ask("And after a reload?");
      await settings.answers(/I am third/);
    });

    await step("providers have their models, with and without a server's list", async (settings) => {
      assert.deepEqual([await settings.value("provider"), await settings.value("model")], ["openai", "gpt-5-mini"]);
      await settings.choose("provider", "anthropic");
      await settings.choose("known-models", "claude-opus-4-5");
      assert.equal(await settings.value("model"), "claude-opus-4-5");
      assert.equal(await settings.get(() => field("base-url")), null, "its address is known");
      await settings.save();
      assert.deepEqual(await settings.get(() => [window.settings.llm.options.model, window.settings.llm.options.baseUrl ?? null]), [
        "anthropic/claude-opus-4-5",
        null,
      ]);
      await settings.choose("provider", "ollama");
      assert.equal(await settings.value("base-url"), "http://localhost:11434/v1", "it may be on another computer");
      assert.equal(await settings.get(() => field("api-key")), null, "it takes no key");
      await settings.get(() => window.settings.reset());
      await settings.until("it has what was saved", () => field("provider").value === "anthropic");
      await settings.looksRight("provider");
    });

    await step(
      "the models of a server are asked for, and chosen by keyboard",
      async (settings) => {
        await settings.connect({ baseUrl: `${server.origin}/provider/v1` });
        await settings.press("Ask the server for its models");
        await settings.shows(/wants a key, and none is entered/, ".listed");
        await settings.fill("api-key", "sk-wrong");
        await settings.shows(/^$/, ".listed");
        await settings.press("Ask the server for its models");
        await settings.shows(/does not accept this key/, ".listed");
        await settings.fill("api-key", "sk-right");
        await settings.press("Ask the server for its models");
        await settings.shows(/The server has 2 models/, ".listed");
        await settings.until("the list has the focus", () => focused() === field("known-models"));
        assert.deepEqual(await settings.get(() => [...field("known-models").options].map(({ textContent }) => textContent)), [
          "Choose one of 2",
          "large",
          "small",
        ]);
        await settings.page.keyboard.press("l");
        await settings.until("it is chosen", () => field("model").value === "large");
        await settings.looksRight("list");
        await settings.fill("base-url", `${server.origin}/nowhere`);
        await settings.press("Ask the server for its models");
        await settings.shows(/gives no list of its models that this page can read \(status 404\)\. Type the name of one\./, ".listed");
      },
      { expected: complaints },
    );

    await step("an address is mended where it is clear, and refused where it is not", async (settings) => {
      await settings.choose("provider", "other");
      for (const [typed, meant] of [
        ["https://http://127.0.0.1:1234/v1", "http://127.0.0.1:1234/v1"],
        ["https://https://llm.example/v1/", "https://llm.example/v1"],
        ["http:https://llm.example", "https://llm.example"],
        ["localhost:1234/v1", "http://localhost:1234/v1"],
        [" llm.example.com/v1 ", "https://llm.example.com/v1"],
        ["https://llm.example/v1/chat/completions", "https://llm.example/v1"],
        ["https://llm.example/openai?api-version=2026-01-01", "https://llm.example/openai?api-version=2026-01-01"],
        ["/v1", "/v1"],
      ]) {
        await settings.fill("base-url", typed);
        await settings.until(`${typed} is mended`, (meant) => field("base-url").value === meant && field("base-url").validity.valid, meant);
      }
      for (const typed of ["htp:/foo", "http://", "http:/foo", "what is it"]) {
        await settings.fill("base-url", typed);
        await settings.shows(/The address has to begin with https:\/\/ or http:\/\/ and to name a server, such as/);
        assert.equal(await settings.get(() => field("base-url").validity.valid), false, typed);
      }
      await settings.looksRight("wrong-address");
      for (const typed of ["https://me:sk-1@llm.example", "https://llm.example/v1?key=sk-1", "https://llm.example/v1#sk-1"]) {
        await settings.fill("base-url", typed);
        await settings.shows(/must not contain a password, a key/);
      }
      await settings.press("Save");
      assert.equal(await settings.get(() => window.settings.llm), null);
      assert.doesNotMatch(await settings.get(() => JSON.stringify({ ...localStorage })), /sk-1/);
    });

    await step(
      "the connection is tested before it is saved, and each failure says what to do",
      async (settings) => {
        const outcome = async (connection, pattern) => {
          await settings.connect(connection);
          await settings.press("Test the connection");
          await settings.shows(pattern, ".tested");
        };
        const conversations = () => settings.get(async () => (await (await import("/threadkeep/index.js")).Conversation.list()).length);
        const before = await conversations();
        const baseUrl = `${server.origin}/provider/v1`;
        await outcome({ baseUrl: `${server.origin}/v1`, model: "openai/tried" }, /It works: openai\/tried answered in [\d.]+ s/);
        await settings.looksRight("works");
        await outcome({ baseUrl }, /wants a key, and none is entered/);
        await outcome({ baseUrl, key: "sk-wrong" }, /does not accept this key \(status 401\)/);
        await outcome({ baseUrl, key: "sk-right-7" }, /Not found \(404\): check the model's name.*does not exist for (?!.*sk-right)/);
        await settings.looksRight("fails");
        const elsewhere = { baseUrl: `${refusing.origin}/v1`, key: "sk-right" };
        await outcome(
          elsewhere,
          /The server answers, but does not allow requests from web pages \(CORS\): .* refuses http.*Its owner has to/,
        );
        await settings.press("Ask the server for its models");
        await settings.shows(/does not allow requests from web pages \(CORS\)/, ".listed");
        const gone = await listen(() => {});
        await gone.close();
        await outcome({ baseUrl: `${gone.origin}/v1` }, /Nothing answers at http:\/\/.*the server is running/);
        await settings.get(() => Object.defineProperty(navigator, "onLine", { value: false, configurable: true }));
        await outcome({ baseUrl: `${gone.origin}/v1` }, /This device is offline/);
        assert.equal(await settings.get(() => window.settings.llm), null, "a test saves nothing");
        assert.equal(await conversations(), before, "and is no conversation");
      },
      { expected: complaints },
    );

    await step("wire APIs and tools in text change the request", async (settings) => {
      await settings.connect({ baseUrl: `${server.origin}/v1`, model: "openai/talker" });
      for (const [mode, path] of [
        ["anthropic", "/v1/messages"],
        ["responses", "/v1/responses"],
        ["chat", "/v1/chat/completions"],
      ]) {
        await settings.choose("api-mode", mode);
        await settings.save();
        const before = model.requests.length;
        await settings.ask("Who are you?");
        await until(() => model.requests.length > before, "it is asked");
        assert.equal(model.requests.at(-1).path, path);
      }
      await settings.get(() => field("native-tool-calling").click());
      await settings.save();
      assert.equal(await settings.get(() => window.settings.llm.options.nativeToolCalling), false);
    });

    await step(
      "a page has providers and texts of its own",
      async (settings) => {
        assert.deepEqual(await settings.get(() => [...field("provider").options].map(({ textContent }) => textContent)), [
          "This page",
          "Mistral",
          "Another server",
        ]);
        await settings.shows(/Anbieter.*It needs no key/);
        await settings.get(() => window.settings.setAttribute("other", "off"));
        await settings.until("there is no other server", () => field("provider").options.length === 2);
        await settings.press("Speichern");
        await settings.until("it is saved", () => window.llms[0] === "openai/scripted");
        await settings.press("Test the connection");
        await settings.shows(/^openai\/scripted antwortet\.$/, ".tested");
        const codes = await settings.get(() =>
          [{ store: {} }, { providers: [{}] }].map((wrong) => {
            try {
              Object.assign(document.createElement("threadkeep-model"), wrong);
              return "accepted";
            } catch ({ code }) {
              return code;
            }
          }),
        );
        assert.deepEqual(codes, ["invalid_options", "invalid_options"]);
      },
      { query: "?german&providers=mistral" },
    );
    assert.deepEqual(model.violations, []);
  });
}
