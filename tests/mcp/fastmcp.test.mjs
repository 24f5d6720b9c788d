// FastMCP, the server library in Python that the SDK is tested with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connected, opened, reached, textOf } from "./opened.mjs";
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

test("a tool that is added during a run is in the next request", options, async () => {
  const script = [{ calls: [{ name: "learn", arguments: { name: "juggle" } }] }, { calls: [{ name: "juggle", arguments: {} }] }, { text: "Learned." }];
  const { conversation, model } = await opened({ shelf: { url: server.url } }, { script });
  await connected(conversation, "shelf");
  await conversation.sendMessage("Learn to juggle");
  await conversation.run();
  const sent = model.requests.map(({ body }) => body.tools.some(({ function: tool }) => tool.name === "juggle"));
  assert.deepEqual(sent, [false, true, true]);
  await reached(conversation, "shelf", ({ tools }) => tools.some(({ name }) => name === "juggle"));
  const last = (await conversation.events.slice()).findLast(({ kind }) => kind === "ObservationEvent");
  assert.match(textOf(last.observation), /juggle was learned/);
  await conversation.close();
});

test("a call of 30 seconds whose signal is aborted rejects at once", options, async () => {
  const { conversation } = await opened({ shelf: { url: server.url } });
  await connected(conversation, "shelf");
  const begun = performance.now();
  const stop = new AbortController();
  const progress = new Promise((resolve) => conversation.subscribe(({ kind, text }) => kind === "ToolProgressEvent" && resolve(text)));
  const waiting = conversation.executeTool("wait", { seconds: 30 }, { signal: stop.signal });
  assert.match(await progress, /^waiting \(\d+\/300\)$/);
  stop.abort();
  await assert.rejects(waiting, { code: "aborted" });
  assert.ok(performance.now() - begun < 25_000);
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
