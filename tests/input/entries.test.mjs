// Every public function of the entries that run outside of a page, with values that nobody should pass: whatever is thrown,
// a host gets a ThreadkeepError with a documented code, and nothing hangs.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as opentelemetry from "@opentelemetry/api";
import * as library from "../../dist/index.js";
import * as aiSdk from "../../dist/ai-sdk.js";
import * as devtools from "../../dist/devtools.js";
import * as thread from "../../dist/thread.js";
import { hostile, revoked, speechless, unreadable } from "../support/bad-inputs/odd.mjs";

const { Agent, Conversation, LLM, ThreadkeepError, memoryStore } = library;
const llm = new LLM({
  model: "openai/gpt-4o",
  baseUrl: "https://model.invalid",
  fetch: async () => new Response("{}", { status: 400 }),
  numRetries: 1,
});
const open = (options = {}) => Conversation.open({ agent: new Agent({ llm, ...options }), store: memoryStore() });
const opened = (use) => async (value) => {
  const conversation = await open();
  try {
    await use(conversation, value);
  } finally {
    await conversation.close();
  }
};
/** A place of a mirror, with these paths. */
const place = (paths = []) => ({ list: async () => paths, read: async () => undefined, write: async () => {}, remove: async () => {} });
const withTool = (toolOf) => async (value) => (await open({ tools: [toolOf(value)] })).close();
const transport = () => new aiSdk.ThreadkeepChatTransport({ agent: new Agent({ llm }), store: memoryStore() });
const threadWith = async (use) => {
  const own = thread.openThread({ agent: new Agent({ llm }), store: memoryStore() });
  await own.opened();
  try {
    await use(own);
  } finally {
    await own.close();
  }
};

const values = () => ({
  undefined: undefined,
  null: null,
  number: 7,
  text: "x",
  symbol: Symbol("odd"),
  object: {},
  array: ["x"],
  function: () => {},
  bare: Object.create(null),
  hostile: hostile(),
  revoked: revoked(),
  "a revoked array": revoked([]),
  speechless: speechless(),
  unreadable: unreadable("kind"),
});

/** Each public function, with the value in the place of an argument. */
const calls = {
  openThread: (value) => thread.openThread(value).close(),
  "openThread, agent": (agent) => thread.openThread({ agent, store: memoryStore() }).opened(),
  "openThread, pageSize": (pageSize) => thread.openThread({ agent: new Agent({ llm }), store: memoryStore(), pageSize }).close(),
  threadOf: (value) => thread.threadOf(value).close(),
  "threadOf, options": opened((conversation, value) => thread.threadOf(conversation, value).close()),
  conversationList: (value) => thread.conversationList(value).subscribe(() => {})(),
  visibleText: (value) => thread.visibleText(value),
  ...Object.fromEntries(
    ["send", "approve", "reject", "editAction", "alwaysAllow", "editMessage", "navigateTo", "showVersion", "loadEarlier"].map((verb) => [
      `Thread.${verb}`,
      (value) => threadWith((own) => own[verb](value)),
    ]),
  ),
  "new ThreadkeepChatTransport": (value) => new aiSdk.ThreadkeepChatTransport(value),
  "transport.sendMessages": (value) => transport().sendMessages(value),
  "transport.sendMessages, messages": (messages) => transport().sendMessages({ chatId: "chat", messages, trigger: "submit-message" }),
  "transport.sendMessages, chatId": (chatId) => transport().sendMessages({ chatId, messages: [], trigger: "submit-message" }),
  "transport.reconnectToStream": (value) => transport().reconnectToStream(value),
  "transport.messages": (value) => transport().messages(value),
  "transport.conversation": async (value) => (await transport().conversation(value)).close(),
  "transport.close": (value) => transport().close(value),
  conversationIdOf: (value) => aiSdk.conversationIdOf(value),
  uiMessagesOf: (value) => aiSdk.uiMessagesOf(value),
  importUIMessages: (value) => aiSdk.importUIMessages(value, { store: memoryStore() }),
  inspect: (value) => devtools.inspect(value).close(),
  "inspect().watch": (value) => devtools.inspect().watch(value),
  "inspect().subscribe": (value) => devtools.inspect().subscribe(value),
  traceConversation: (value) => devtools.traceConversation(value, opentelemetry),
  "traceConversation, api": opened((conversation, value) => devtools.traceConversation(conversation, value)),
  "traceConversation, options": opened((conversation, value) => devtools.traceConversation(conversation, opentelemetry, value)),
  observeRequests: (value) => library.observeRequests(value)(),
  taskTool: withTool((value) => library.taskTool(value)),
  ...Object.fromEntries(
    ["agents", "llms", "maxDepth"].map((name) => [`taskTool, ${name}`, withTool((value) => library.taskTool({ [name]: value }))]),
  ),
  terminal: withTool((value) => library.terminal(value)),
  modelNames: (value) => library.modelNames(value),
  "terminal, allowedHosts": withTool((value) => library.terminal({ allowedHosts: value })),
  "terminal, allowedSecrets": withTool((value) => library.terminal({ allowedSecrets: value })),
  fetchTool: withTool((value) => library.fetchTool(value)),
  "fetchTool, allow": withTool((value) => library.fetchTool({ allow: value })),
  "fetchTool, fetch": withTool((value) => library.fetchTool({ allow: ["https://a.example"], fetch: value })),
  inspectImage: withTool((value) => library.inspectImage(value)),
  switchLLM: withTool((value) => library.switchLLM(value)),
  "switchLLM, profiles": withTool((value) => library.switchLLM({ profiles: value })),
  agentServer: async (value) => {
    const home = library.agentServer(value);
    await (await Conversation.open({ agent: new Agent({ llm }), store: memoryStore(), home })).close();
  },
  moveToServer: async (value) => library.moveToServer(value, value),
  "moveToServer, options": async (value) => library.moveToServer(crypto.randomUUID(), value),
  directoryStore: async (value) => (await Conversation.open({ agent: new Agent({ llm }), store: library.directoryStore(value) })).close(),
  "directoryStore, options": (value) => library.directoryStore({ kind: "directory", name: "x" }, value).close(),
  "directoryStore, name": (value) => library.directoryStore({ kind: "directory", name: "x" }, { name: value }).close(),
  "directoryStore, handle": (value) => library.directoryStore({ kind: "directory", name: value }).load(crypto.randomUUID()),
  encryptedStore: async (value) => library.encryptedStore(value).list(),
  "encryptedStore, options": (value) => library.encryptedStore(memoryStore(), value).list(),
  "encryptedStore, passphrase": (value) => library.encryptedStore(memoryStore(), { passphrase: value }).list(),
  "encryptedStore, passkey": (value) => library.encryptedStore(memoryStore(), { passkey: value }).list(),
  "encryptedStore, lockAfter": (value) => library.encryptedStore(memoryStore(), { passphrase: "x", lockAfter: value }).list(),
  "encryptedStore, name": (value) => library.encryptedStore(memoryStore(), { name: value }).list(),
  "encryptedStore, unlock": (value) => library.encryptedStore(memoryStore()).unlock(value),
  "encryptedStore, setSecret": (value) => library.encryptedStore(memoryStore()).setSecret(value, value),
  "encryptedStore, setSecret, current": (value) => library.encryptedStore(memoryStore()).setSecret({ passphrase: "x" }, { current: value }),
  "encryptedStore, removeSecret": (value) => library.encryptedStore(memoryStore()).removeSecret(value, { current: { passphrase: "x" } }),
  "encryptedStore, onLockChange": (value) => library.encryptedStore(memoryStore()).onLockChange(value),
  mirror: async (value) => (await library.mirror(value, place())).close(),
  "mirror, place": async (value) => (await library.mirror(memoryStore(), value)).close(),
  "mirror, name": async (value) => (await library.mirror(memoryStore(), { ...place(), name: value })).close(),
  // What a listener throws is an uncaught error by design.
  "mirror, onChange": async (value) =>
    (await library.mirror(memoryStore(), place(), { onChange: typeof value === "function" ? undefined : value })).close(),
  "mirror, options": async (value) => (await library.mirror(memoryStore(), place(), value)).close(),
  ...Object.fromEntries(
    ["signal", "deletions"].map((name) => [
      `mirror, ${name}`,
      async (value) => (await library.mirror(memoryStore(), place(), { [name]: value })).close(),
    ]),
  ),
  ...Object.fromEntries(
    ["list", "read"].map((name) => [
      `mirror, result of ${name}`,
      (value) =>
        library.restoreMirror({ ...place(["a".repeat(32) + "/base_state.json"]), [name]: async () => value }, { store: memoryStore() }),
    ]),
  ),
  "verify, options": async (value) => {
    const opened = await library.mirror(memoryStore(), place());
    await opened.verify(value).finally(() => opened.close());
  },
  restoreMirror: (value) => library.restoreMirror(value, { store: memoryStore() }),
  "restoreMirror, options": (value) => library.restoreMirror(place(), value),
  ...Object.fromEntries(
    ["store", "onProgress", "signal"].map((name) => [
      `restoreMirror, ${name}`,
      (value) => library.restoreMirror(place(), { store: memoryStore(), [name]: value }),
    ]),
  ),
  importDirectory: (value) => library.importDirectory(value, { store: memoryStore() }),
  "importDirectory, files": (value) => library.importDirectory([value], { store: memoryStore() }),
  "importDirectory, options": (value) => library.importDirectory([new File([], "base_state.json")], value),
  "importDirectory, signal": (value) => library.importDirectory([new File([], "base_state.json")], { store: memoryStore(), signal: value }),
  importFile: (value) => library.importFile(value, { store: memoryStore() }),
  "importFile, options": (value) => library.importFile(new File(["{}"], "a.json"), value),
  "importFile, signal": (value) => library.importFile(new File(["{}"], "a.json"), { store: memoryStore(), signal: value }),
  bringHome: async (value) => library.bringHome(value, value),
  "bringHome, options": async (value) => library.bringHome(crypto.randomUUID(), value),
  remoteWorkspace: async (value) => library.remoteWorkspace(value).read("x"),
  "remoteWorkspace, server": async (value) => library.remoteWorkspace(library.agentServer(value)).read("x"),
  storageStatus: (value) => library.storageStatus(value),
  ...Object.fromEntries(
    ["store", "conversations", "signal"].map((name) => [
      `storageStatus, ${name}`,
      (value) => library.storageStatus({ store: memoryStore(), [name]: value }),
    ]),
  ),
  search: (value) => library.search(value, { store: memoryStore() }),
  ...Object.fromEntries(
    ["store", "conversationId", "limit", "perConversation", "subagents", "trashed", "signal"].map((name) => [
      `search, ${name}`,
      (value) => library.search("x", { store: memoryStore(), [name]: value }),
    ]),
  ),
  "search, options": (value) => library.search("x", value),
  updateSearchIndex: (value) => library.updateSearchIndex(value),
  "updateSearchIndex, onProgress": (value) => library.updateSearchIndex({ store: memoryStore(), onProgress: value }),
  searchConversations: withTool((value) => library.searchConversations(value)),
  updateConversations: (value) => library.updateConversations(value, { pinned: true }, { store: memoryStore() }),
  "updateConversations, an id": (value) => library.updateConversations([value], { pinned: true }, { store: memoryStore() }),
  "updateConversations, changes": opened(({ id }, value) => library.updateConversations(id, value, { store: memoryStore() })),
  ...Object.fromEntries(
    ["pinned", "archived", "trashed", "tags"].map((name) => [
      `updateConversations, ${name}`,
      opened(({ id }, value) => library.updateConversations(id, { [name]: value }, { store: memoryStore() })),
    ]),
  ),
  "updateConversations, a tag": (value) =>
    library.updateConversations(crypto.randomUUID(), { tags: { a: value } }, { store: memoryStore() }),
  "updateConversations, options": async (value) => {
    // Without options it is the database of the browser.
    if (value !== undefined) await library.updateConversations([], { pinned: true }, value);
  },
  "updateConversations, store": (value) => library.updateConversations(crypto.randomUUID(), { pinned: true }, { store: value }),
  emptyTrash: (value) => library.emptyTrash(value),
  ...Object.fromEntries(
    ["store", "olderThan", "signal"].map((name) => [
      `emptyTrash, ${name}`,
      (value) => library.emptyTrash({ store: memoryStore(), [name]: value }),
    ]),
  ),
  requestPersistence: (value) => library.requestPersistence(value),
  serveConversations: (value) => library.serveConversations(value),
  loadSkills: (value) => (typeof value === "string" ? undefined : library.loadSkills(value)),
  "loadSkills, options": (value) => library.loadSkills({ "a/SKILL.md": "---\nname: a\ndescription: b\n---\nc" }, value),
  "loadSkills, fetch": (value) =>
    library.loadSkills("https://skills.example/SKILL.md", { fetch: value === undefined ? async () => undefined : value }),
  "loadSkills, response": (value) => library.loadSkills("https://skills.example/SKILL.md", { fetch: async () => value }),
  loadPlugin: (value) => (typeof value === "string" ? undefined : library.loadPlugin(value)),
  "loadPlugin, options": (value) => library.loadPlugin({ "skills/a.md": "a" }, value),
  "loadPlugin, fetch": (value) =>
    library.loadPlugin("https://plugins.example/p", { fetch: value === undefined ? async () => undefined : value }),
  "loadPlugin, response": (value) => library.loadPlugin("https://plugins.example/p", { fetch: async () => value }),
  condenser: async (value) => (await open({ condenser: value })).close(),
  countTokens: async (value) => (await open({ countTokens: value })).close(),
  ...Object.fromEntries(
    ["memoryWorkspace", "opfsWorkspace", "folderWorkspace"].map((name) => [
      name,
      async (value) => library[name](value).read("/workspace/x"),
    ]),
  ),
  ...Object.fromEntries(
    ["eventsToMessages", "finalResponse"].flatMap((verb) => [
      [verb, (value) => library[verb](value)],
      [`${verb}, an event`, (value) => library[verb]([value])],
    ]),
  ),
  ...Object.fromEntries(
    ["read", "write", "stat", "list", "makeDirectory", "remove", "move", "watch"].map((verb) => [
      `workspace.${verb}`,
      opened(async ({ workspace }, value) => workspace[verb](value, value)),
    ]),
  ),
  ...Object.fromEntries(
    ["read", "write", "stat", "list", "makeDirectory", "remove", "move"].map((verb) => [
      `memoryWorkspace().${verb}`,
      (value) => library.memoryWorkspace()[verb](value, value),
    ]),
  ),
  "workspace.write, content": opened(({ workspace }, value) => workspace.write("x", value)),
  "memoryWorkspace().write, content": (value) => library.memoryWorkspace().write("/workspace/x", value),
};

for (const [what, call] of Object.entries(calls)) {
  test(`${what}: whatever is passed, only a ThreadkeepError comes out`, async () => {
    const foreign = [];
    for (const [name, value] of Object.entries(values())) {
      try {
        await call(value);
      } catch (error) {
        if (!(error instanceof ThreadkeepError))
          foreign.push(
            `${name}: ${String(error?.stack ?? error)
              .split("\n")
              .slice(0, 4)
              .join(" ")}`,
          );
        else if (error.code === "internal") foreign.push(`${name}: internal: ${error.message}`);
      }
    }
    assert.deepEqual(foreign, []);
  });
}

test("every function of these entries is in the table", () => {
  const covered = Object.keys(calls).join();
  const elsewhere = [
    "Agent",
    "Conversation",
    "LLM",
    "LLMProfileStore",
    "LLMRegistry",
    "ThreadkeepError",
    "applyPatch",
    "fileEditor",
    "finishMCPLogin",
    "glob",
    "grep",
    "indexedDBStore",
    "listDirectory",
    "load",
    "memoryStore",
    "taskTracker",
    "tool",
    "ThreadkeepInspector",
  ];
  const isFunction = ([, value]) => typeof value === "function";
  const names = [library, thread, aiSdk, devtools].flatMap((entry) =>
    Object.entries(entry)
      .filter(isFunction)
      .map(([name]) => name),
  );
  assert.deepEqual(
    names.filter((name) => !covered.includes(name) && !elsewhere.includes(name)),
    [],
  );
});

test("loadSkills waits half a minute for a complete answer, also if its fetch ignores the signal", async (context) => {
  let late;
  const asked = context.mock.method(AbortSignal, "timeout", () => (late = new AbortController()).signal);
  for (const fetch of [() => new Promise(() => {}), async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))]) {
    const loading = library.loadSkills("https://skills.example/SKILL.md", { fetch });
    loading.catch(() => {});
    while (asked.mock.callCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(asked.mock.calls[0].arguments[0], 30_000);
    asked.mock.resetCalls();
    late.abort(new DOMException("late", "TimeoutError"));
    await assert.rejects(loading, { code: "network", message: /did not answer completely within 30 seconds/ });
  }
});
