// Logins: tokens, and OAuth against the example server of the protocol's SDK, which registers clients and asks nobody.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { memoryStore } from "../../dist/index.js";
import { listen } from "../support/listen.mjs";
import { connected, opened, reached, textOf } from "./opened.mjs";
import { withLogin } from "./servers.mjs";

const server = await withLogin();
after(() => server.stop());

const redirectUrl = "http://localhost/back";

/** Does what a browser does: follows the authorization server to the URL of the app. */
async function authorize(url) {
  const { headers } = await fetch(url, { redirect: "manual" });
  return headers.get("location");
}

/** Everything that is stored or exported of a conversation. */
async function everywhere(conversation, store) {
  const events = await conversation.events.slice();
  const files = await Promise.all(
    (await store.files(conversation.id)).map(async (path) => new TextDecoder().decode(await store.readFile(conversation.id, path))),
  );
  const zip = Buffer.from(await (await conversation.exportZip()).arrayBuffer()).toString("latin1");
  return JSON.stringify([conversation.state, events, conversation.mcp.servers]) + files.join() + zip;
}

test("a server that asks for a login opens, its tools say so, and work after the login", async () => {
  const store = memoryStore();
  const tokens = [];
  const seen = new Map();
  const storage = { read: async (name) => seen.get(name), write: async (name, text) => void seen.set(name, text) };
  const watched = async (input, init) => {
    const response = await fetch(input, init);
    if (String(input).endsWith("/token")) tokens.push((await response.clone().json()).access_token);
    return response;
  };
  const mcpServers = {
    greeter: { url: server.url, fetch: watched, auth: { oauth: { redirectUrl, authorize, scopes: "mcp:tools", storage } } },
  };
  const { conversation } = await opened(mcpServers, { store, cipher: "a passphrase that is long" });
  const waiting = await reached(conversation, "greeter", ({ state }) => state === "login");
  assert.match(waiting.error, /asks for a login; the user has to log in/);
  await assert.rejects(conversation.executeTool("greet", { name: "Ada" }), { code: "not_found" });
  const after = await conversation.mcp.login("greeter");
  assert.equal(after.state, "connected");
  assert.match(textOf(await conversation.executeTool("greet", { name: "Ada" })), /Hello, Ada!/);
  assert.equal(tokens.length, 1);
  assert.match([...seen.values()].join(), /^gAAAAA/, "encrypted");
  assert.ok(![...seen.values()].join().includes(tokens[0]));
  assert.ok(!textOf(await conversation.executeTool("greet", { name: tokens[0] })).includes(tokens[0]));
  await conversation.sendMessage("Hello");
  assert.ok(!(await everywhere(conversation, store)).includes(tokens[0]));
  assert.deepEqual(conversation.state.agent.mcp_config, { greeter: { url: server.url, auth: { strategy: "oauth2" } } });
  const { id } = conversation;
  await conversation.close();
  // The stored token is enough.
  const again = await opened(mcpServers, { store, conversationId: id, cipher: "a passphrase that is long" });
  await connected(again.conversation, "greeter");
  await again.conversation.close();
});

test("a login that the server refuses is an error, and one that returns for another request too", async () => {
  const refuses = (url) => `${redirectUrl}?error=access_denied&error_description=No%20way&state=${new URL(url).searchParams.get("state")}`;
  const { conversation } = await opened({
    greeter: { url: server.url, auth: { oauth: { redirectUrl, clientName: "refused", clientId: "x", authorize: refuses } } },
  });
  await reached(conversation, "greeter", ({ state }) => state === "login");
  await assert.rejects(conversation.mcp.login("greeter"), ({ code, message }) => code === "aborted" && /No way/.test(message));
  await conversation.close();
  const forged = await opened({
    greeter: { url: server.url, auth: { oauth: { redirectUrl, clientId: "y", authorize: () => `${redirectUrl}?code=c&state=other` } } },
  });
  await reached(forged.conversation, "greeter", ({ state }) => state === "login");
  await assert.rejects(forged.conversation.mcp.login("greeter"), { code: "invalid_state" });
  await forged.conversation.close();
});

test("without auth in the options the state is login, and login() says what to do", async () => {
  const { conversation } = await opened({ greeter: { url: server.url } });
  const { error } = await reached(conversation, "greeter", ({ state }) => state === "login");
  assert.match(error, /asks for a login \(401\)/);
  await assert.rejects(
    conversation.mcp.login("greeter"),
    ({ code, message }) => code === "invalid_state" && /auth: \{ oauth: \{\} \}/.test(message),
  );
  await assert.rejects(conversation.mcp.login("nobody"), { code: "invalid_options" });
  await conversation.close();
});

test("tokens and headers go to the server only, and are hidden where they return", async () => {
  const requests = [];
  const { origin, close } = await listen(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    requests.push(request.headers);
    const { id, method } = text ? JSON.parse(text) : {};
    if (request.method !== "POST") return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const results = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "mirror", version: "1" } },
      "tools/list": { tools: [{ name: "mirror", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: JSON.stringify(request.headers) }] },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
  });
  let count = 0;
  const { conversation } = await opened({
    mirror: {
      url: `${origin}/mcp?api_key=query-key-123456`,
      headers: { "X-Api-Key": "header-key-123456" },
      auth: { token: () => `token-number-${++count}` },
    },
  });
  await connected(conversation, "mirror");
  const mirrored = textOf(await conversation.executeTool("mirror"));
  assert.equal(requests[0].authorization, "Bearer token-number-1");
  assert.equal(requests[0]["x-api-key"], "header-key-123456");
  for (const secret of ["token-number-1", "header-key-123456"]) assert.ok(!mirrored.includes(secret), mirrored);
  assert.match(mirrored, /secret-hidden/);
  assert.deepEqual(conversation.state.agent.mcp_config, {
    mirror: { url: `${origin}/mcp`, headers: { "X-Api-Key": "**********" }, auth: { strategy: "bearer", value: "**********" } },
  });
  await conversation.close();
  await close();
});
