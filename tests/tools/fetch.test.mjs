// The tool of fetchTool(): allowed addresses, limits, and the text of pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, fetchTool, memoryStore } from "../../dist/index.js";
import { fromSource } from "../support/bundled.mjs";
import { processorTime } from "../support/processor-time.mjs";

const { textOfHTML } = await fromSource("tools/html.ts");

async function open(options, answer) {
  const requests = [];
  const fetch = async (url, init) => {
    requests.push({ url, ...init });
    return answer(url);
  };
  const llm = new LLM({ model: "openai/gpt-4o", fetch: () => assert.fail("no model is asked here") });
  const agent = new Agent({ llm, tools: [fetchTool({ fetch, ...options })] });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  const read = async (args) => {
    const { content, is_error: isError } = await conversation.executeTool("fetch", args);
    return { text: content.map(({ text }) => text).join(""), isError };
  };
  return { read, requests, conversation };
}

const page =
  "<html><head><title>Tea &amp; more</title><style>p { color: red }</style></head><body><h1>Tea</h1><p>A <a href='/green'>green</a> tea<script>alert('<p>')</script>.</p><ul><li>one<li>two</ul><pre>a\n  b</pre></body></html>";

test("a page is text with headings, lists and links, and goes without anything of the user", async () => {
  const { read, requests } = await open(
    { allow: ["https://tea.example"] },
    () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }),
  );
  assert.deepEqual(await read({ url: "https://tea.example/a" }), {
    text: "Contents of https://tea.example/a:\n# Tea & more\n\n# Tea\n\nA [green](https://tea.example/green) tea.\n\n- one\n- two\n\n```\na\n  b\n```",
    isError: false,
  });
  assert.equal((await read({ url: "https://tea.example/a", raw: true })).text, `Contents of https://tea.example/a:\n${page}`);
  assert.deepEqual([requests[0].credentials, requests[0].redirect, requests[0].referrerPolicy], ["omit", "manual", "no-referrer"]);
});

test("a long text is read in parts", async () => {
  const { read } = await open(
    { allow: ["https://tea.example"] },
    () => new Response("é".repeat(7000), { headers: { "content-type": "text/plain" } }),
  );
  const { text } = await read({ url: "https://tea.example/" });
  assert.equal(
    text,
    `Contents of https://tea.example/:\n${"é".repeat(5000)}\n\n(2000 characters follow: call fetch with start_index 5000)`,
  );
  assert.equal(
    (await read({ url: "https://tea.example/", start_index: 5000 })).text,
    `Contents of https://tea.example/:\n${"é".repeat(2000)}`,
  );
  assert.match((await read({ url: "https://tea.example/", start_index: 9000 })).text, /no more text: it has 7000 characters/);
});

test("other addresses are refused before anything is sent", async () => {
  const { read, requests } = await open({ allow: ["https://tea.example/v1", "http://localhost:8080/"] }, () => new Response("ok"));
  for (const url of ["https://tea.example/v1", "https://tea.example/v1/a?b", "https://tea.example/v2/../v1/a", "http://localhost:8080/x"])
    assert.equal((await read({ url })).isError, false, url);
  const sent = requests.length;
  for (const url of [
    "https://tea.example/",
    "https://tea.example/v10",
    "https://tea.example/v1/../a",
    "https://tea.example/v1/%2e%2e/a",
    "https://tea.example/v1/..%2fa",
    "http://tea.example/v1",
    "https://tea.example:444/v1",
    "https://tea.example.evil.example/v1",
    "https://user@tea.example/v1",
    "http://localhost/x",
    "file:///etc/passwd",
    "data:text/plain,x",
    "/v1",
  ]) {
    const { text, isError } = await read({ url });
    assert.ok(isError, url);
    assert.match(text, /not allowed|user name|no complete address|not a complete address/, url);
  }
  assert.equal(requests.length, sent);
});

test("a redirect is followed only to an allowed address that is known", async () => {
  const to = (location) => new Response(null, { status: 302, headers: { location } });
  const answers = {
    "/a": () => to("/b"),
    "/b": () => new Response("moved here"),
    "/out": () => to("https://evil.example/?secret"),
    "/loop": () => to("/loop"),
  };
  const { read, requests } = await open({ allow: ["https://tea.example"] }, (url) => answers[new URL(url).pathname]());
  assert.equal((await read({ url: "https://tea.example/a" })).text, "Contents of https://tea.example/b:\nmoved here");
  assert.match((await read({ url: "https://tea.example/out" })).text, /evil\.example.* is not allowed/);
  assert.match((await read({ url: "https://tea.example/loop" })).text, /redirects more than 5 times/);
  assert.ok(requests.every(({ url }) => url.startsWith("https://tea.example/")));

  // This is what a browser answers.
  const { read: readInPage } = await open({ allow: ["https://tea.example"] }, () =>
    Object.defineProperty(new Response(null), "type", { value: "opaqueredirect" }),
  );
  assert.match((await readInPage({ url: "https://tea.example/a" })).text, /redirects are not followed/);
});

test("size, type and failures", async () => {
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)) });
  const answers = {
    "/endless": () => new Response(endless()),
    "/image": () => new Response(new Uint8Array(10), { headers: { "content-type": "image/png" } }),
    "/none": () => new Response("no such page", { status: 404, statusText: "Not Found" }),
    "/down": () => Promise.reject(new TypeError("Failed to fetch")),
  };
  const { read } = await open({ allow: ["https://tea.example"] }, (url) => answers[new URL(url).pathname]());
  assert.match((await read({ url: "https://tea.example/endless" })).text, /longer than 5242880 bytes/);
  assert.match((await read({ url: "https://tea.example/image" })).text, /10 bytes of type image\/png, which is no text/);
  assert.match((await read({ url: "https://tea.example/none" })).text, /answered with status 404 Not Found:\nno such page/);
  assert.match((await read({ url: "https://tea.example/down" })).text, /Failed to fetch.*CORS/);
});

test("hostile HTML takes no longer than its length", () => {
  for (const html of [
    "<".repeat(1e6),
    "<script>".repeat(1e5),
    "<a href='".repeat(1e5),
    "&#".repeat(5e5),
    `<pre>${"<b".repeat(3e5)}`,
    "<!--".repeat(2e5),
    `<title>${" ".repeat(1e6)}`,
  ]) {
    const started = processorTime();
    textOfHTML(html, "https://tea.example");
    assert.ok(processorTime() - started < 5000, html.slice(0, 20));
  }
});

test("options are checked", () => {
  for (const allow of [undefined, "https://a.example", ["a.example"], ["https://*.example"], ["https://u:p@a.example"]])
    assert.throws(() => fetchTool({ allow }), { code: "invalid_options" });
});
