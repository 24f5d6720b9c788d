// Functions of the host that never answer: every verb stops waiting for them when the conversation is closed, and closing ends.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { storeMethods, storeThrough } from "../support/store-with.mjs";

/** Time-outs of more than half a second are divided by this. */
const faster = 100;
/** No verb may take longer by far; it is a limit on waiting, not on speed. */
const patience = 240_000;
const realTimeout = globalThis.setTimeout;
before(
  () =>
    (globalThis.setTimeout = (called, milliseconds = 0, ...given) =>
      realTimeout(called, milliseconds > 500 ? milliseconds / faster : milliseconds, ...given)),
);
after(() => (globalThis.setTimeout = realTimeout));
// Nothing else keeps Node alive where everything hangs.
const alive = setInterval(() => {}, 1000);
after(() => clearInterval(alive));

const never = new Promise(() => {});

/** Functions of the host, by name: each stops answering once `stuck.has(name)`. */
const given = [
  "a tool",
  "a tool's close",
  "an analyzer",
  "a key",
  "fetch",
  "a secret",
  "callbacks",
  "tokenCallbacks",
  ...["preToolUse", "postToolUse", "userPromptSubmit", "sessionStart", "sessionEnd", "stop"].map((name) => `hook ${name}`),
  ...storeMethods.map((name) => `store ${name}`),
];

const verbs = {
  sendMessage: (c) => c.sendMessage("More.", { pending: "keep" }),
  run: (c) => c.run(),
  pause: (c) => c.pause(),
  interrupt: (c) => c.interrupt(),
  "interrupt of a run": async (c) => (c.run().catch(() => {}), await turn(), await c.interrupt()),
  pendingActions: (c) => c.pendingActions(),
  rejectPendingActions: (c) => c.rejectPendingActions("no"),
  editAction: async (c) => c.editAction((await c.pendingActions())[0].id, { x: 2 }),
  setAllowedTools: (c) => c.setAllowedTools(["look"]),
  setConfirmationPolicy: (c) => c.setConfirmationPolicy({ kind: "NeverConfirm" }),
  setSecurityAnalyzer: (c) => c.setSecurityAnalyzer(null),
  switchLLM: (c, { llm }) => c.switchLLM(llm),
  setAgentState: (c) => c.setAgentState({ a: 1 }),
  executeTool: (c) => c.executeTool("look", { x: 1 }),
  askAgent: (c) => c.askAgent("Well?"),
  generateTitle: (c) => c.generateTitle(),
  updateSecrets: (c) => c.updateSecrets({ OTHER: "other-value" }),
  setTags: (c) => c.setTags({ a: "b" }),
  finalResponse: (c) => c.finalResponse(),
  events: (c) => c.events.slice(),
  exportZip: (c) => c.exportZip(),
  exportSession: (c) => c.exportSession(),
  toMessages: (c) => c.toMessages(),
  close: (c) => c.close(),
};

/** A conversation of which a call waits for the user, and nothing is stuck yet. */
async function open(options) {
  const stuck = new Set();
  const hangs = (name, answer) => (stuck.has(name) ? never : answer());
  const store = storeThrough(memoryStore(), (method, _given, go) => hangs(`store ${method}`, go), { close() {} });
  const model = createModel((_, index) => (index === 0 ? { calls: [{ name: "look", arguments: { x: 1 } }] } : { text: "Done." }));
  const fetch = (url, request) => hangs("fetch", () => model.fetch(url, request));
  const llm = new LLM({
    model: "scripted",
    baseUrl: "http://model.test/v1",
    stream: false,
    numRetries: 1,
    fetch,
    apiKey: () => hangs("a key", async () => "sk-a-key-of-some-length"),
  });
  const look = tool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: { x: {} } },
    execute: (_args, { secret }) => hangs("a tool", async () => `${(await secret("TOKEN")).length} characters`),
    close: () => hangs("a tool's close", () => {}),
  });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [look] }),
    store,
    confirmationPolicy: { kind: "AlwaysConfirm" },
    securityAnalyzer: { securityRisk: () => hangs("an analyzer", async () => "LOW") },
    secrets: { TOKEN: () => hangs("a secret", async () => "token-value") },
    callbacks: [() => hangs("callbacks", () => {})],
    tokenCallbacks: [() => hangs("tokenCallbacks", () => {})],
    hooks: Object.fromEntries(given.filter((name) => name.startsWith("hook ")).map((name) => [name.slice(5), () => hangs(name, () => {})])),
    ...options,
  });
  return { conversation, store, stuck, llm };
}

const turn = () => new Promise((resolve) => realTimeout(resolve, 20));

/** `undefined` once it has settled, or else the words. */
async function unsettled(what, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = realTimeout(resolve, patience, what)));
  const outcome = await Promise.race([
    Promise.resolve(promise).then(
      () => undefined,
      () => undefined,
    ),
    late,
  ]);
  clearTimeout(timer);
  return outcome;
}

for (const hasMessage of [true, false]) {
  test(`every verb and close() settle, whichever callback hangs ${hasMessage ? "while a call waits" : "in a new conversation"}`, {
    timeout: 2 * patience,
  }, async () => {
    const rows = given.flatMap((name) => Object.keys(verbs).map((verb) => [name, verb]));
    const left = await Promise.all(
      rows.map(async ([name, verb]) => {
        const { conversation, stuck, llm } = await open();
        if (hasMessage) {
          await conversation.sendMessage("Look.");
          await conversation.run();
          assert.equal(conversation.executionStatus, "waiting_for_confirmation");
        }
        stuck.add(name);
        const under_way = Promise.resolve().then(() => verbs[verb](conversation, { llm }));
        under_way.catch(() => {});
        await turn();
        const closing = await unsettled("close()", conversation.close());
        const waiting = closing ?? (await unsettled(verb, under_way)) ?? (await unsettled("a second close()", conversation.close()));
        return waiting && `${name} hangs, ${verb} under way: ${waiting} does not settle`;
      }),
    );
    assert.deepEqual(left.filter(Boolean), []);
  });
}

test("static verbs settle when the store hangs", { timeout: 2 * patience }, async () => {
  const hanging = storeThrough(memoryStore(), () => never, { close() {} });
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl: "http://model.test/v1" }) });
  const id = "5e771e00-0000-4000-8000-000000000001";
  const outcomes = {
    open: () => Conversation.open({ agent, store: hanging }),
    list: () => Conversation.list({ store: hanging }),
    delete: () => Conversation.delete(id, { store: hanging }),
    importJSON: () => Conversation.importJSON([{ role: "user", content: "Hello." }], { store: hanging }),
  };
  for (const [verb, attempt] of Object.entries(outcomes)) {
    const error = await attempt().then(
      () => assert.fail(`${verb} settled with something`),
      (error) => error,
    );
    assert.equal(error.code, "store_blocked", `${verb}: ${error.message}`);
    assert.match(error.message, /\(\) of the host's store has not answered in time/);
  }
});

test("closing with deleteOnClose ends when the store does not delete", { timeout: patience }, async () => {
  const { conversation, store, stuck } = await open({ deleteOnClose: true });
  const told = [];
  const unsubscribe = Conversation.onListChange(({ id }) => told.push(id), { store });
  stuck.add("store delete");
  await conversation.close();
  assert.deepEqual(told, [], "lists are not told of what may still be there");
  unsubscribe();
});

test("a message whose hook never answers rejects when the conversation is closed", { timeout: patience }, async () => {
  for (const hook of ["hook sessionStart", "hook userPromptSubmit"]) {
    const { conversation, stuck } = await open();
    stuck.add(hook);
    const sent = conversation.sendMessage("Hello?");
    sent.catch(() => {});
    await turn();
    await conversation.close();
    await assert.rejects(sent, { code: "invalid_state" });
  }
});
