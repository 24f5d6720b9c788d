// Options that are not there are refused with the name that was meant; and what means nothing is taken for nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  Conversation,
  LLM,
  LLMProfileStore,
  LLMRegistry,
  ThreadkeepError,
  directoryStore,
  encryptedStore,
  emptyTrash,
  importDirectory,
  indexedDBStore,
  memoryStore,
  mirror,
  restoreMirror,
  search,
  searchConversations,
  serveConversations,
  tool,
  updateSearchIndex,
  updateConversations,
} from "../../dist/index.js";
import { checkStore } from "../../dist/testing.js";
import { createModel } from "../support/model.mjs";

const answering = createModel(() => ({ text: "Hi" })).fetch;
const modelOptions = {
  model: "openai/m",
  baseUrl: "https://model.test/v1",
  apiKey: "k",
  apiMode: "auto",
  usageId: "default",
  stream: false,
  temperature: 1,
  topP: 1,
  maxOutputTokens: 9,
  reasoningEffort: "low",
  reasoningSummary: "auto",
  enableEncryptedReasoning: true,
  background: false,
  promptCacheRetention: "24h",
  numRetries: 1,
  timeout: 9,
  headers: {},
  nativeToolCalling: true,
  capabilityOverrides: { supports_vision: true },
  inputCostPerToken: 0,
  outputCostPerToken: 0,
  fallbacks: [],
  fallbackOn: [],
  fetch: answering,
};
const toolOptions = {
  name: "add",
  description: "Adds.",
  parameters: { type: "object" },
  jsonSchema: { type: "object" },
  annotations: { readOnlyHint: true },
  needsApproval: false,
  replay: "safe",
  runsIn: "page",
  execute: () => "x",
  close() {},
};
const llm = new LLM({ model: "openai/m", fetch: answering, stream: false, numRetries: 1 });
const agent = new Agent({ llm });
const open = (options = {}) => Conversation.open({ agent, store: memoryStore(), ...options });
const opened =
  (method, ...before) =>
  async (options) =>
    (await open())[method](...before, options);
const storage = { read: async () => '{"model":"m"}', write: async () => {}, names: async () => [] };

/** Every object of options: all of its names, with a value that is taken, and what takes it. */
const objects = {
  "new LLM()": [modelOptions, (options) => new LLM({ model: "m", ...options })],
  capabilityOverrides: [
    { supports_vision: true, supports_responses_api: false },
    (capabilityOverrides) => new LLM({ model: "m", capabilityOverrides }),
  ],
  "tool()": [toolOptions, (options) => tool({ ...toolOptions, ...options })],
  "annotations of tool add": [
    { title: "Add", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    (annotations) => tool({ ...toolOptions, annotations }),
  ],
  "new Agent()": [
    { llm, llmRegistry: new LLMRegistry(), tools: [], systemPrompt: "Be brief.", toolConcurrencyLimit: 2, critic: { kind: "PassCritic" } },
    (options) => new Agent({ llm, ...options }),
  ],
  critic: [
    { kind: "PassCritic", mode: "all_actions", iterativeRefinement: {} },
    (critic) => open({ agent: new Agent({ llm, critic: { kind: "PassCritic", ...critic } }) }),
  ],
  iterativeRefinement: [
    { successThreshold: 0.5, maxIterations: 2 },
    (iterativeRefinement) => open({ agent: new Agent({ llm, critic: { kind: "PassCritic", iterativeRefinement } }) }),
  ],
  "Conversation.open()": [
    {
      agent,
      conversationId: crypto.randomUUID(),
      store: memoryStore(),
      callbacks: [],
      tokenCallbacks: [],
      confirmationPolicy: { kind: "AlwaysConfirm" },
      securityAnalyzer: { kind: "LLMSecurityAnalyzer" },
      deleteOnClose: false,
      hooks: {},
      plugins: [],
      allowPlugins: () => true,
      onMissing: "skip",
      tags: { title: "x" },
      secrets: {},
      cipher: "a passphrase",
      maxIterationPerRun: 3,
      maxBudgetPerRun: 3,
      stuckDetection: true,
      offline: "fail",
      resume: "keep",
    },
    open,
  ],
  stuckDetection: [
    { actionObservation: 4, actionError: 3, monologue: 3, alternatingPattern: 6 },
    (stuckDetection) => open({ stuckDetection }),
  ],
  confirmationPolicy: [
    { kind: "ConfirmRisky", threshold: "LOW", confirmUnknown: false },
    (policy) => open({ confirmationPolicy: { kind: "ConfirmRisky", ...policy } }),
  ],
  hooks: [
    { preToolUse() {}, postToolUse() {}, userPromptSubmit() {}, sessionStart() {}, sessionEnd() {}, stop() {} },
    (hooks) => open({ hooks }),
  ],
  securityAnalyzer: [
    { kind: "LLMSecurityAnalyzer" },
    (analyzer) => open({ securityAnalyzer: { kind: "LLMSecurityAnalyzer", ...analyzer } }),
  ],
  "securityAnalyzer, of patterns": [
    { kind: "PatternSecurityAnalyzer", highPatterns: [], mediumPatterns: [], injectionHighPatterns: [], injectionMediumPatterns: [] },
    (analyzer) => open({ securityAnalyzer: { kind: "PatternSecurityAnalyzer", ...analyzer } }),
  ],
  "securityAnalyzer, of several": [
    { kind: "EnsembleSecurityAnalyzer", analyzers: [{ kind: "PolicyRailSecurityAnalyzer" }], propagateUnknown: true },
    (analyzer) =>
      open({ securityAnalyzer: { kind: "EnsembleSecurityAnalyzer", analyzers: [{ kind: "PolicyRailSecurityAnalyzer" }], ...analyzer } }),
  ],
  "secret TOKEN": [
    { url: "https://secrets.test/", headers: {} },
    (lookup) => open({ secrets: { TOKEN: { url: "https://secrets.test/", ...lookup } } }),
  ],
  "sendMessage()": [{ sender: "me", pending: "keep" }, opened("sendMessage", "Hello")],
  "run()": [
    { signal: new AbortController().signal, approve: [] },
    async (options) => {
      const conversation = await open();
      await conversation.sendMessage("Hello");
      await conversation.run(options);
    },
  ],
  "rejectPendingActions()": [{ actionIds: [] }, opened("rejectPendingActions", "No")],
  "executeTool()": [{ signal: new AbortController().signal }, opened("executeTool", "think", { thought: "x" })],
  "askAgent()": [{ llm, signal: new AbortController().signal }, opened("askAgent", "Well?")],
  "generateTitle()": [
    { llm, maxLength: 20, signal: new AbortController().signal },
    async (options) => {
      const conversation = await open();
      await conversation.sendMessage("Hello");
      await conversation.generateTitle(options);
    },
  ],
  "exportZip()": [{ workspace: true, onProgress() {}, signal: new AbortController().signal }, opened("exportZip")],
  "exportZipStream()": [{ workspace: true, onProgress() {}, signal: new AbortController().signal }, opened("exportZipStream")],
  "search()": [
    {
      store: memoryStore(),
      conversationId: crypto.randomUUID(),
      limit: 5,
      perConversation: 2,
      subagents: true,
      trashed: true,
      signal: new AbortController().signal,
    },
    (options) => search("x", { store: memoryStore(), ...options }),
  ],
  "updateSearchIndex()": [{ store: memoryStore(), onProgress() {} }, (options) => updateSearchIndex({ store: memoryStore(), ...options })],
  "searchConversations()": [{ store: memoryStore() }, (options) => searchConversations(options)],
  "directoryStore()": [{ name: "x" }, async (options) => directoryStore({ kind: "directory", name: "x" }, options).close()],
  "encryptedStore()": [
    { passphrase: "x", passkey: undefined, lockAfter: 1000, name: "x" },
    async (options) => encryptedStore(memoryStore(), options).close(),
  ],
  "mirror()": [
    { onChange() {}, signal: new AbortController().signal, deletions: "follow" },
    async (options) => (await mirror(memoryStore(), memoryStore(), options)).close(),
  ],
  "verify()": [
    { onProgress() {}, signal: new AbortController().signal },
    async (options) => {
      const opened = await mirror(memoryStore(), memoryStore());
      await opened.verify(options).finally(() => opened.close());
    },
  ],
  "restoreMirror()": [
    { store: memoryStore(), onProgress() {}, signal: new AbortController().signal },
    (options) => restoreMirror(memoryStore(), { store: memoryStore(), ...options }),
  ],
  "importDirectory()": [
    { store: memoryStore(), onProgress() {}, signal: new AbortController().signal },
    async (options) =>
      importDirectory([new File([JSON.stringify({ id: crypto.randomUUID() })], "base_state.json")], { store: memoryStore(), ...options }),
  ],
  "importZip()": [
    { store: memoryStore(), onProgress() {}, signal: new AbortController().signal },
    async (options) => Conversation.importZip(await (await open()).exportZip(), { store: memoryStore(), ...options }),
  ],
  "importJSON()": [
    { store: memoryStore() },
    (options) => Conversation.importJSON([{ role: "user", content: "x" }], { store: memoryStore(), ...options }),
  ],
  "indexedDBStore()": [{ durability: "strict" }, (options) => indexedDBStore("options", options)],
  "LLMProfileStore.load()": [
    { apiKey: "k", headers: {}, fetch: answering, fallbacks: [], fallbackOn: [], background: false },
    (options) => new LLMProfileStore(storage).load("fast", options),
  ],
  "updateConversations(), what it changes": [
    { pinned: true, archived: false, trashed: true, tags: { folder: "x" } },
    async (changes) => {
      const store = memoryStore();
      const conversation = await open({ store, tags: { a: "b" } });
      await conversation.sendMessage("Hello");
      await conversation.close();
      await updateConversations(conversation.id, changes, { store });
    },
  ],
  "updateConversations()": [
    { store: memoryStore() },
    (options) => updateConversations([], { pinned: true }, { store: memoryStore(), ...options }),
  ],
  "emptyTrash()": [
    { store: memoryStore(), olderThan: 1, signal: new AbortController().signal },
    (options) => emptyTrash({ store: memoryStore(), ...options }),
  ],
  "list()": [
    { store: memoryStore(), subagents: true, trashed: true },
    (options) => Conversation.list({ store: memoryStore(), ...options }),
  ],
  "checkStore()": [{ only: [], onReport() {} }, (options) => checkStore(() => memoryStore(), { only: [], ...options })],
};
/** Options that may not be undefined: they are required, or have no default in Node. */
const own = ["store", "model", "name", "description", "parameters", "execute", "llm", "agent", "kind", "analyzers", "url"];

/** How names are mistyped. */
const slips = {
  "another case": (name) => name.toLowerCase(),
  "the spelling of Python": (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  "a letter too few": (name) => name.slice(0, 2) + name.slice(3),
  "a letter twice": (name) => name.slice(0, 3) + name.slice(2),
  "two letters in the wrong order": (name) => name[0] + name[2] + name[1] + name.slice(3),
};

for (const [what, [all, take]] of Object.entries(objects)) {
  test(`${what}: an unknown option is refused with the name that was probably meant`, async () => {
    for (const [name, value] of Object.entries(all)) {
      for (const [slip, mistype] of Object.entries(slips)) {
        const mistyped = mistype(name);
        if (mistyped in all || mistyped.length < 3) continue;
        await assert.rejects(
          async () => take({ [mistyped]: value }),
          (error) => {
            assert.ok(error instanceof ThreadkeepError, `${mistyped}: ${error.stack}`);
            // Entries beside the core name all options, because what compares names is not a part of its API.
            const advice = what === "checkStore()" ? `there are ${Object.keys(all).join(", ")}` : `did you mean ${name}?`;
            assert.deepEqual(
              [error.code, error.message],
              ["invalid_options", `${what.split(",")[0]} has no option "${mistyped}"; ${advice}`],
              slip,
            );
            return true;
          },
        );
      }
    }
  });

  test(`${what}: every name is taken, with a value and with undefined`, async () => {
    for (const [name, value] of Object.entries(all)) {
      await take({ [name]: value });
      if (!own.includes(name)) await take({ [name]: undefined });
    }
  });
}

test("options that are no object are refused, and missing options are allowed", async () => {
  const conversation = await open();
  for (const odd of [null, 7, "text", true, Symbol("odd")]) {
    for (const attempt of [
      () => new LLM(odd),
      () => new Agent(odd),
      () => tool(odd),
      () => Conversation.open(odd),
      () => conversation.sendMessage("x", odd),
      () => conversation.exportZip(odd),
    ]) {
      await assert.rejects(async () => attempt(), { code: "invalid_options" });
    }
  }
  await conversation.exportZip(undefined);
});

test("a very long unknown option is not repeated in the error", () => {
  assert.throws(
    () => new LLM({ model: "m", ["x".repeat(1e6)]: 1 }),
    ({ message }) => message.length < 200,
  );
});

test("baseURL is baseUrl: key and conversation go where they were meant to", async () => {
  const asked = [];
  const fetch = (url, request) => {
    asked.push([String(url), new Headers(request.headers).get("authorization")]);
    return answering(url, request);
  };
  const relay = new LLM({ model: "openai/m", baseURL: "https://relay.test/v1", apiKey: "k", fetch, stream: false, numRetries: 1 });
  assert.equal(relay.options.baseUrl, "https://relay.test/v1");
  assert.ok(!("baseURL" in relay.options));
  const conversation = await open({ agent: new Agent({ llm: relay }) });
  await conversation.sendMessage("Hello");
  await conversation.run();
  assert.deepEqual(asked, [["https://relay.test/v1/chat/completions", "Bearer k"]]);
  assert.equal(new LLM({ model: "m", baseURL: "/v1", baseUrl: "/v1" }).options.baseUrl, "/v1");
  assert.equal(new LLM({ model: "m", baseURL: undefined, baseUrl: "/v1" }).options.baseUrl, "/v1");
  assert.throws(() => new LLM({ model: "m", baseURL: "/v1", baseUrl: "/v2" }), { code: "invalid_options", message: /differ/ });
  assert.throws(() => new LLM({ model: "m", baseURL: 7 }), { code: "invalid_options", message: "baseUrl must be a string" });
});

test("a base URL that no request can be sent to is refused when the LLM is made, and not repeated", () => {
  const message =
    "baseUrl must be an http(s) URL without user and password, such as http://localhost:11434/v1, or a path of the page, such as /v1";
  for (const baseUrl of [
    "htp:/foo",
    "localhost:1234",
    "localhost",
    "v1",
    "http://",
    "http:///v1",
    "https:/v1",
    "http://?x",
    "http://[",
    "https://http://127.0.0.1:1234/v1",
    "http://x:99999/v1",
    "http://a b/v1",
    "ftp://x/v1",
    "file:///v1",
    "https://user:sk-planted@x/v1",
  ]) {
    assert.throws(() => new LLM({ model: "openai/m", baseUrl }), { code: "invalid_options", message }, baseUrl);
    assert.throws(() => new LLM({ model: "openai/m", baseURL: baseUrl }), { code: "invalid_options", message }, baseUrl);
  }
  for (const baseUrl of [
    "",
    " ",
    "/v1",
    "./v1",
    "../v1",
    "//x/v1",
    "http://localhost:1234",
    " HTTPS://x.test/v1?tenant=1 ",
    "http://[::1]:8080/v1",
    "http://bücher.test/a@b",
  ]) {
    assert.equal(new LLM({ model: "openai/m", baseUrl }).options.baseUrl, baseUrl);
  }
});

test("a misspelt policy leaves nothing allowed, and none at all is no policy", async () => {
  await assert.rejects(open({ confirmationpolicy: { kind: "AlwaysConfirm" } }), {
    code: "invalid_options",
    message: /did you mean confirmationPolicy\?/,
  });
  await assert.rejects(open({ confirmationPolicy: null }), { code: "invalid_options" });
});

test("a conversationId of null or undefined creates a conversation", async () => {
  const ids = [null, undefined].map(async (conversationId) => (await open({ conversationId })).id);
  const { id } = await open();
  assert.equal(new Set([...(await Promise.all(ids)), id]).size, 3);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  await assert.rejects(open({ conversationId: "" }), { code: "invalid_options" });
});

test("a home that is no worker is refused, and so is serving outside of workers, and a tool for another place than a page", async () => {
  for (const home of [{}, { worker: {} }, "worker", 7, null, { worker: new MessageChannel().port1, date: 1 }])
    await assert.rejects(open({ home }), { code: "invalid_options" });
  await assert.rejects(open({ home: new MessageChannel().port1 }), { code: "invalid_options", message: /needs a store with a name/ });
  assert.throws(() => serveConversations({ agent }), { code: "invalid_state" });
  assert.throws(() => tool({ ...toolOptions, runsIn: "worker" }), {
    code: "invalid_options",
    message: /runsIn of tool add must be "page"/,
  });
});

test("a hook whose answer has another name than `decision` allows nothing", async () => {
  const calls = [];
  const pay = tool({ name: "pay", description: "Pays.", parameters: { type: "object" }, execute: () => (calls.push("paid"), "paid") });
  const { fetch } = createModel([{ calls: [{ name: "pay" }] }, { text: "Done." }]);
  const paying = new Agent({ llm: new LLM({ model: "openai/m", fetch, stream: false, numRetries: 1 }), tools: [pay] });
  const conversation = await open({ agent: paying, hooks: { preToolUse: () => ({ descision: "deny" }) } });
  await conversation.sendMessage("Pay.");
  await conversation.run();
  assert.deepEqual(calls, []);
  assert.match(JSON.stringify(await conversation.events.slice()), /did you mean decision\?/);
});
