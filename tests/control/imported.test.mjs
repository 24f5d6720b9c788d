// An import never loosens what the host decided: whatever a file says of when to ask, of tools that are allowed, of calls
// that are approved and of where secrets are.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { listen } from "../support/listen.mjs";
import { createModel } from "../support/model.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const always = { kind: "AlwaysConfirm" };
const never = { kind: "NeverConfirm" };
const risky = { kind: "ConfirmRisky", threshold: "MEDIUM" };
const patterns = { kind: "PatternSecurityAnalyzer" };
/** An analyzer that rates every call LOW. */
const blind = {
  high_patterns: [],
  medium_patterns: [],
  injection_high_patterns: [],
  injection_medium_patterns: [],
  kind: "PatternSecurityAnalyzer",
};

let model, server, ran;
before(async () => {
  // The user's message names the call; after its result the model is done.
  model = createModel(({ messages }) => {
    const { role, content } = messages.at(-1);
    const text = typeof content === "string" ? content : content.at(-1).text;
    return role === "user" && text.startsWith("{") ? { calls: [JSON.parse(text)] } : { text: "Done." };
  });
  server = await model.listen();
});
after(() => server.close());
beforeEach(() => (ran = []));

const toolOf = (name) => tool({ name, description: "Does it.", parameters: { type: "object" }, execute: () => void ran.push(name) });
const tools = [toolOf("wipe"), toolOf("note")];
const wipe = JSON.stringify({ name: "wipe", arguments: { code: "localStorage.clear()" } });
const note = JSON.stringify({ name: "note", arguments: { text: "x" } });

async function open(t, { tools: given = tools, ...options }) {
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl: server.baseUrl, numRetries: 1 }), tools: given });
  const conversation = await Conversation.open({ ...options, agent });
  t.after(() => conversation.close());
  return conversation;
}

async function statusAfter(conversation, message) {
  await conversation.sendMessage(message);
  return (await conversation.run()).status;
}

/** The archive of a conversation that somebody had elsewhere, whose stored state `change` changes. */
async function archiveOf(t, change = (state) => state, { say = ["Hello"], ...options } = {}) {
  const conversation = await open(t, { store: memoryStore(), ...options });
  for (const message of say) await statusAfter(conversation, message);
  await conversation.close();
  const exported = await (await conversation.exportZip()).arrayBuffer();
  const entries = await unzip(exported);
  const state = entries.find(({ name }) => name.endsWith("/base_state.json"));
  state.content = JSON.stringify(change(JSON.parse(state.content)));
  return { zip: zip(entries), state: state.content, entries };
}

async function imported(t, archive, options = {}) {
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(archive.zip, { store });
  return open(t, { store, conversationId: id, ...options });
}

const with_ = (fields) => (state) => ({ ...state, ...fields });

test("a stored policy that never asks does not stand in for the one that the page gives, now or later", async (t) => {
  const archive = await archiveOf(t, with_({ confirmation_policy: never, agent_state: {} }));
  for (const confirmationPolicy of [always, risky]) {
    const store = memoryStore();
    const [{ id }] = await Conversation.importZip(archive.zip, { store });
    const first = await open(t, { store, conversationId: id, confirmationPolicy, securityAnalyzer: patterns });
    assert.equal(await statusAfter(first, wipe), "waiting_for_confirmation");
    await first.rejectPendingActions();
    await first.close();
    const second = await open(t, { store, conversationId: id });
    assert.equal(await statusAfter(second, wipe), "waiting_for_confirmation", "it is stored");
  }
  assert.deepEqual(ran, []);
});

test("the calls of imported sessions and trajectories wait as those of archives do", async (t) => {
  const forms = [
    {
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hello." },
      ],
    },
    [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello." },
    ],
    [{ id: 0, timestamp: "2026-01-31T09:15:02", source: "user", message: "Hello", action: "message", args: { content: "Hello" } }],
  ];
  for (const form of forms) {
    const store = memoryStore();
    const { id } = await first(Conversation.importJSON(form, { store }));
    assert.equal((await Conversation.list({ store }))[0].undecided, true);
    const conversation = await open(t, { store, conversationId: id, confirmationPolicy: risky, securityAnalyzer: patterns });
    assert.equal(await statusAfter(conversation, wipe), "waiting_for_confirmation");
    await conversation.rejectPendingActions();
    assert.equal(await statusAfter(conversation, note), "finished", "and what the page's settings let go still goes");
  }
  assert.deepEqual(ran, ["note", "note", "note"]);
});

const first = async (promise) => {
  const result = await promise;
  return Array.isArray(result) ? result[0] : result;
};

test("a stored policy that asks about more than the page's holds, until the page decides for this conversation", async (t) => {
  const archive = await archiveOf(t, with_({ confirmation_policy: always }));
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(archive.zip, { store });
  const before = await open(t, { store, conversationId: id, confirmationPolicy: never });
  assert.equal(await statusAfter(before, note), "waiting_for_confirmation");
  await before.rejectPendingActions();
  assert.equal((await Conversation.list({ store }))[0].undecided, true);
  await before.setConfirmationPolicy(never);
  assert.equal((await Conversation.list({ store }))[0].undecided, false);
  assert.equal(await statusAfter(before, note), "finished");
  await before.close();
  const later = await open(t, { store, conversationId: id, confirmationPolicy: never });
  assert.equal(await statusAfter(later, note), "finished", "from then on it is like any other");
});

test("of an imported analyzer and the page's the higher rating counts", async (t) => {
  const policy = { threshold: "MEDIUM", confirm_unknown: true, kind: "ConfirmRisky" };
  const blinded = await archiveOf(t, with_({ confirmation_policy: policy, security_analyzer: blind }));
  const own = await imported(t, blinded, { confirmationPolicy: risky, securityAnalyzer: patterns });
  assert.equal(await statusAfter(own, wipe), "waiting_for_confirmation");
  await own.rejectPendingActions();
  assert.equal(await statusAfter(own, note), "finished");

  const nobody = await imported(t, blinded, { confirmationPolicy: risky });
  assert.equal(await statusAfter(nobody, note), "waiting_for_confirmation", "as in a new conversation of a page that names nobody");

  const asked = [];
  const byFunction = await imported(t, blinded, {
    confirmationPolicy: risky,
    securityAnalyzer: { securityRisk: ({ tool_name }) => (asked.push(tool_name), tool_name === "note" ? "HIGH" : "LOW") },
  });
  assert.equal(await statusAfter(byFunction, note), "waiting_for_confirmation");
  assert.deepEqual(asked, ["note"], "a function is asked beside what came in");
  await byFunction.rejectPendingActions();
  assert.equal(await statusAfter(byFunction, wipe), "finished");
  assert.deepEqual(
    byFunction.warnings.filter(({ code }) => code === "settings_unavailable"),
    [],
  );

  const watchful = await archiveOf(
    t,
    with_({ confirmation_policy: policy, security_analyzer: { ...blind, high_patterns: [["note", "A note", "x"]] } }),
  );
  const both = await imported(t, watchful, { confirmationPolicy: risky, securityAnalyzer: patterns });
  assert.equal(await statusAfter(both, note), "waiting_for_confirmation", "what the file asks about is asked about");
});

test("tools allowed before the import need approval here, and tools allowed here stay allowed", async (t) => {
  const archive = await archiveOf(t, with_({ agent_state: { allowed_tools: ["note"] } }));
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(archive.zip, { store });
  const before = await open(t, { store, conversationId: id, confirmationPolicy: always });
  assert.deepEqual(before.allowedTools, []);
  assert.match(before.warnings.map(({ message }) => message).join(), /need approval here: note/);
  assert.equal(await statusAfter(before, note), "waiting_for_confirmation");
  await before.setAllowedTools(["note"]);
  await before.run();
  await before.close();
  const later = await open(t, { store, conversationId: id, confirmationPolicy: always });
  assert.deepEqual(later.allowedTools, ["note"]);
  assert.equal(await statusAfter(later, note), "finished");
});

test("imported calls without a result wait for the user, whatever status the file claims", async (t) => {
  for (const execution_status of ["idle", "paused", "error"]) {
    const archive = await archiveOf(t, with_({ execution_status, confirmation_policy: never }), {
      say: [wipe],
      confirmationPolicy: always,
    });
    const conversation = await imported(t, archive);
    assert.equal((await conversation.pendingActions()).length, 1);
    assert.equal((await conversation.run()).status, "waiting_for_confirmation", execution_status);
    assert.deepEqual(ran.splice(0), []);
    assert.equal((await conversation.run()).status, "finished");
    assert.deepEqual(ran.splice(0), ["wipe"], "and run once they are approved");
  }
});

test("importing a continuation does not undo decisions made here", async (t) => {
  const store = memoryStore();
  const here = await open(t, { store });
  await statusAfter(here, "Hello");
  const early = await (await here.exportZip()).arrayBuffer();
  await here.setConfirmationPolicy(always);
  await here.setAllowedTools(["note"]);
  await here.close();

  // Somebody went on with it elsewhere, and asked for nothing.
  const elsewhere = memoryStore();
  await Conversation.importZip(early, { store: elsewhere });
  const there = await open(t, { store: elsewhere, conversationId: here.id });
  await there.setAllowedTools(["wipe"]);
  await statusAfter(there, "Go on");
  await there.close();

  const [{ outcome }] = await Conversation.importZip(await there.exportZip(), { store });
  assert.equal(outcome, "continued");
  const back = await open(t, { store, conversationId: here.id });
  assert.deepEqual(back.allowedTools, ["note"]);
  assert.equal(await statusAfter(back, wipe), "waiting_for_confirmation");
  await back.rejectPendingActions();
  assert.equal(await statusAfter(back, note), "finished");
});

test("open decisions about an import are not exported, and no archive can mark them as decided", async (t) => {
  const archive = await archiveOf(t, (state) => ({ threadkeep_import: {}, ...state, confirmation_policy: never }));
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(archive.zip, { store });
  const conversation = await open(t, { store, conversationId: id, confirmationPolicy: always });
  assert.equal(await statusAfter(conversation, note), "waiting_for_confirmation");
  const [state] = (await unzip(await (await conversation.exportZip()).arrayBuffer())).filter(({ name }) =>
    name.endsWith("base_state.json"),
  );
  assert.equal(String(state.content).includes("threadkeep_import"), false);

  const plain = await archiveOf(t);
  const other = memoryStore();
  const [{ id: same }] = await Conversation.importZip(plain.zip, { store: other });
  const opened = await open(t, { store: other, conversationId: same });
  const [untouched] = (await unzip(await (await opened.exportZip()).arrayBuffer())).filter(({ name }) => name.endsWith("base_state.json"));
  assert.equal(String(untouched.content), plain.state, "byte for byte");
});

test("imported LookupSecrets are fetched only after allowSecrets()", async (t) => {
  const requests = [];
  const vault = await listen((request, response) => (requests.push(request.url), response.end("the value")));
  t.after(() => vault.close());
  const source = { url: `${vault.origin}/token`, headers: {}, kind: "LookupSecret" };
  const archive = await archiveOf(t, with_({ secret_registry: { secret_sources: { TOKEN: source } } }));
  const answer = [];
  const asking = tool({
    name: "ask",
    description: "Asks for a secret.",
    parameters: { type: "object" },
    async execute(_, { secret }) {
      try {
        answer.push(await secret("TOKEN"));
      } catch ({ code, message }) {
        answer.push([code, message]);
      }
    },
  });
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(archive.zip, { store });
  const before = await open(t, { store, conversationId: id, tools: [asking] });
  assert.deepEqual(before.heldSecrets, [{ name: "TOKEN", url: source.url }]);
  assert.match(
    before.warnings.find(({ code }) => code === "secrets_unavailable").message,
    /not fetched before allowSecrets\(\): TOKEN from http:\/\/127/,
  );
  await before.executeTool("ask");
  assert.equal(answer[0][0], "invalid_state");
  assert.match(answer[0][1], /TOKEN.*allowSecrets/);
  await before.setConfirmationPolicy(always);
  await before.executeTool("ask");
  assert.deepEqual(requests, [], "a word about calls is none about secrets");
  await before.allowSecrets();
  assert.deepEqual(before.heldSecrets, []);
  await before.executeTool("ask");
  assert.deepEqual([answer.at(-1), requests], ["the value", ["/token"]]);
  await before.close();

  const later = await open(t, { store, conversationId: id, tools: [asking] });
  assert.deepEqual([later.heldSecrets, later.warnings], [[], []], "and after a reload");
  await later.executeTool("ask");
  assert.equal(requests.length, 2);
});

test("a secret that the host gives is its own", async (t) => {
  const source = { url: "http://127.0.0.1:1/", headers: {}, kind: "LookupSecret" };
  const archive = await archiveOf(t, with_({ secret_registry: { secret_sources: { TOKEN: source } } }));
  const conversation = await imported(t, archive, { secrets: { TOKEN: "mine" } });
  assert.deepEqual(conversation.heldSecrets, []);
});

test("a pattern that would run too long counts as a match and blocks nothing", async (t) => {
  const harmless = JSON.stringify({ name: "note", arguments: { text: `${"a".repeat(25_000)}!` } });
  // Of the first ones all ways can be followed in time: nothing is found, and that is known.
  const known = ["(a+)+$", "(a|a)*b$", "(a*)*(a*)*(a*)*b", "(?=(a+)+$)x"];
  const unknown = [
    "(?=.*.*.*b)a",
    "(.*)(.*)(.*)(.*)(.*)b\\1",
    "a{1,3000}b{0,3000}".repeat(8),
    `${"(".repeat(20_000)}a${")".repeat(20_000)}`,
  ];
  for (const [list, patterns] of [
    ["high_patterns", [...known, ...unknown]],
    ["injection_high_patterns", [known[0], unknown[0]]],
  ]) {
    for (const pattern of patterns) {
      const security_analyzer = { ...blind, [list]: [[pattern, "Never ends", "slow"]] };
      const archive = await archiveOf(
        t,
        with_({ confirmation_policy: { threshold: "HIGH", confirm_unknown: true, kind: "ConfirmRisky" }, security_analyzer }),
      );
      const conversation = await imported(t, archive);
      const begun = performance.now();
      const status = await statusAfter(conversation, harmless);
      const took = performance.now() - begun;
      assert.ok(took < 60_000, `${pattern.slice(0, 30)} took ${took} ms`);
      assert.equal(status, known.includes(pattern) ? "finished" : "waiting_for_confirmation", pattern.slice(0, 30));
    }
  }
});

test("every request that the model got was valid", () => assert.deepEqual(model.violations, []));
