// MCP servers in real browsers: a page of another origin, a strict content security policy, missing CORS headers, a login
// in a window, and a reload.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { authorizationServer } from "../../mcp/authorization-server.mjs";
import { hostile } from "../../mcp/hostile-server.mjs";
import { everything, withLogin } from "../../mcp/servers.mjs";
import { listen } from "../../support/listen.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

const page =
  (policy, script = "") =>
  (_request, response) => (
    response
      .writeHead(200, { "content-type": "text/html", ...(policy && { "content-security-policy": policy }) })
      .end(`<!doctype html><link rel=icon href=data:,>${script}`),
    true
  );

/** Passes requests on to a server that does not allow requests of pages. */
async function relay(request, response, urlPath) {
  const sent = await buffer(request);
  const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  try {
    const answer = await fetch(decodeURIComponent(urlPath.slice(1)), {
      method: request.method,
      headers,
      signal: stop.signal,
      ...(sent.length > 0 && { body: sent }),
    });
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !/^(content-(length|encoding)|transfer-encoding|connection)$/.test(name))),
    );
    response.flushHeaders();
    for await (const bytes of answer.body ?? []) response.write(bytes);
  } catch {
    // The page has ended the request.
  }
  response.end();
  return true;
}

let server;
let reference;
let closed;
let greeter;
before(async () => {
  [reference, closed, greeter] = await Promise.all([everything("streamableHttp"), hostile({}), withLogin()]);
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ${new URL(reference.url).origin}; img-src data:`;
  const back = `<script type="module">import { finishMCPLogin } from "/threadkeep/index.js"; finishMCPLogin();</script>`;
  server = await startServer({ mounts: { "/strict/": page(policy), "/back/": page(undefined, back), "/open/": page(), "/relay/": relay } });
});
after(() => Promise.all([server.close(), reference.stop(), closed.close(), greeter.stop()]));

/** Opens a conversation with this server, calls its echo, reloads it from the store, and returns what was seen. */
async function converse(url, conversationId) {
  const violations = [];
  document.addEventListener("securitypolicyviolation", ({ blockedURI }) => violations.push(blockedURI));
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "https://model.invalid/v1" });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, mcpServers: { all: { url } } }),
    ...(conversationId && { conversationId }),
  });
  const [known] = conversation.mcp.servers.map(({ tools }) => tools.length);
  await conversation.sendMessage("Hello");
  const state = await new Promise((resolve) => {
    const look = () => conversation.mcp.servers[0].state !== "connecting" && resolve(conversation.mcp.servers[0]);
    conversation.subscribe(look);
    look();
  });
  const echoed = state.state === "connected" ? await conversation.executeTool("echo", { message: "hi" }) : undefined;
  await conversation.close();
  return { id: conversation.id, known, state, echoed, violations };
}

/** Logs in with a window that a click opens. */
async function logIn(url) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "https://model.invalid/v1" });
  const relayed = (url, init) => fetch(`/relay/${encodeURIComponent(url)}`, init);
  const auth = { oauth: { redirectUrl: "/back/", scopes: "mcp:tools" } };
  const conversation = await Conversation.open({
    agent: new Agent({ llm, mcpServers: { greeter: { url, auth, fetch: relayed } } }),
    cipher: "a passphrase that is long",
  });
  globalThis.conversation = conversation;
  const button = document.createElement("button");
  button.textContent = "Log in";
  const result = new Promise((resolve, reject) => {
    button.onclick = () => conversation.mcp.login("greeter").then(resolve, reject);
  });
  globalThis.result = result;
  result.catch(() => {});
  document.body.append(button);
  return new Promise((resolve) => {
    const look = () => conversation.mcp.servers[0].state !== "connecting" && resolve(conversation.mcp.servers[0]);
    conversation.subscribe(look);
    look();
  });
}

/** Opens a conversation whose server asks for a login; the page is the one that the login returns to. */
async function guarded(url, conversationId) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "https://model.invalid/v1" });
  const auth = { oauth: { clientName: "Page" } };
  const conversation = (globalThis.conversation = await Conversation.open({
    agent: new Agent({ llm, mcpServers: { guarded: { url, auth } } }),
    ...(conversationId && { conversationId }),
  }));
  if (!conversationId) await conversation.sendMessage("Hello");
  const state = await new Promise((resolve) => {
    const look = () => conversation.mcp.servers[0].state !== "connecting" && resolve(conversation.mcp.servers[0]);
    conversation.subscribe(look);
    look();
  });
  return { id: conversation.id, state };
}

for (const kind of availableBrowsers) {
  test(`${kind}: MCP servers of other origins are used from a page, with logins and after a reload`, async (context) => {
    const browser = await tabs(kind);
    try {
      await context.test(
        "a server of another origin is called under a strict content security policy, and its tools are known after a reload",
        async () => {
          await browser.page(`${server.origin}/strict/`);
          const first = await browser.evaluate(converse, reference.url);
          assert.equal(first.state.state, "connected", JSON.stringify(first.state));
          assert.equal(first.known, 0);
          assert.match(JSON.stringify(first.echoed), /Echo: hi/);
          assert.deepEqual(first.violations, []);
          await browser.page(`${server.origin}/strict/`);
          const again = await browser.evaluate(converse, reference.url, first.id);
          assert.equal(again.known, first.state.tools.length);
        },
      );

      await context.test("missing CORS headers are named, and so is a server that is down", async () => {
        await browser.page(`${server.origin}/open/`);
        const refused = await browser.evaluate(converse, closed.url);
        assert.equal(refused.state.state, "failed");
        assert.match(refused.state.error, /answers, but does not allow requests of pages from http:\/\/.* \(CORS\)/);
        const down = await listen(() => {});
        await down.close();
        const missing = await browser.evaluate(converse, `${down.origin}/mcp`);
        assert.match(missing.state.error, /cannot be reached: the server is down/);
      });

      await context.test("a login in a window connects the server", async () => {
        const tab = await browser.page(`${server.origin}/open/`);
        const asked = await browser.evaluate(logIn, greeter.url);
        assert.equal(asked.state, "login", asked.error);
        await tab.click("button");
        const found = await browser.evaluate(async () => {
          const { state } = await globalThis.result;
          const greeting = await globalThis.conversation.executeTool("greet", { name: "Ada" });
          await globalThis.conversation.close();
          return { state, greeting, address: location.href };
        });
        assert.equal(found.state, "connected");
        assert.match(JSON.stringify(found.greeting), /Hello, Ada!/);
        assert.ok(!found.address.includes("code="));
      });

      await context.test("a login that leaves the page goes on when the conversation is opened again", async (step) => {
        const login = await authorizationServer();
        step.after(() => login.close());
        const tab = await browser.page(`${server.origin}/open/?kept=1`);
        const before = await browser.evaluate(guarded, login.url);
        assert.equal(before.state.state, "login", before.state.error);
        const returned = tab.waitForNavigation();
        await browser.evaluate(() => void conversation.mcp.login("guarded", { redirect: true }));
        await returned;
        assert.match(tab.url(), /code=code-1/, "the login has returned to this page");
        const after = await browser.evaluate(guarded, login.url, before.id);
        assert.equal(after.state.state, "connected", after.state.error);
        assert.deepEqual(login.seen, { grants: ["authorization_code"], logins: 1 });
        const left = await browser.evaluate(async () => {
          const { content } = await conversation.executeTool("greet", {});
          await conversation.close();
          return [content.at(-1).text, location.search, sessionStorage.length];
        });
        assert.deepEqual(left, ["Hello", "", 0], "neither the address nor the session storage keeps anything of it");
      });
    } finally {
      await browser.close();
    }
  });
}
