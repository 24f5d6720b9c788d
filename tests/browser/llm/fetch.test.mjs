// The network as a page has it: streams, refusals and strangers, and that nothing of it leaves a promise unsettled.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { root } from "../../../scripts/process.mjs";
import { listen } from "../../support/listen.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

/** Callbacks by path, called when the connection of a request closes. */
const onceGone = new Map();
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-expose-headers": "retry-after" };

async function model(request, response) {
  const route = request.url;
  if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
  response.on("close", () => onceGone.get(route)?.());
  const body = await text(request);
  switch (route) {
    case "/echo":
      return response
        .writeHead(200, { ...cors, "content-type": "application/json" })
        .end(JSON.stringify({ method: request.method, header: request.headers["x-one"], body }));
    case "/busy":
      return response.writeHead(429, { ...cors, "retry-after": "7" }).end("slow down");
    case "/redirect":
      return response.writeHead(307, { ...cors, location: "/echo" }).end();
    case "/no-cors":
      return response.writeHead(200).end("secret");
    case "/reset":
      response.writeHead(200, cors).write("half");
      return setImmediate(() => response.destroy());
    case "/split": {
      response.writeHead(200, cors);
      const bytes = Buffer.from("a😀b");
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      return response.end();
    }
    case "/hang":
      return;
    default:
      return void response.writeHead(200, cors).write("first"); // and no more
  }
}

let pages, provider;
before(async () => {
  provider = await listen((request, response) => void model(request, response));
  const {
    outputFiles: [{ text }],
  } = await build({ entryPoints: [path.join(root, "js/llm/body.ts")], bundle: true, write: false, format: "esm", target: "es2022" });
  const body = (_request, response) => (response.writeHead(200, { "content-type": "text/javascript" }).end(text), true);
  pages = await startServer({ mounts: { "/body/": body } });
});
after(() => Promise.all([pages.close(), provider.close()]));

for (const kind of availableBrowsers) {
  test(`${kind}: no stream, refusal or stranger in the network of a page leaves a promise unsettled`, async (context) => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${pages.origin}/pages/blank.html`);
      await browser.evaluate(async () => {
        const library = await import("/pkg/threadkeep_testing.js");
        await library.default({ module_or_path: "/pkg/threadkeep_testing_bg.wasm" });
        const { bodyOf } = await import("/body/body.js");
        globalThis.library = library;
        globalThis.read = (response) => bodyOf(response, () => {});
      });
      const post = async (route, { headers = [], body = "{}", chunks = 1000, fetch } = {}) => {
        const url = route.startsWith("/") ? provider.origin + route : route;
        const json = await browser.evaluate(
          (request, chunks, fetch) =>
            globalThis.library.probePost(request, globalThis.read, fetch ? globalThis.eval(`(${fetch})`) : undefined, chunks),
          JSON.stringify([url, headers, body]),
          chunks,
          fetch?.toString(),
        );
        return JSON.parse(json);
      };

      await context.test("a request arrives with its method, headers and body", async () => {
        const { status, text } = await post("/echo", { headers: [["x-one", "1"]], body: '{"a":"é"}' });
        assert.equal(status, 200);
        assert.deepEqual(JSON.parse(text), { method: "POST", header: "1", body: '{"a":"é"}' });
      });
      await context.test("a refusal has its status and its headers", async () => {
        const { status, headers, text } = await post("/busy");
        assert.deepEqual([status, headers["retry-after"], text], [429, "7", "slow down"]);
      });
      await context.test("bytes come through however they are cut", async () => assert.equal((await post("/split")).text, "a😀b"));
      await context.test("an answer that breaks off is a network error", async () => assert.equal((await post("/reset")).error, "network"));
      await context.test("no redirect is followed", async () => assert.equal((await post("/redirect")).error, "network"));
      await context.test("a response that CORS hides is a network error", async () =>
        assert.equal((await post("/no-cors")).error, "network"),
      );
      await context.test("a port without a server is a network error", async () =>
        assert.equal((await post("http://127.0.0.1:1/")).error, "network"),
      );

      for (const [what, headers] of [
        ["a line break", [["authorization", "Bearer sk-planted\nx"]]],
        ["a character that no header has", [["authorization", "Bearer sk-planted→"]]],
        ["a bad name", [["x y", "sk-planted"]]],
      ]) {
        await context.test(`a header with ${what} is refused and not quoted`, async () => {
          for (const fetch of [undefined, () => new Response("")]) {
            const { error, message } = await post("/echo", { headers, fetch });
            assert.equal(error, "invalid");
            assert.ok(message.includes("header") && !message.includes("planted"), message);
          }
        });
      }
      await context.test("a string that is no URL is refused and not quoted", async () => {
        const { error, message } = await post("http://planted:planted@[");
        assert.deepEqual([error, message.includes("planted")], ["invalid", false]);
      });

      await context.test("dropping a response closes its connection", async () => {
        for (const fetch of [undefined, (url, init) => globalThis.fetch(url, init)]) {
          const gone = new Promise((resolve) => onceGone.set("/drip", resolve));
          assert.equal((await post("/drip", { chunks: 1, fetch })).text, "first");
          await gone;
        }
      });
      await context.test("dropping a request before its response aborts it", async () => {
        const isAborted = await browser.evaluate((url) => {
          let signal;
          const keep = (url, init) => ((signal = init.signal), globalThis.fetch(url, init));
          const isPending = globalThis.library.probePostAndDrop(JSON.stringify([url, [], "{}"]), globalThis.read, keep);
          return isPending && signal.aborted;
        }, `${provider.origin}/hang`);
        assert.equal(isAborted, true);
      });

      for (const [what, fetch, expected] of [
        [
          "throws",
          () => {
            throw new Error("on purpose");
          },
          { error: "network", message: "on purpose" },
        ],
        [
          "throws a string",
          () => {
            throw "on purpose";
          },
          { error: "network", message: "on purpose" },
        ],
        ["rejects with nothing", () => Promise.reject(), { error: "network", message: "" }],
        ["rejects with an object", () => Promise.reject({ message: 7 }), { error: "network", message: "" }],
        ["gives nothing", () => undefined, { error: "network", message: "fetch did not return a response" }],
        ["gives a number", async () => 7, { error: "network", message: "fetch did not return a response" }],
        [
          "gives an object that throws",
          async () => ({
            get status() {
              throw new Error();
            },
          }),
          { error: "network", message: "fetch did not return a response" },
        ],
        ["gives a response at once", () => new Response("now"), { text: "now" }],
        [
          "gives a double without a stream",
          async () => ({ status: 200, headers: { "X-A": "b" }, text: () => "double" }),
          { text: "double", headers: { "x-a": "b" } },
        ],
        ["gives a double without a body", async () => ({ status: 204 }), { text: "" }],
        [
          "streams texts",
          async () => ({
            status: 200,
            body: {
              getReader: () => ({
                n: 0,
                async read() {
                  return this.n++ ? { done: true } : { done: false, value: "words" };
                },
                async cancel() {},
              }),
            },
          }),
          { text: "words" },
        ],
        [
          "streams something else",
          async () => ({
            status: 200,
            body: {
              getReader: () => ({
                async read() {
                  return { done: false, value: { a: 1 } };
                },
                cancel() {
                  return Promise.reject(new Error("heard"));
                },
              }),
            },
          }),
          { error: "network" },
        ],
        [
          "has a reader that throws",
          async () => ({
            status: 200,
            body: {
              getReader: () => ({
                read() {
                  throw "no";
                },
                cancel() {
                  throw "no";
                },
              }),
            },
          }),
          { error: "network", message: "no" },
        ],
        [
          "gets what fetch takes",
          async (url, init) =>
            Response.json([new URL(url).pathname, init.method, init.headers["x-one"], init.body, init.signal instanceof AbortSignal]),
          { text: '["/echo","POST","1","{}",true]' },
        ],
      ]) {
        await context.test(`a host's fetch that ${what}`, async () => {
          const given = await post("/echo", { headers: [["x-one", "1"]], fetch });
          for (const [name, value] of Object.entries(expected)) assert.deepEqual(given[name], value, JSON.stringify(given));
        });
      }

      await context.test("a network error while the browser is offline names that", async () => {
        await browser.evaluate(() => Object.defineProperty(navigator, "onLine", { value: false, configurable: true }));
        try {
          assert.equal((await post("http://127.0.0.1:1/")).error, "offline");
        } finally {
          await browser.evaluate(() => delete navigator.onLine);
        }
      });
      await context.test("the time is read from the page's clock", async () => {
        const [now, local, id, date] = await browser.evaluate(() => {
          const date = new Date();
          const pad = (value) => String(value).padStart(2, "0");
          const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}`;
          return [...globalThis.library.probeHost(), [Date.now(), day]];
        });
        assert.ok(Math.abs(now - date[0]) < 1000, `${now} ${date[0]}`);
        assert.match(local, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
        assert.equal(local.slice(0, 13), date[1]);
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      });
      await context.test("a timer fires, and a dropped one is cleared", async () => {
        const cleared = await browser.evaluate(async () => {
          await globalThis.library.probeSleep(5, false);
          const { setTimeout, clearTimeout } = globalThis;
          const open = new Set();
          globalThis.setTimeout = (...args) => {
            const id = setTimeout(...args);
            open.add(id);
            return id;
          };
          globalThis.clearTimeout = (id) => (open.delete(id), clearTimeout(id));
          try {
            await globalThis.library.probeSleep(1e9, true);
            return open.size === 0;
          } finally {
            Object.assign(globalThis, { setTimeout, clearTimeout });
          }
        });
        assert.equal(cleared, true);
      });

      // Messages of the browsers themselves about the failures above.
      const surprises = browser.problems.filter(
        (problem) => !/Failed to load resource|CORS policy|Cross-Origin Request Blocked/.test(problem),
      );
      assert.deepEqual(surprises, []);
      await page.close();
    } finally {
      await browser.close();
    }
  });
}
