// Where the library runs, and its errors where it cannot: plain http, a Content-Security-Policy against WebAssembly, no
// IndexedDB, and service workers.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch, noPlainHost, noWindows, plainHost } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

/** A page with this policy. */
const withPolicy = (policy) => (_request, response) => (
  response
    .writeHead(200, { "content-type": "text/html", "content-security-policy": policy })
    .end("<!doctype html><link rel=icon href=data:,>"),
  true
);
const dist = staticFiles(path.join(root, "dist"));
/** A page of an origin of its own asks for modules as from another server. */
const forAll = (request, response, urlPath) => (response.setHeader("access-control-allow-origin", "*"), dist(request, response, urlPath));

let server;
before(async () => {
  server = await startServer({
    mounts: {
      "/no-wasm/": withPolicy("default-src 'self'; script-src 'self'; img-src data:"),
      "/sandboxed/": withPolicy("sandbox allow-scripts"),
      "/for-all/": forAll,
      // A worker may control what lies beside it.
      "/workers/": "tests/browser/pages",
    },
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the library says why where it cannot run, and runs in service workers`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const inPage = async (url, body, ...args) => {
      const page = await browser.page(url);
      const found = await browser.evaluate(body, ...args);
      await page.close();
      return found;
    };

    await context.test("a page that came over plain http holds conversations", { skip: noPlainHost(kind) }, async () => {
      const { isSecure, cipher, ...held } = await inPage(`http://${plainHost}:${server.port}/pages/blank.html`, holdConversation);
      assert.equal(isSecure, false);
      assert.deepEqual(held, { ids: true, access: ["writer", "writer"], finalResponse: "Done.", executed: "rolled", kinds: 2, zip: true });
      assert.match(cipher, /^invalid_options: cipher needs WebCrypto/);
    });

    await context.test("a policy without wasm-unsafe-eval is named", async () => {
      for (const failure of await inPage(`${server.origin}/no-wasm/`, openAnyway, "/threadkeep/index.js")) {
        assert.match(
          failure,
          /^wasm_blocked false: WebAssembly is not allowed here: add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy/,
        );
      }
    });

    await context.test("a page without IndexedDB gets an error, and can hold conversations in memory", async () => {
      const { failed, memory } = await inPage(`${server.origin}/pages/blank.html`, withoutDatabase, "/threadkeep/index.js", true);
      for (const failure of failed) assert.match(failure, /^store_unavailable false: .*IndexedDB/);
      assert.equal(memory, "writer");
    });

    await context.test("a page whose browser forbids IndexedDB gets an error", async () => {
      const { failed, memory } = await inPage(`${server.origin}/sandboxed/`, withoutDatabase, `${server.origin}/for-all/index.js`, false);
      for (const failure of failed) assert.match(failure, /^store_unavailable false: .*(IndexedDB|profiles)/);
      assert.equal(memory, "writer");
    });

    // Firefox forbids it as it does within the frame.
    await context.test("a page whose user blocks site data gets an error", { skip: kind !== "chromium" || noWindows(kind) }, async () => {
      const profile = mkdtempSync(path.join(tmpdir(), "threadkeep-blocked-"));
      mkdirSync(path.join(profile, "Default"));
      writeFileSync(
        path.join(profile, "Default/Preferences"),
        JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }),
      );
      const blocked = await launch(kind, { profile });
      try {
        await blocked.page(`${server.origin}/pages/blank.html`);
        const { failed, memory } = await blocked.evaluate(withoutDatabase, "/threadkeep/index.js", false);
        for (const failure of failed) assert.match(failure, /^store_unavailable false: .*denied permission/);
        assert.equal(memory, "writer");
      } finally {
        await blocked.close();
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    });

    await context.test("a service worker holds a conversation with threadkeep/static, and the page finds it", async () => {
      const { answer, found } = await inPage(`${server.origin}/pages/blank.html`, throughWorker, "/workers/service-worker.mjs");
      assert.equal(answer.failed, undefined);
      assert.deepEqual(answer.result, {
        access: "writer",
        finalResponse: "Done.",
        hasZip: true,
        role: "system",
        hasInput: true,
        kinds: ["SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "MessageEvent"],
      });
      assert.equal(found, 5);
    });

    await context.test("a service worker that imports the entry for pages is told of threadkeep/static", async () => {
      const { answer } = await inPage(`${server.origin}/pages/blank.html`, throughWorker, "/workers/service-worker-apart.mjs");
      assert.match(answer, /^invalid_options: .*import "threadkeep\/static"/);
    });
    // Chromium reports what a policy was against.
    assert.deepEqual(
      browser.problems.filter((problem) => !/Content.Security.Policy|unsafe-eval/i.test(problem)),
      [],
    );
  });
}

async function holdConversation() {
  const { Agent, Conversation, LLM, tool } = await import("/threadkeep/index.js");
  const roll = tool({ name: "roll", description: "Rolls.", parameters: { type: "object" }, execute: () => "rolled" });
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { fetch } = new ScriptedModel([{ calls: [{ name: "roll" }] }, { text: "Done." }]);
  const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch, stream: false, numRetries: 1 }), tools: [roll] });
  const conversation = await Conversation.open({ agent });
  await conversation.sendMessage("Roll.");
  const { finalResponse } = await conversation.run();
  const executed = (await conversation.executeTool("roll", {}, { signal: new AbortController().signal })).content[0].text;
  const zip = (await conversation.exportZip()).size > 1000;
  await conversation.close();
  const again = await Conversation.open({ agent, conversationId: conversation.id });
  const kinds = (await again.events.slice()).filter(({ kind }) => kind === "MessageEvent").length;
  const cipher = await Conversation.open({ agent, cipher: "a passphrase" }).then(
    () => "opened",
    ({ code, message }) => `${code}: ${message}`,
  );
  return {
    isSecure: isSecureContext,
    ids: typeof crypto.randomUUID === "undefined",
    access: [conversation.access, again.access],
    finalResponse,
    executed,
    kinds,
    zip,
    cipher,
  };
}

async function openAnyway(url) {
  const { Agent, Conversation, LLM, load, memoryStore } = await import(url);
  const agent = new Agent({ llm: new LLM({ model: "openai/m" }) });
  const bytes = await (await fetch("/threadkeep/threadkeep_bg.wasm")).arrayBuffer();
  const tries = [() => load(), () => load(bytes), () => Conversation.open({ agent, store: memoryStore() }), () => Conversation.list()];
  const found = [];
  for (const attempt of tries)
    found.push(
      await attempt().then(
        () => "worked",
        ({ code, retryable, message }) => `${code} ${retryable}: ${message}`,
      ),
    );
  return found;
}

async function withoutDatabase(url, isRemoved) {
  const { Agent, Conversation, LLM, LLMProfileStore, memoryStore } = await import(url);
  if (isRemoved) Object.defineProperty(globalThis, "indexedDB", { value: undefined });
  const llm = new LLM({ model: "openai/m" });
  const agent = new Agent({ llm });
  const tries = [
    () => Conversation.open({ agent }),
    () => Conversation.list(),
    () => new LLMProfileStore().list(),
    () => new LLMProfileStore().save("fast", llm),
  ];
  const failed = [];
  for (const attempt of tries)
    failed.push(
      await attempt().then(
        () => "worked",
        ({ code, retryable, message }) => `${code} ${retryable}: ${message}`,
      ),
    );
  return { failed, memory: (await Conversation.open({ agent, store: memoryStore() })).access };
}

/** The answer of the service worker of this script, and how many events of its conversation the page finds. */
async function throughWorker(script) {
  const registration = await navigator.serviceWorker.register(script, { type: "module" });
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  const id = crypto.randomUUID();
  const { port1, port2 } = new MessageChannel();
  const received = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  worker.postMessage(id, [port2]);
  const answer = await received;
  await registration.unregister();
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const conversation = await Conversation.open({ agent: new Agent({ llm: new LLM({ model: "openai/m" }) }), conversationId: id });
  const { length } = conversation.events;
  await conversation.close();
  return { answer, found: length };
}
