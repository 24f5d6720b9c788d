// Conversations on the real agent server, in Node, where the page asks for what is new: the example and the table of docs/server.md, the
// bytes of the copy, and what may not be done with it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Agent, Conversation, LLM, agentServer, fetchTool, fileEditor, memoryStore } from "../../dist/index.js";
import { openThread } from "../../dist/thread.js";
import { root } from "../../scripts/process.mjs";
import { deferred } from "../support/deferred.mjs";
import { exampleNamed, runExample } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";
import { until } from "../support/until.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { serverVersions } from "./setup.mjs";

const page = readFileSync(path.join(root, "docs/server.md"), "utf8");

/** The second column of the table of the page, for each name in the first one. */
const said = new Map(
  [...page.matchAll(/^\| (`.+?) \| (.+?) \|$/gm)].flatMap(([, names, what]) =>
    [...names.matchAll(/`(.+?)`/g)].map(([, name]) => [name, what]),
  ),
);

/** A call of each method of the table; `waits` if a call has to wait for the user. */
const calls = {
  sendMessage: (on) => on.sendMessage([{ type: "text", text: "More" }]),
  editMessage: (on, { question }) => on.editMessage(question, "Again"),
  navigateTo: (on, { question }) => on.navigateTo(question),
  pause: (on) => on.pause(),
  interrupt: (on) => on.interrupt(),
  run: (on) => on.run(),
  regenerate: (on) => on.regenerate(),
  rejectPendingActions: (on) => on.rejectPendingActions("No"),
  askAgent: (on) => on.askAgent("Why?"),
  setTags: (on) => on.setTags({ title: "Tagged" }),
  setConfirmationPolicy: (on) => on.setConfirmationPolicy({ kind: "AlwaysConfirm" }),
  setSecurityAnalyzer: (on) => on.setSecurityAnalyzer({ kind: "LLMSecurityAnalyzer" }),
  updateSecrets: (on) => on.updateSecrets({ TOKEN: "a secret" }),
  "queue.list": (on) => on.queue.list(),
  generateTitle: (on) => on.generateTitle(),
  editAction: (on) => on.editAction("e", {}),
  executeTool: (on) => on.executeTool("note", {}),
  switchLLM: (on) => on.switchLLM(new LLM({ model: "openai/other", usageId: "other" })),
  setLimits: (on) => on.setLimits({ maxIterationPerRun: 5 }),
  setAllowedTools: (on) => on.setAllowedTools(["note"]),
  setAgentState: (on) => on.setAgentState({ mood: "calm" }),
  "queue.edit": (on) => isUnknown(on.queue.edit(crypto.randomUUID(), "Other")),
  "queue.remove": (on) => isUnknown(on.queue.remove(crypto.randomUUID())),
  allowSecrets: (on) => on.allowSecrets(),
  takeOver: (on) => on.takeOver(),
  "workspace.write": (on) => on.workspace.write("a.txt", "a"),
  "workspace.makeDirectory": (on) => on.workspace.makeDirectory("a"),
};
/** No message waits: see offline.test.mjs for those that do. */
const isUnknown = (call) => assert.rejects(call, { code: "not_found" });

/** Methods that need a state of their own. */
const elsewhere = ["retryNow", "condense"];

test("the table of docs/server.md has every method that goes to the server", () => {
  const isCode = (name) => /^(server_auth|network|not_found|invalid_state|too_large)$/.test(name);
  const names = [...said.keys()].filter((name) => !isCode(name) && !elsewhere.includes(name));
  assert.deepEqual(names.toSorted(), Object.keys(calls).toSorted());
});

for (const version of serverVersions) {
  describe(`a conversation on the agent server ${version}`, () => {
    let upstream;
    let model;
    let server;
    let home;
    const release = deferred();
    let isKeyWrong = false;
    before(async () => {
      model = createModel(answerTo);
      upstream = await model.listen();
      server = await startAgentServer({ version, model: upstream.baseUrl });
      home = server && agentServer({ host: server.host, apiKey: server.apiKey, workingDir: server.workspace });
    });
    after(async () => {
      await server?.stop();
      await upstream.close();
    });
    const agentOf = (tools = []) =>
      new Agent({ llm: new LLM({ model: "openai/scripted", apiKey: "sk-of-the-model", baseUrl: upstream.baseUrl }), tools });
    const open = (options = {}) => Conversation.open({ agent: agentOf(), store: memoryStore(), home, ...options });
    const confirming = () => ({ agent: agentOf([fileEditor()]), confirmationPolicy: { kind: "AlwaysConfirm" } });
    const bytesOf = async (store, id) => (await store.events(id, 0, Number.MAX_SAFE_INTEGER)).map(({ json }) => json);
    const onServer = (id) => server.stored(id).map(({ text }) => text);

    test("the example of the page", async (t) => {
      if (server === null) return t.skip("it is not here");
      const lines = [];
      const names = {
        agent: agentOf(),
        store: memoryStore(),
        apiKey: server.apiKey,
        Conversation,
        agentServer: ({ host, ...more }) => {
          assert.equal(host, "http://127.0.0.1:8000");
          return agentServer({ ...more, host: server.host, workingDir: server.workspace });
        },
        console: { log: (...words) => lines.push(words.join(" ")) },
      };
      const { conversation } = await runExample(exampleNamed(page, "a conversation on a server"), names, "{ conversation }");
      assert.deepEqual(lines, ["server It is four."]);
      assert.equal(conversation.access, "follower");
      await conversation.close();
    });

    test("a thread says that a run has ended with the death of the server", async (t) => {
      if (server === null) return t.skip("it is not here");
      const thread = openThread({ agent: agentOf(), store: memoryStore(), home });
      await thread.opened();
      const asked = model.requests.length;
      await thread.send("hold on");
      await model.arrived(asked + 1);
      const shown = (value) =>
        new Promise((resolve) => {
          const look = () => value(thread.getSnapshot()) && resolve(value(thread.getSnapshot()));
          thread.subscribe(look);
          look();
        });
      await server.kill();
      await server.start();
      const error = await shown((snapshot) => snapshot.error);
      assert.equal(error.code, "unknown");
      assert.match(error.message, /server that ran it was killed/);
      assert.equal(thread.getSnapshot().status, "error");
      await thread.close();
    });

    test("events are heard once, in their order, and the copy has the bytes of the server's files", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const conversation = await open({ store });
      const heard = [];
      conversation.subscribe((event) => "id" in event && heard.push(event.id));
      const sent = await conversation.sendMessage("How much is two and two?");
      assert.equal(sent.llm_message.content[0].text, "How much is two and two?");
      const result = await conversation.run();
      assert.deepEqual([result.status, result.finalResponse, result.steps], ["finished", "It is four.", 2]);
      assert.ok(result.tokenUsage.prompt_tokens > 0);
      const again = await conversation.regenerate();
      assert.equal(again.status, "finished");
      assert.equal((await conversation.branches()).length, 1);
      await conversation.setTags({ title: "Sums" });
      assert.equal(conversation.title, "Sums");
      // The server notes statistics a moment after the end of a run.
      let log;
      const isCopied = async () => {
        log = onServer(conversation.id);
        return heard.length === log.length && isDeepStrictEqual(await bytesOf(store, conversation.id), log);
      };
      await until(isCopied, "the copy has the bytes of the server's files");
      assert.deepEqual(
        heard,
        log.map((text) => JSON.parse(text).id),
      );
      await conversation.close();
      // Neither key is stored here, and the second opening needs nothing that is there already.
      const stored = JSON.stringify(await store.load(conversation.id));
      assert.ok(stored.includes("threadkeep_server"));
      for (const text of [stored, ...log]) assert.ok(!text.includes("sk-of-the-model") && !text.includes(server.apiKey));
      const reopened = await open({ store, conversationId: conversation.id });
      assert.equal(await reopened.finalResponse(), "It is four.");
      await reopened.close();
    });

    test("the key of the model is asked for once, to make the conversation", async (t) => {
      if (server === null) return t.skip("it is not here");
      let asked = 0;
      const apiKey = () => `sk-${++asked}`;
      const agent = new Agent({ llm: new LLM({ model: "openai/scripted", apiKey, baseUrl: upstream.baseUrl }) });
      const conversation = await open({ agent });
      assert.equal(asked, 0);
      await conversation.sendMessage("Hello");
      await conversation.sendMessage("Again");
      await conversation.run();
      assert.equal(asked, 1);
      await conversation.close();
    });

    test("the next request goes to the model that was switched to, with its key", async (t) => {
      if (server === null) return t.skip("it is not here");
      const other = (options) => new LLM({ model: "openai/other", apiKey: "sk-of-the-other", baseUrl: upstream.baseUrl, ...options });
      const agent = agentOf();
      const conversation = await open({ agent });
      await conversation.sendMessage("Hello");
      await conversation.run();
      await conversation.switchLLM(other({ usageId: "other" }));
      assert.equal(conversation.state.agent.llm.model, "openai/other");
      await conversation.sendMessage("And now?");
      assert.equal((await conversation.run()).status, "finished");
      const { body, headers } = model.requests.at(-1);
      assert.deepEqual([body.model, headers.authorization], ["other", "Bearer sk-of-the-other"]);
      assert.ok(!JSON.stringify(conversation.state).includes("sk-of-the-other"));
      // The usageId of the first one.
      const again = conversation.switchLLM(other());
      if (version.startsWith("1.43")) await assert.rejects(again, { code: "unsupported", message: /usageId/ });
      else await again;
      agent.llmRegistry.add(other({ model: "openai/third", usageId: "third" }));
      await conversation.switchLLM("third");
      assert.equal(conversation.state.agent.llm.model, "openai/third");
      await assert.rejects(conversation.askAgent("Why?", { llm: "third" }), { code: "unsupported", message: /leave llm out/ });
      await conversation.close();
    });

    test("the condenser on the server asks the model that the page gave it, with its key", async (t) => {
      if (server === null) return t.skip("it is not here");
      const small = new LLM({ model: "openai/small", apiKey: "sk-of-the-small", baseUrl: upstream.baseUrl });
      const condenser = { kind: "LLMSummarizingCondenser", llm: small, maxSize: 10, keepFirst: 1 };
      const agent = new Agent({ llm: agentOf().llm, condenser });
      const conversation = await open({ agent });
      for (const text of ["One", "Two", "Three"]) {
        await conversation.sendMessage(text);
        await conversation.run();
      }
      await conversation.condense();
      const asked = model.requests.filter(({ body }) => body.model === "small");
      assert.deepEqual([...new Set(asked.map(({ headers }) => headers.authorization))], ["Bearer sk-of-the-small"]);
      await conversation.close();
    });

    test("a run that fails rejects, and its failure is in the log", async (t) => {
      if (server === null) return t.skip("it is not here");
      const conversation = await open();
      await conversation.sendMessage("Hello");
      isKeyWrong = true;
      await assert.rejects(conversation.run(), { code: "llm_auth", message: /key/ });
      assert.equal(conversation.executionStatus, "error");
      const failure = (await conversation.activeBranch()).find(({ kind }) => kind === "ConversationErrorEvent");
      assert.equal(failure.code, "LLMAuthenticationError");
      isKeyWrong = false;
      assert.equal((await conversation.run()).status, "finished");
      await conversation.close();
    });

    test("calls that are not awaited reach the server in their order", async (t) => {
      if (server === null) return t.skip("it is not here");
      const conversation = await open();
      conversation.retryNow();
      const all = await Promise.all(["1", "2", "3"].map((text) => conversation.sendMessage(text)).concat(conversation.run()));
      assert.equal(all.at(-1).status, "finished");
      const log = await conversation.activeBranch();
      const said = log.filter(({ kind }) => kind === "MessageEvent").map(({ llm_message }) => llm_message.content[0].text);
      assert.deepEqual(said, ["1", "2", "3", "It is four."]);
      await conversation.close();
    });

    test("another handle, with a copy of its own, shows the same, and both act", async (t) => {
      if (server === null) return t.skip("it is not here");
      const [one, two] = [memoryStore(), memoryStore()];
      const first = await open({ store: one });
      await first.sendMessage("Hello");
      const second = await open({ store: two, conversationId: first.id });
      assert.equal(second.title, "Hello");
      await second.sendMessage("And from here");
      assert.equal((await second.run()).status, "finished");
      assert.equal((await first.run()).status, "finished");
      await first.navigateTo(null);
      await second.sendMessage("Anew");
      // The server notes behind a message that it was the last, and tells of that later.
      const isCopied = async () => isDeepStrictEqual(await bytesOf(two, first.id), onServer(first.id));
      await until(isCopied, "the copy has the bytes of the server's files");
      await first.close();
      await second.close();
    });

    test("calls wait for the user, who approves or rejects them", async (t) => {
      if (server === null) return t.skip("it is not here");
      const conversation = await open(confirming());
      await conversation.sendMessage("look around");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      const [action] = await conversation.pendingActions();
      assert.equal(action.tool_name, "file_editor");
      await assert.rejects(conversation.sendMessage("Wait"), { code: "invalid_state" });
      await assert.rejects(conversation.sendMessage("Wait", { pending: "keep" }), { code: "unsupported" });
      await assert.rejects(conversation.run({ approve: ["00000000-0000-4000-8000-000000000000"] }), { code: "not_found" });
      await conversation.rejectPendingActions("Not now");
      assert.deepEqual(await conversation.pendingActions(), []);
      assert.equal((await conversation.events.at(-1)).rejection_reason, "Not now");
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      const result = await conversation.run({ approve: (await conversation.pendingActions()).map(({ id }) => id) });
      assert.deepEqual([result.status, result.finalResponse], ["finished", "It is four."]);
      await conversation.close();
    });

    test("a signal stops a run", async (t) => {
      if (server === null) return t.skip("it is not here");
      const conversation = await open();
      await conversation.sendMessage("hold on");
      const stop = new AbortController();
      const asked = model.requests.length;
      const running = conversation.run({ signal: stop.signal });
      await model.arrived(asked + 1);
      stop.abort();
      await assert.rejects(running, { code: "aborted" });
      assert.equal(conversation.executionStatus, "paused");
      release.resolve();
      await conversation.close();
    });

    test("the copy is written by nobody here, and an export of it is a conversation of its own", async (t) => {
      if (server === null) return t.skip("it is not here");
      const store = memoryStore();
      const conversation = await open({ store });
      await conversation.sendMessage("Hello");
      await conversation.run();
      const zip = await conversation.exportZip();
      const copy = await conversation.fork();
      assert.equal(copy.home, "here");
      await copy.sendMessage("Here");
      await copy.close();
      const listed = new Map((await Conversation.list({ store })).map(({ id, server: host }) => [id, host]));
      assert.deepEqual([listed.get(conversation.id), listed.get(copy.id)], [server.host, null]);
      const { id } = conversation;
      await conversation.close();
      await assert.rejects(Conversation.open({ agent: agentOf(), store, conversationId: id }), { code: "invalid_state" });
      await assert.rejects(Conversation.importZip(zip, { store }), { code: "invalid_state" });
      const other = agentServer({ host: "http://127.0.0.1:9", workingDir: "/" });
      await assert.rejects(open({ store, conversationId: id, home: other }), { code: "invalid_state" });
      const elsewhere = memoryStore();
      await Conversation.importZip(zip, { store: elsewhere });
      const here = await Conversation.open({ agent: agentOf(), store: elsewhere, conversationId: id });
      assert.deepEqual([here.home, here.access], ["here", "writer"]);
      await here.sendMessage("On its own");
      await here.close();
      await assert.rejects(open({ store: elsewhere, conversationId: id }), { code: "invalid_state" });
    });

    test("what cannot be is refused with its reason", async (t) => {
      if (server === null) return t.skip("it is not here");
      const fetching = fetchTool({ allow: ["https://example.com"] });
      await assert.rejects(open({ agent: agentOf([fetching]) }), { code: "unsupported", message: /fetch/ });
      const wrong = (options) => agentServer({ host: server.host, apiKey: server.apiKey, workingDir: "/", ...options });
      await assert.rejects(open({ home: wrong({ apiKey: "wrong" }) }), { code: "server_auth", status: 401 });
      await assert.rejects(open({ home: wrong({ host: "http://127.0.0.1:9" }) }), { code: "network" });
      for (const host of ["nowhere", "ftp://127.0.0.1", "http://user:word@127.0.0.1", "http://127.0.0.1/?key=1"])
        await assert.rejects(open({ home: wrong({ host }) }), { code: "invalid_options" });
      await assert.rejects(open({ home: wrong({ key: "1" }) }), { code: "invalid_options", message: /apiKey/ });
    });

    for (const [name, call] of Object.entries(calls)) {
      test(`the table: ${name}`, async (t) => {
        if (server === null) return t.skip("it is not here");
        const waits = name === "rejectPendingActions";
        const conversation = await open(waits ? confirming() : {});
        const { id: question } = await conversation.sendMessage(waits ? "look around" : "Hello");
        await conversation.run();
        const done = await call(conversation, { question }).then(
          () => "done",
          (error) => error.code,
        );
        const what = said.get(name);
        assert.equal(done, what.startsWith("`unsupported`") ? "unsupported" : "done", `${name}: ${what}`);
        await conversation.close();
      });
    }

    /** The script: a thought for a question, and an answer that waits for the end of a test. */
    async function answerTo({ messages }) {
      const texts = JSON.stringify(messages.at(-1));
      if (texts.includes("hold on")) await release.promise;
      if (isKeyWrong) return { status: 401, body: JSON.stringify({ error: { message: "wrong key" } }) };
      if ((messages.at(-1).role !== "tool" && texts.includes("look around")) || texts.includes("Not now"))
        return { calls: [{ name: "file_editor", arguments: { command: "view", path: server.workspace } }] };
      const isQuestion = messages.at(-1).role === "user" && texts.includes("two and two");
      return isQuestion ? { calls: [{ name: "think", arguments: { thought: "Not hard." } }] } : { text: "It is four." };
    }
  });
}
