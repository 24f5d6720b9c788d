// How the library finds its wasm files: from every kind of server, after failures, and from a place that the host gives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const dist = staticFiles(path.join(root, "dist"));
let offline = true;

/** dist/ with another answer for the files that `replaced` matches: `answer(response, content)`. */
const distWith = (replaced, answer) => (request, response, urlPath) => {
  if (!replaced.test(urlPath)) return dist(request, response, urlPath);
  answer(response, readFileSync(path.join(root, "dist", path.basename(urlPath))));
  return true;
};
const notFound = (response) => response.writeHead(404).end();
const startPage = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
const sometimes = (response, wasm) => {
  if (offline) notFound(response);
  else response.writeHead(200, { "content-type": wasm[0] === 0 ? "application/wasm" : "text/javascript" }).end(wasm);
};
/** The mark of its build is what a file ends with. */
const ofAnotherBuild = (wasm) => Buffer.concat([wasm.subarray(0, -1), Buffer.from(wasm.at(-1) === 0x30 ? "1" : "0")]);
const mounts = {
  "/without-file/": distWith(/\.wasm$/, notFound),
  "/start-page-for-all/": distWith(/\.wasm$/, startPage),
  "/wrong-type/": distWith(/\.wasm$/, (response, wasm) =>
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(wasm),
  ),
  "/cut-off/": distWith(/\.wasm$/, (response, wasm) =>
    response.writeHead(200, { "content-type": "application/wasm" }).end(wasm.subarray(0, 5000)),
  ),
  "/sometimes/": distWith(/\.wasm$|inline/, sometimes),
  "/without-parts/": distWith(/\/(agent|formats|opening)-/, notFound),
  "/without-models/": distWith(/\/models-/, (response, content) => {
    if (offline) notFound(response);
    else response.writeHead(200, { "content-type": "text/javascript" }).end(content);
  }),
  "/sometimes-formats/": distWith(/formats_bg\.wasm$|formats-inline/, sometimes),
  "/sometimes-run/": distWith(/run_bg\.wasm$|run-inline/, sometimes),
  "/mixed/": distWith(/_bg\.wasm$/, (response, wasm) =>
    response.writeHead(200, { "content-type": "application/wasm" }).end(ofAnotherBuild(wasm)),
  ),
  "/mixed-formats/": distWith(/formats_bg\.wasm$|formats-inline/, (response, wasm) => {
    if (wasm[0] === 0) response.writeHead(200, { "content-type": "application/wasm" }).end(ofAnotherBuild(wasm));
    else notFound(response);
  }),
};

let server;
before(async () => (server = await startServer({ mounts })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the library finds its wasm files on every kind of server, and after failures`, async (context) => {
    const browser = await tabs(kind);
    // Each in a page of its own, for a page loads the wasm once.
    const inPage = async (body, ...args) => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      const value = await browser.evaluate(body, ...args);
      await page.close();
      return value;
    };
    try {
      for (const [folder, hasFiles] of [
        ["threadkeep", true],
        ["wrong-type", true],
        ["without-file", false],
        ["start-page-for-all", false],
        ["cut-off", false],
      ]) {
        await context.test(`the library loads from /${folder}/, and the chunk of formats with the first archive`, async () => {
          assert.equal(await inPage(loadFrom, `/${folder}/index.js`), "loaded");
          const { before, archive, after } = await inPage(exportFrom, `/${folder}/index.js`);
          assert.deepEqual([before, archive], [[], "exported"]);
          const fetched = (name) => after.some((url) => url.endsWith(`/${name}`));
          // After one file was missing, no other is asked for.
          assert.deepEqual([fetched("threadkeep_formats_bg.wasm"), fetched("wasm-formats-inline.js")], [hasFiles, !hasFiles], after.join());
        });
      }

      await context.test("the entry without copies loads the files, and says so where they are missing", async () => {
        assert.equal((await inPage(exportFrom, "/threadkeep/slim.js")).archive, "exported");
        const outcome = await inPage(loadFrom, "/without-file/slim.js");
        assert.match(
          outcome,
          /^ThreadkeepError network: the wasm did not load: .* answered 404; nor did the copy inside JavaScript: "threadkeep\/slim" has none; serve threadkeep_bg.wasm beside the module/,
        );
      });

      await context.test("both entries are one library", async () => {
        assert.deepEqual(await inPage(sharedBy, "/threadkeep/index.js", "/threadkeep/slim.js"), [true, true]);
      });

      await context.test("loading that failed is tried again by the next call", async () => {
        offline = true;
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        assert.match(
          await browser.evaluate(loadFrom, "/sometimes/index.js"),
          /^ThreadkeepError network: the wasm did not load: .* answered 404/,
        );
        offline = false;
        assert.equal(await browser.evaluate(loadFrom, "/sometimes/index.js"), "loaded");
        await page.close();
      });

      await context.test("loading of the chunk of formats that failed is tried again, and conversations work without it", async () => {
        offline = true;
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        const failed = await browser.evaluate(exportFrom, "/sometimes-formats/index.js");
        assert.match(
          failed.archive,
          /^network the wasm did not load: .* answered 404; .* serve threadkeep_formats_bg.wasm beside the module$/,
        );
        offline = false;
        assert.equal((await browser.evaluate(exportFrom, "/sometimes-formats/index.js")).archive, "exported");
        await page.close();
      });

      await context.test("loading of the chunk of runs that failed ends the run, and the next run uses it", async () => {
        offline = true;
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        const failed = await browser.evaluate(askAnthropic, "/sometimes-run/index.js");
        assert.match(
          failed.answer,
          /^network true the wasm did not load: .* answered 404; .* serve threadkeep_run_bg.wasm beside the module$/,
        );
        assert.deepEqual([failed.asked, failed.again], [0, "Still here."]);
        offline = false;
        assert.deepEqual(await browser.evaluate(askAgain), { answer: "finished", asked: 1 });
        await page.close();
      });

      await context.test("a page that may no longer compile wasm gets an error, and continues once it may", async () => {
        assert.deepEqual(await inPage(exportBlocked, "/threadkeep/index.js"), ["wasm_blocked", "idle", "exported"]);
      });

      await context.test(
        "a chunk of another build is refused, and the copy in JavaScript takes its place if that is of this build",
        async () => {
          assert.match(
            (await inPage(exportFrom, "/mixed-formats/index.js")).archive,
            /^network the wasm did not load: the wasm is of another build of threadkeep than this page; reload the page/,
          );
          assert.equal((await inPage(exportFrom, "/mixed/index.js")).archive, "exported");
        },
      );

      await context.test("the code for tools is loaded for agents with tools only", async () => {
        assert.deepEqual(await inPage(openFrom, "/threadkeep/index.js", false), { outcome: "opened", parts: 0 });
        assert.deepEqual(await inPage(openFrom, "/threadkeep/index.js", true), { outcome: "opened", parts: 1 });
        assert.deepEqual((await inPage(openFrom, "/without-parts/index.js", false)).outcome, "opened");
        assert.match(
          (await inPage(openFrom, "/without-parts/index.js", true)).outcome,
          /^ThreadkeepError network a part of the library did not load: /,
        );
      });

      await context.test(
        "analyzers and secrets are loaded when they are used, and a part that does not load is an error with a code",
        async () => {
          for (const options of [{ securityAnalyzer: { kind: "PatternSecurityAnalyzer" } }, { secrets: { TOKEN: "a-value" } }]) {
            assert.equal((await inPage(openFrom, "/threadkeep/index.js", false, options)).outcome, "opened");
            const { outcome } = await inPage(openFrom, "/without-parts/index.js", false, options);
            assert.match(outcome, /^ThreadkeepError network a part of the library did not load: /);
          }
        },
      );

      await context.test("model data is loaded for a conversation, in one file", async () => {
        const { before, answer, after, stats } = await inPage(askFrom, "/threadkeep/index.js");
        assert.deepEqual([before, answer, after], [[], "finished", ["models"]]);
        assert.deepEqual([stats.accumulated_cost, stats.accumulated_token_usage.context_window], [0.0035, 128_000]);
      });

      await context.test("no request is sent without model data, and one is once the data loads", async () => {
        offline = true;
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        const failed = await browser.evaluate(askFrom, "/without-models/index.js");
        assert.match(failed.answer, /^network true a part of the library did not load: /);
        assert.equal(failed.asked, 0);
        offline = false;
        // Firefox remembers for the life of a page that a module did not load.
        if (kind === "firefox") await page.reload();
        const { answer, stats } = await browser.evaluate(askFrom, "/without-models/index.js");
        assert.deepEqual([answer, stats.accumulated_cost], ["finished", 0.0035]);
        await page.close();
      });

      await context.test("an export fails with a code when its chunk does not load", async () => {
        assert.match((await inPage(exportFrom, "/without-parts/index.js")).archive, /^network a part of the library did not load: /);
      });

      for (const source of ["url", "response", "bytes", "view", "module"]) {
        await context.test(`the library loads the wasm that the host gives: ${source}`, async () => {
          assert.equal(await inPage(loadGiven, source), "loaded");
        });
      }

      const refused = [
        ["a page that is no wasm", "html", /^ThreadkeepError invalid_options: .*blank.html .* is not WebAssembly$/],
        [
          "the wasm of another build",
          "other",
          /^ThreadkeepError invalid_options: the wasm is of another build of threadkeep than this page/,
        ],
        ["an answer of 404", "missing", /^ThreadkeepError network: .*nothing.wasm answered 404$/],
        ["bytes that only begin like wasm", "garbage", /^ThreadkeepError invalid_options: the wasm passed to load\(\) cannot be used: /],
        ["a string", "string", /^ThreadkeepError invalid_options: load\(\) takes a URL/],
        ["null", "null", /^ThreadkeepError invalid_options: load\(\) takes a URL/],
        ["a server that is not there", "unreachable", /^ThreadkeepError network: the wasm passed to load\(\) cannot be used: /],
      ];
      for (const [name, source, expected] of refused) {
        await context.test(`the loader refuses ${name} with a reason`, async () => assert.match(await inPage(loadGiven, source), expected));
      }
    } finally {
      await browser.close();
    }
  });
}

async function loadFrom(url) {
  const { load } = await import(url);
  return load().then(
    () => "loaded",
    (error) => `${error.name} ${error.code}: ${error.message}`,
  );
}

/** Whether two entries have the same classes, and load the wasm once. */
async function sharedBy(one, other) {
  const [{ Conversation, load }, second] = [await import(one), await import(other)];
  await Promise.all([load(), second.load()]);
  const requests = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/threadkeep_bg.wasm"));
  return [Conversation === second.Conversation, requests.length === 1];
}

/** Opens a conversation and exports it; returns which parts for archives were fetched, and when. */
async function exportFrom(url) {
  const { Agent, Conversation, LLM } = await import(url);
  const fetched = () =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => /formats/.test(new URL(name).pathname.split("/").at(-1)));
  const conversation = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/none" }) }) });
  const before = fetched();
  const archive = await conversation.exportZip().then(
    () => "exported",
    ({ code, message }) => `${code} ${message}`,
  );
  return { before, archive, after: fetched() };
}

/** Exports a conversation while the page must not compile anything, and afterwards. */
async function exportBlocked(url) {
  const { Agent, Conversation, LLM } = await import(url);
  const conversation = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/none" }) }) });
  const tried = () =>
    conversation.exportZip().then(
      () => "exported",
      ({ code }) => code,
    );
  const { Module } = WebAssembly;
  WebAssembly.Module = class {
    constructor() {
      throw new WebAssembly.CompileError("blocked by a policy");
    }
  };
  const blocked = await tried();
  WebAssembly.Module = Module;
  return [blocked, conversation.state.execution_status, await tried()];
}

/** Opens a conversation, with a tool or without; returns how many parts of the library were fetched for tools. */
async function openFrom(url, withTool, options = {}) {
  const { Agent, Conversation, LLM, memoryStore, tool } = await import(url);
  const tools = withTool ? [tool({ name: "now", description: "", parameters: { type: "object" }, execute: () => "" })] : [];
  const agent = new Agent({ llm: new LLM({ model: "openai/none" }), tools });
  const outcome = await Conversation.open({ agent, store: memoryStore(), ...options }).then(
    () => "opened",
    ({ name, code, message }) => `${name} ${code} ${message}`,
  );
  const parts = performance.getEntriesByType("resource").filter(({ name }) => /\/agent-[^/]*$/.test(name)).length;
  return { outcome, parts };
}

/** Asks a model; returns which model data was fetched before and after. */
async function askFrom(url) {
  const { Agent, Conversation, LLM, memoryStore } = await import(url);
  const fetched = () => {
    const names = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname.split("/").at(-1));
    return names.map((name) => /^(models)-/.exec(name)?.[1]).filter(Boolean);
  };
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { fetch, requests } = new ScriptedModel([{ text: "Hi", usage: { prompt_tokens: 1000, completion_tokens: 100 } }]);
  const llm = new LLM({ model: "openai/gpt-4o", stream: false, numRetries: 1, fetch });
  // Opening begins to load it.
  const before = fetched();
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
  await conversation.sendMessage("Hello");
  const answer = await conversation.run().then(
    ({ status }) => status,
    ({ code, retryable, message }) => `${code} ${retryable} ${message}`,
  );
  return { before, answer, after: fetched(), asked: requests.length, stats: conversation.stats.usage_to_metrics.default };
}

/** Asks a model of Anthropic's; returns the outcome, and whether the conversation still takes messages. */
async function askAnthropic(url) {
  const { Agent, Conversation, LLM } = await import(url);
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const seen = (globalThis.seen = new ScriptedModel(() => ({ text: "Here." })));
  const { fetch } = seen;
  const llm = new LLM({ model: "anthropic/claude-sonnet-4-5", apiKey: "k", stream: false, numRetries: 1, fetch });
  seen.conversation = await Conversation.open({ agent: new Agent({ llm }) });
  await seen.conversation.sendMessage("Are you there?");
  const result = await seen.conversation.run().then(
    ({ status }) => status,
    ({ code, retryable, message }) => `${code} ${retryable} ${message}`,
  );
  await seen.conversation.sendMessage("Still here.");
  const events = await seen.conversation.events.slice();
  return { answer: result, asked: seen.requests.length, again: events.at(-1).llm_message.content[0].text };
}

async function askAgain() {
  const { status } = await globalThis.seen.conversation.run();
  return { answer: status, asked: globalThis.seen.requests.length };
}

async function loadGiven(what) {
  const { load } = await import("/without-file/index.js");
  const url = new URL("/threadkeep/threadkeep_bg.wasm", location.href);
  const bytes = async () => (await fetch(url)).arrayBuffer();
  const sources = {
    url: () => url,
    response: () => fetch(url),
    bytes,
    view: async () => {
      const plain = new Uint8Array(await bytes());
      const shifted = new Uint8Array(plain.length + 3);
      shifted.set(plain, 3);
      return shifted.subarray(3);
    },
    module: async () => WebAssembly.compile(await bytes()),
    html: () => new URL("/pages/blank.html", location.href),
    other: () => new URL("/mixed/threadkeep_bg.wasm", location.href),
    missing: () => new URL("/nothing.wasm", location.href),
    garbage: () => new Uint8Array([0, 0x61, 0x73, 0x6d, 9, 9, 9, 9]),
    string: () => url.href,
    null: () => null,
    unreachable: () => new URL("http://127.0.0.1:1/x.wasm"),
  };
  return load(await sources[what]()).then(
    () => "loaded",
    (error) => `${error.name} ${error.code}: ${error.message}`,
  );
}
