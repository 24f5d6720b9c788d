// FastMCP, the server library in Python that the SDK is tested with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { connected, opened, textOf } from "./opened.mjs";
import { fastMCP } from "./servers.mjs";

const server = await fastMCP();
if (server.reason && process.env.CI) throw new Error(server.reason);
const options = { skip: server.reason };

test("tools of FastMCP are called, and their failures are observations", options, async () => {
  const { conversation } = await opened({ shelf: { url: server.url } });
  await connected(conversation, "shelf");
  const call = (name, args) => conversation.executeTool(name, args);
  assert.equal(textOf(await call("add_note", { text: "one", stars: null })), "[Tool 'add_note' executed.]\n1 notes");
  const failed = await call("burn_notes");
  assert.equal(failed.is_error, true);
  assert.match(textOf(failed), /there is no fire/);
  assert.match(textOf(await call("picture")), /\ndata:image\/png;base64,iVBORw0KGgo=$/);
  assert.match(textOf(await call("person", { name: "Ada" })), /"age":\s*42/);
  await conversation.close();
});

test("hints of a server decide about approval", options, async () => {
  const script = [{ calls: [{ name: "burn_notes", arguments: {} }] }];
  const { conversation } = await opened({ shelf: { url: server.url } }, { script });
  await connected(conversation, "shelf");
  await conversation.sendMessage("Burn them");
  assert.equal((await conversation.run()).status, "waiting_for_confirmation");
  assert.equal((await conversation.pendingActions())[0].tool_name, "burn_notes");
  await conversation.close();
});

test("a tool that is added during a run can be called in that run", options, async () => {
  // The server tells of it on another connection than that of the result, at any time, and only if that one is open.
  const script = async ({ tools, messages }) => {
    if (/juggle was learned/.test(JSON.stringify(messages))) return { text: "Learned." };
    if (tools.some(({ function: { name } }) => name === "juggle")) return { calls: [{ name: "juggle", arguments: {} }] };
    await delay(50);
    return { calls: [{ name: "learn", arguments: { name: "juggle" } }] };
  };
  const { conversation } = await opened({ shelf: { url: server.url } }, { script, stuckDetection: false });
  await connected(conversation, "shelf");
  assert.ok(conversation.mcp.servers[0].tools.every(({ name }) => name !== "juggle"));
  await conversation.sendMessage("Learn to juggle");
  const { finalResponse } = await conversation.run();
  assert.equal(finalResponse, "Learned.");
  await conversation.close();
});

test("a call of an hour whose signal is aborted rejects at once", options, async () => {
  const { conversation } = await opened({ shelf: { url: server.url } });
  await connected(conversation, "shelf");
  const stop = new AbortController();
  const progress = new Promise((resolve) => conversation.subscribe(({ kind, text }) => kind === "ToolProgressEvent" && resolve(text)));
  const waiting = conversation.executeTool("wait", { seconds: 3600 }, { signal: stop.signal });
  assert.match(await progress, /^waiting \(\d+\/36000\)$/);
  stop.abort();
  await assert.rejects(waiting, { code: "aborted" });
  await conversation.close();
});

test("a call that takes longer than the timeout is an error observation", options, async () => {
  const { conversation } = await opened({ shelf: { url: server.url, timeout: 0.3 } });
  await connected(conversation, "shelf");
  const late = await conversation.executeTool("wait", { seconds: 30 });
  assert.equal(late.is_error, true);
  assert.match(textOf(late), /did not answer within 0\.3 seconds/);
  await conversation.close();
});

test.after(() => server.stop?.());
