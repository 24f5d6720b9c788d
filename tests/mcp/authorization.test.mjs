// What a login does not accept from an authorization server, and what it asks for again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { authorizationServer } from "./authorization-server.mjs";
import { connected, opened, reached } from "./opened.mjs";

let count = 0;

/** A conversation whose server is `behaviour`; `shown` are the addresses that the host was asked to open. */
async function loggingIn(context, behaviour) {
  const server = await authorizationServer(behaviour);
  const shown = [];
  const authorize = async (url) => {
    shown.push(url.href);
    return (await fetch(url, { redirect: "manual" })).headers.get("location");
  };
  // Tokens are held by server and client, so each test is a client of its own.
  const oauth = { redirectUrl: "http://localhost/back", clientId: `client-${++count}`, authorize };
  const { conversation } = await opened({ guarded: { url: server.url, auth: { oauth } } });
  context.after(() => Promise.all([conversation.close(), server.close()]));
  return { server, conversation, shown };
}

test("an authorization server that names another issuer is refused before anything is sent to it", async (context) => {
  const { conversation, shown, server } = await loggingIn(context, { metadata: () => ({ issuer: "https://bank.example" }) });
  const state = await reached(conversation, "guarded", ({ state }) => state !== "connecting");
  assert.match(state.error, /describes the authorization server https:\/\/bank\.example, not itself/);
  await assert.rejects(conversation.mcp.login("guarded"), ({ code, message }) => code === "invalid_state" && /bank\.example/.test(message));
  assert.deepEqual([shown, server.seen.grants], [[], []]);
});

test("an answer of another authorization server is refused, and one that should name its server and does not", async (context) => {
  const rows = [
    [{ answer: (back) => back.searchParams.set("iss", "https://evil.example") }, /is of https:\/\/evil\.example, not of/],
    [{ metadata: () => ({ authorization_response_iss_parameter_supported: true }) }, /does not say that it is of/],
  ];
  for (const [behaviour, why] of rows) {
    const { conversation, server } = await loggingIn(context, behaviour);
    await reached(conversation, "guarded", ({ state }) => state === "login");
    await assert.rejects(conversation.mcp.login("guarded"), ({ code, message }) => code === "invalid_state" && why.test(message));
    assert.deepEqual(server.seen.grants, [], "the code is not sent");
  }
  const { conversation } = await loggingIn(context, {
    metadata: () => ({ authorization_response_iss_parameter_supported: true }),
    answer: (back, origin) => back.searchParams.set("iss", origin),
  });
  await reached(conversation, "guarded", ({ state }) => state === "login");
  assert.equal((await conversation.mcp.login("guarded")).state, "connected");
});

test("only https, and http of this machine, reaches the host or gets a code", async (context) => {
  for (const address of [
    "file:///etc/passwd",
    "blob:https://app.example/1",
    "myapp://login",
    "http://evil.example/authorize",
    "vscode://x",
  ]) {
    for (const endpoint of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
      const { conversation, shown, server } = await loggingIn(context, { metadata: () => ({ [endpoint]: address }) });
      await reached(conversation, "guarded", ({ state }) => state !== "connecting");
      await assert.rejects(
        conversation.mcp.login("guarded"),
        ({ code, message }) => code === "invalid_state" && /neither https/.test(message),
        `${endpoint} ${address}`,
      );
      assert.deepEqual([shown, server.seen.grants], [[], []]);
    }
  }
});

test("a user whose tokens the server refuses logs in anew", async (context) => {
  const refused = new Set(["access-token-1", "access-token-2"]);
  let isRevoked = false;
  const { conversation, server, shown } = await loggingIn(context, { accepts: (token) => !isRevoked || !refused.has(token) });
  await reached(conversation, "guarded", ({ state }) => state === "login");
  await conversation.mcp.login("guarded");
  await connected(conversation, "guarded");
  isRevoked = true;
  assert.equal((await conversation.mcp.reconnect("guarded")).state, "login");
  assert.deepEqual(server.seen.grants, ["authorization_code", "refresh_token"], "the page has tried to refresh them");
  assert.equal((await conversation.mcp.login("guarded")).state, "connected");
  assert.equal(shown.length, 2);
  assert.deepEqual(server.seen.grants, ["authorization_code", "refresh_token", "authorization_code"]);
});
