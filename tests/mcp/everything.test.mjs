// The protocol's reference server, over both transports: lists, calls, contents, progress, cancellation, and a server that
// goes away and comes back.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { memoryStore } from "../../dist/index.js";
import { connected, opened, reached, textOf } from "./opened.mjs";
import { freePort } from "../support/listen.mjs";
import { everything } from "./servers.mjs";

const servers = [];
after(() => Promise.all(servers.map((server) => server.stop())));

async function start(kind, options) {
  const server = await everything(kind, options);
  servers.push(server);
  return server;
}

const calls = (...calls) => ({ calls: calls.map(([name, args]) => ({ name, arguments: args })) });

for (const [kind, transport] of [
  ["streamableHttp", undefined],
  ["sse", undefined],
  ["sse", "sse"],
]) {
  test(`tools over ${kind} (option ${transport}) are listed and called`, async () => {
    const { url } = await start(kind);
    const { conversation, live } = await opened({ all: { url, ...(transport && { transport }) } });
    const { tools, notes } = await connected(conversation, "all");
    assert.ok(tools.some(({ name, title }) => name === "echo" && title === "Echo Tool"));
    assert.deepEqual(notes, []);
    const call = (name, args) => conversation.executeTool(name, args);
    assert.equal(textOf(await call("echo", { message: "hello" })), "[Tool 'echo' executed.]\nEcho: hello");
    assert.match(textOf(await call("get-tiny-image")), /\ndata:image\/png;base64,/);
    assert.match(textOf(await call("get-resource-links")), /\n\[resource demo:\/\/resource\/dynamic\/blob\/1, /);
    assert.match(textOf(await call("get-resource-reference")), /\n\[resource demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: /);
    assert.match(textOf(await call("get-structured-content", { location: "New York" })), /"temperature":33/);
    await assert.rejects(call("get-sum", { a: 1, b: "x" }), ({ code, message }) => code === "invalid_options" && /b: /.test(message));
    await call("trigger-long-running-operation", { duration: 0.5, steps: 2 });
    assert.equal(live.find(({ kind }) => kind === "ToolProgressEvent").text, "1/2");
    await conversation.close();
  });
}

test("a call in a run is stored in the SDK's classes, and the first request waits for the list", async () => {
  const { url } = await start("streamableHttp");
  const { conversation, model } = await opened(
    { all: { url, headers: { "X-Key": "a-key-of-the-user" } } },
    { script: [calls(["echo", { message: "hi", summary: "Says hi" }]), { text: "Done." }] },
  );
  await conversation.sendMessage("Go");
  const { finalResponse } = await conversation.run();
  assert.equal(finalResponse, "Done.");
  const sent = model.requests[0].body.tools.map(({ function: tool }) => tool.name);
  assert.ok(sent.includes("echo") && sent.includes("finish"), String(sent));
  const events = await conversation.events.slice();
  const action = events.find(({ kind }) => kind === "ActionEvent");
  assert.deepEqual(action.action, { data: { message: "hi" }, kind: "MCPToolAction" });
  const { observation, tool_name } = events.find(({ kind }) => kind === "ObservationEvent");
  assert.equal(tool_name, "echo");
  assert.deepEqual([observation.kind, observation.tool_name, observation.is_error], ["MCPToolObservation", "echo", false]);
  assert.equal(textOf(observation), "[Tool 'echo' executed.]\nEcho: hi");
  assert.deepEqual(conversation.state.agent.mcp_config, { all: { url, headers: { "X-Key": "**********" } } });
  await conversation.close();
});

test("tools of several servers have the name of their server in front", async () => {
  const [one, two] = [await start("streamableHttp"), await start("streamableHttp")];
  const { conversation } = await opened({ one: { url: one.url }, two: { url: two.url } });
  await Promise.all([connected(conversation, "one"), connected(conversation, "two")]);
  assert.equal(textOf(await conversation.executeTool("two_echo", { message: "2" })), "[Tool 'two_echo' executed.]\nEcho: 2");
  assert.deepEqual(conversation.warnings, []);
  await conversation.close();
});

test("a call of an hour that is interrupted is not waited for", async () => {
  const { url } = await start("streamableHttp");
  const script = [calls(["trigger-long-running-operation", { duration: 3600, steps: 7200 }]), { text: "Stopped." }];
  const { conversation } = await opened({ all: { url } }, { script });
  await connected(conversation, "all");
  await conversation.sendMessage("Wait");
  const progress = new Promise((resolve) => conversation.subscribe(({ kind }) => kind === "ToolProgressEvent" && resolve()));
  const running = conversation.run();
  await progress;
  await conversation.interrupt();
  assert.equal((await running).status, "paused");
  const [first] = (await conversation.events.slice()).filter(({ kind }) => kind === "AgentErrorEvent");
  assert.equal(first.tool_name, "trigger-long-running-operation");
  // The connection still works.
  assert.match(textOf(await conversation.executeTool("echo", { message: "yes" })), /Echo: yes/);
  await conversation.close();
});

test("a server that is down delays nothing; its tools are known from before, say what is wrong, and work when it is back", async () => {
  const port = await freePort();
  const store = memoryStore();
  const url = `http://127.0.0.1:${port}/mcp`;
  const never = await opened({ all: { url } }, { store, script: [{ text: "Without tools." }] });
  assert.equal(never.conversation.mcp.servers[0].state, "connecting");
  const failed = await reached(never.conversation, "all", ({ state }) => state === "failed");
  assert.match(failed.error, /127\.0\.0\.1:\d+ cannot be reached/);
  await never.conversation.sendMessage("Go");
  assert.equal((await never.conversation.run()).finalResponse, "Without tools.");
  const server = await start("streamableHttp", { port });
  assert.equal((await never.conversation.mcp.reconnect("all")).state, "connected");
  const { id } = never.conversation;
  await never.conversation.close();
  await server.stop();

  const script = [calls(["echo", { message: "1" }]), { text: "It is down." }, calls(["echo", { message: "2" }]), { text: "It is back." }];
  const { conversation, model } = await opened({ all: { url } }, { store, conversationId: id, script });
  assert.ok(
    conversation.mcp.servers[0].tools.some(({ name }) => name === "echo"),
    "known at once",
  );
  await conversation.sendMessage("Again");
  await conversation.run();
  assert.ok(model.requests[0].body.tools.some(({ function: tool }) => tool.name === "echo"));
  const observations = async () =>
    (await conversation.events.slice()).filter(({ kind }) => kind === "ObservationEvent").map(({ observation }) => observation);
  const [down] = await observations();
  assert.equal(down.is_error, true);
  assert.match(textOf(down), /^Error calling MCP tool echo: the server all is not connected: http:\/\/127\.0\.0\.1:\d+ cannot be reached/);
  await start("streamableHttp", { port });
  await conversation.sendMessage("And now?");
  await conversation.run();
  assert.match(textOf((await observations())[1]), /Echo: 2/);
  await conversation.close();
});

test("a connection that breaks during a call ends the call, and a restarted server is used again", async () => {
  const server = await start("streamableHttp");
  const { conversation } = await opened({ all: { url: server.url } });
  await connected(conversation, "all");
  const progress = new Promise((resolve) => conversation.subscribe(({ kind }) => kind === "ToolProgressEvent" && resolve()));
  const long = conversation.executeTool("trigger-long-running-operation", { duration: 30, steps: 60 });
  await progress;
  await server.stop();
  const broken = await long;
  assert.equal(broken.is_error, true);
  assert.match(textOf(broken), /connection was lost/);
  await start("streamableHttp", { port: server.port });
  // The new process does not know the session.
  assert.match(textOf(await conversation.executeTool("echo", { message: "again" })), /Echo: again/);
  await conversation.close();
});

test("a restarted server that forgot the session gets the same call in a new one", async () => {
  const server = await start("streamableHttp");
  const { conversation } = await opened({ all: { url: server.url } });
  await connected(conversation, "all");
  await server.stop();
  await start("streamableHttp", { port: server.port });
  assert.match(textOf(await conversation.executeTool("echo", { message: "once" })), /Echo: once/);
  await conversation.close();
});

test("filterToolsRegex decides about all tools but finish and think", async () => {
  const { url } = await start("streamableHttp");
  const { conversation, model } = await opened(
    { all: { url } },
    { agent: { filterToolsRegex: "echo|get-(?!env)" }, script: [{ text: "Hi." }] },
  );
  const { tools } = await connected(conversation, "all");
  assert.ok(
    tools.every(({ name }) => /^(echo|get-)/.test(name) && name !== "get-env"),
    JSON.stringify(tools),
  );
  await conversation.sendMessage("Go");
  await conversation.run();
  const sent = model.requests[0].body.tools.map(({ function: tool }) => tool.name);
  assert.ok(!sent.includes("get-env") && sent.includes("get-sum") && sent.includes("think"), String(sent));
  assert.equal(conversation.state.agent.filter_tools_regex, "echo|get-(?!env)");
  await conversation.close();
});
