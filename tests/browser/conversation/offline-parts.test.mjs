// The library loads its parts when they are needed, and an open conversation is to work without a network. So everything that a
// run may need is there as soon as the conversation is open, or the run waits for it: for each part, this says which,
// and the server of the library goes away between opening and the first use.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { entries, terminal, workers } from "../../../scripts/bundle.mjs";
import { root } from "../../../scripts/process.mjs";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { chunks } from "../../../scripts/wasms.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";
import { endOf } from "../../support/ended.mjs";

/** The parts that runs use, by the step below in which they are used without the server of the library. */
const used = {
  models: ["llm/models/*", "run"],
  tools: [
    "tool/core.ts",
    "tools/*",
    "subagents/task.ts",
    "workspace/home.ts",
    "workspace/memory.ts",
    "workspace/opfs.ts",
    "conversation/side-calls/requests.ts",
    "secrets/index.ts",
    "secrets/keys.ts",
    "control/security/index.ts",
    "agent/skills/context.ts",
    "llm/profiles/index.ts",
  ],
  answers: [
    "agent/condenser/options.ts",
    "agent/critics/options.ts",
    "agent/final-answer.ts",
    "llm/images/read.ts",
    "store/inventory/record.ts",
  ],
  waits: [terminal.file],
  calls: ["agent"],
};
/** The other parts, and the reason why no run needs them. */
const others = {
  "formats/archive/parts.ts": "exports and imports",
  formats: "exports and imports; with a store of the host it is loaded when that is opened",
  "formats/interchange/parts.ts": "exports and imports",
  "formats/interchange/programs/read.ts": "is loaded for a file of another program, when the host imports it",
  "conversation/organizing/update.ts": "changes what lists show, when the host asks; nothing is stored without it",
  "conversation/organizing/trash.ts": "deletes what is in the trash, when the host asks",
  "store/storage/status.ts": "measures what is stored, when the host asks",
  "search/requests.ts": "searches, when the host asks; the tool brings it along",
  "search/tool.ts": "is loaded before a conversation is open",
  "search-worker.js": "is started with the first search; the page does without",
  "search/index/stored-index.ts": "is loaded with the first search where there is no worker; without it, a search fails",
  "mirror/mirror/parts.ts": "is loaded with the first mirror, when the host asks; nothing is stored without it",
  "store/encrypted/store.ts": "is loaded before a conversation is open, as its store is read",
  "store/directory/store.ts": "is loaded before a conversation is open, as its store is read",
  "conversation/send/given-file.ts": "is waited for by the first request that has a file, which needs the network itself",
  "conversation/send/files.ts": "is loaded with the first file that a user sends",
  "conversation/role/following.ts": "is loaded before a follower is open",
  "conversation/home/page.ts": "is loaded before a conversation is open",
  "conversation/home/serving.ts": "is loaded by a worker before a conversation is open",
  "conversation/role/serving.ts": "is loaded when a follower asks; without it, a handle writes for itself",
  "conversation/server/moving.ts": "is waited for by a move, which needs the network itself",
  "conversation/server/following.ts": "is loaded before a conversation is open",
  server: "is loaded before a conversation is open",
  "agent/skills/load.ts": "is called by the host before it opens a conversation",
  "workspace/remote.ts": "is waited for by its first call, which needs the network itself",
  "workspace/folder.ts": "is loaded beside the other workspaces; no test can press the browser's button that allows a folder",
  "plugins/plugins/*": "are loaded before a conversation with plugins is open, or when the host loads a plugin",
  plugins: "is loaded before a conversation with plugins is open",
  "mcp/index.ts": "is loaded before a conversation is open",
  "mcp/client.ts": "connects as soon as a conversation is open, and is tried again",
  "mcp/oauth.ts": "is loaded with the connection",
  "mcp/page-tools.ts": "is loaded with the connection",
};

/** The modules of the core that are imported when they are needed, without the copies of other files. */
function lazyModules() {
  const apart = [...Object.values(entries).map((file) => path.dirname(file)), "js/testing"];
  const sources = readdirSync(path.join(root, "js"), { recursive: true }).map((file) => `js/${file}`);
  const core = sources.filter((file) => file.endsWith(".ts") && !apart.some((folder) => file.startsWith(`${folder}/`)));
  const imported = core.flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, target]) =>
      path.join(path.dirname(file), target).replace(/\.js$/, ".ts"),
    ),
  );
  return [...new Set(imported)].filter((module) => !module.endsWith("-inline.ts") && module !== "js/conversation/ahead.ts");
}

const covers = (known, part) => (known.endsWith("*") ? part.startsWith(known.slice(0, -1)) : part === known);

test("for every part of the library that is loaded later, it is known how runs get it", () => {
  const parts = [...lazyModules(), ...Object.keys(chunks), ...workers.map(({ file }) => file)].map((part) => part.replace(/^js\//, ""));
  const known = [...Object.values(used).flat(), ...Object.keys(others)];
  assert.deepEqual(
    parts.filter((part) => !known.some((one) => covers(one, part))),
    [],
    "not in the list above",
  );
  assert.deepEqual(
    known.filter((one) => !parts.some((part) => covers(one, part))),
    [],
    "in the list above, but no part",
  );
});

/** Whether the server of the library is there, for each kind of failure. */
let isAway = false;
const dist = staticFiles(path.join(root, "dist"));
const library = (request, response, urlPath) => {
  if (!isAway) return dist(request, response, urlPath);
  request.socket.destroy();
  return true;
};
/** dist/ from which the parts for a model cannot be loaded while the server is away, in a page that has the rest. */
const parts = (request, response, urlPath) =>
  /models-|run(_bg|-inline)/.test(urlPath) ? library(request, response, urlPath) : dist(request, response, urlPath);

let server;
before(async () => (server = await startServer({ mounts: { "/library/": library, "/parts/": parts } })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: an open conversation loads nothing more, or its run waits for it`, async (context) => {
    const browser = await tabs(kind);
    const step = (name, body) =>
      context.test(name, async () => {
        isAway = false;
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        /** Opens conversations, loads what is loaded ahead, and takes the server away. */
        const opened = async (open, ...args) => {
          await page.evaluate(open, ...args);
          // It begins once the page has nothing else to do, which takes its time on a busy machine.
          await untilIn(page, "it loads ahead", () => {
            const names = performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
            return [/^answer-/, /^threadkeep_agent_bg\.wasm$/].every((wanted) => names.some((name) => wanted.test(name)));
          });
          await page.waitForNetworkIdle({ idleTime: 250 });
          isAway = true;
        };
        try {
          await body(page, opened);
        } finally {
          await page.close();
        }
      });
    try {
      await step("models: a request to any model is sent", async (page, opened) => {
        await opened(openModels);
        const ended = await page.evaluate(runModels);
        assert.equal(Object.keys(ended).length, 17);
        for (const [model, error] of Object.entries(ended)) assert.match(error, /^llm_bad_request/, model);
      });

      await step("tools: every tool is called", async (page, opened) => {
        await opened(openWithTools);
        const { status, results, risks } = await page.evaluate(runTools);
        assert.equal(status, "finished");
        assert.deepEqual(
          results.filter(({ isError }) => isError),
          [],
        );
        assert.deepEqual(results.map(({ tool }) => tool).sort(), [
          "apply_patch",
          "fetch",
          "file_editor",
          "file_editor",
          "glob",
          "grep",
          "inspect_image_with_vision",
          "list_directory",
          "secret",
          "switch_llm",
          "task",
          "task_tracker",
        ]);
        assert.deepEqual([...new Set(risks)], ["LOW"], "a rating that could not be made would be HIGH");
      });

      await step("answers: they are rated, structured and condensed, and a message has an image", async (page, opened) => {
        await opened(openForAnswers);
        assert.deepEqual(await page.evaluate(runForAnswers), {
          statuses: ["finished", "finished"],
          answer: { word: "yes" },
          condensations: 1,
        });
      });

      await step("waits: the first command of a terminal waits for the network", async (page, opened) => {
        await opened(openTerminal);
        await page.evaluate(beginTerminal);
        await untilIn(page, "it waits", () => window.conversation.waiting !== null);
        isAway = false;
        await page.evaluate(() => window.conversation.retryNow());
        assert.match(await page.evaluate(async () => (await window.ended, window.results())), /^hello/);
      });

      await step(
        "calls: a call that waits is edited before the run that is called next, and one is made without a model",
        async (page, opened) => {
          await opened(openWithCall);
          assert.deepEqual(await page.evaluate(editAndRun), { edited: { to: "me" }, status: "finished", sent: ["me", "you"] });
        },
      );

      // A failed import is never repeated within a page of Firefox, so all that helps there is to load ahead.
      await step("a part that could not be loaded when the conversation was opened is waited for", async (page) => {
        isAway = true;
        await page.evaluate(openAndRun);
        await untilIn(page, "it waits", () => window.conversation.waiting !== null);
        assert.deepEqual(await page.evaluate(() => [window.conversation.executionStatus, window.conversation.waiting.why]), [
          "running",
          "network",
        ]);
        isAway = false;
        await page.evaluate(() => window.conversation.retryNow());
        const ended = await page.evaluate(() => window.ended);
        if (kind === "chromium") assert.deepEqual(endOf(ended), { status: "finished", finalResponse: "Hello." });
        else assert.ok(ended.status === "finished" || /reload the page/.test(ended), JSON.stringify(ended));
      });

      await step("without waiting, a part that is missing is an error, and the next run is not affected", async (page) => {
        isAway = true;
        await page.evaluate(openAndRun, "fail");
        assert.match(await page.evaluate(() => window.ended), /^network: the wasm did not load: .*threadkeep_run_bg.wasm/);
      });
    } finally {
      await browser.close();
    }
  });
}

async function openModels() {
  const { Agent, Conversation, LLM, memoryStore } = await import("/library/index.js");
  const refuse = async () => new Response('{"error":{"message":"no"}}', { status: 400, headers: { "content-type": "application/json" } });
  const store = memoryStore();
  const providers = [
    "anthropic",
    "azure",
    "deepseek",
    "fireworks_ai",
    "gemini",
    "groq",
    "mistral",
    "moonshot",
    "ollama",
    "openai",
    "together_ai",
    "vertex_ai",
    "xai",
  ];
  const models = [
    ...providers.map((provider) => ({ model: `${provider}/some-model`, apiMode: "chat" })),
    { model: "openai/gpt-4o", apiMode: "responses" },
    { model: "anthropic/claude-3-5-haiku-latest", apiMode: "anthropic" },
    { model: "openai/gpt-4o-mini", nativeToolCalling: false },
    { model: "openai/gpt-4o", apiMode: "chat" },
  ];
  window.opened = await Promise.all(
    models.map((options) => {
      const llm = new LLM({ ...options, baseUrl: "http://model.test/v1", fetch: refuse, numRetries: 0 });
      return Conversation.open({ agent: new Agent({ llm }), store });
    }),
  );
  window.names = models.map((options) => JSON.stringify(options));
}

async function runModels() {
  const ended = await Promise.all(
    window.opened.map(async (conversation) => {
      await conversation.sendMessage("Hello");
      return conversation.run().then(
        () => "",
        ({ code, message }) => `${code}: ${message}`,
      );
    }),
  );
  return Object.fromEntries(ended.map((error, at) => [window.names[at], error]));
}

async function openWithTools() {
  const library = await import("/library/index.js");
  const { Agent, Conversation, LLM, memoryWorkspace, opfsWorkspace, tool } = library;
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const call = (name, args) => ({ name, arguments: args });
  const { fetch } = scriptedModel([
    {
      calls: [
        call("file_editor", { command: "create", path: "/workspace/a.txt", file_text: "one\n" }),
        call("file_editor", { command: "view", path: "/workspace/a.txt" }),
        call("grep", { pattern: "one" }),
        call("glob", { pattern: "*.txt" }),
        call("list_directory", {}),
        call("task_tracker", { command: "view" }),
        call("apply_patch", { patch: "*** Begin Patch\n*** Add File: b.txt\n+two\n*** End Patch" }),
        call("fetch", { url: "https://data.test/" }),
        call("secret", {}),
        call("switch_llm", { profile_name: "other", reason: "It is better." }),
      ],
    },
    { calls: [call("inspect_image_with_vision", { image_index: 0, question: "What is it?" })] },
    { when: ({ tools }) => tools.length === 0, text: "A pixel." },
    { calls: [call("task", { prompt: "Say hello.", subagent_type: "greeter" })] },
    { text: "Hello." },
    { text: "Done." },
  ]);
  const llm = (model) => new LLM({ model, fetch, apiKey: async () => "key-from-a-function", numRetries: 0 });
  const secret = tool({
    name: "secret",
    description: "Reads a secret.",
    parameters: { type: "object" },
    execute: (_, { secret }) => secret("TOKEN").then((value) => value.length),
  });
  const tools = [
    library.fileEditor(),
    library.grep(),
    library.glob(),
    library.listDirectory(),
    library.applyPatch(),
    library.taskTracker(),
    secret,
    library.fetchTool({
      allow: ["https://data.test/"],
      fetch: async () => new Response("data", { headers: { "content-type": "text/plain" } }),
    }),
    library.inspectImage({ llm: llm("openai/gpt-4o") }),
    library.switchLLM({ profiles: { other: llm("openai/gpt-4o-mini") } }),
    library.taskTool({ agents: [{ name: "greeter", systemPrompt: "You greet." }] }),
  ];
  window.pixel = pixel;
  window.conversation = await Conversation.open({
    agent: new Agent({ llm: llm("openai/gpt-4o"), tools }),
    secrets: { TOKEN: "a secret" },
    securityAnalyzer: { kind: "PatternSecurityAnalyzer" },
    confirmationPolicy: { kind: "NeverConfirm" },
  });
  // The other kinds of files.
  window.others = await Promise.all(
    [memoryWorkspace(), opfsWorkspace("parts")].map((workspace) =>
      Conversation.open({ agent: new Agent({ llm: llm("openai/gpt-4o"), tools: [library.glob()] }), workspace }),
    ),
  );
}

async function runTools() {
  const { conversation } = window;
  await Promise.all(window.others.map(({ workspace }) => workspace.write("a.txt", "a")));
  await conversation.sendMessage([
    { type: "text", text: "Use everything" },
    { type: "image", image_urls: [window.pixel] },
  ]);
  let { status } = await conversation.run();
  while (status === "waiting_for_confirmation") ({ status } = await conversation.run());
  const events = await conversation.events.slice();
  const results = events
    .filter(({ kind }) => /Observation|AgentError/.test(kind))
    .map((event) => ({
      tool: event.tool_name,
      isError: event.observation?.is_error ?? true,
      text: JSON.stringify(event.observation ?? event.error),
    }));
  return { status, results, risks: Object.values(conversation.securityRisks).concat("LOW") };
}

async function openForAnswers() {
  const { Agent, Conversation, LLM } = await import("/library/index.js");
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const finish = { calls: [{ name: "finish", arguments: { message: "It is.", word: "yes" } }] };
  const { fetch } = scriptedModel([finish, { when: ({ tools }) => tools.length === 0, text: "A summary." }, finish]);
  const llm = new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 });
  const agent = new Agent({
    llm,
    critic: { kind: "AgentFinishedCritic" },
    condenser: { kind: "LLMSummarizingCondenser", llm },
    finalAnswer: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  });
  window.conversation = await Conversation.open({ agent });
}

async function runForAnswers() {
  const { conversation } = window;
  const canvas = new OffscreenCanvas(8, 8);
  canvas.getContext("2d").fillRect(0, 0, 4, 4);
  await conversation.sendMessage([{ type: "text", text: "See" }, await canvas.convertToBlob()]);
  const statuses = [(await conversation.run()).status];
  await conversation.condense();
  await conversation.sendMessage("Again");
  statuses.push((await conversation.run()).status);
  const events = await conversation.events.slice();
  return { statuses, answer: await conversation.finalAnswer(), condensations: events.filter(({ kind }) => kind === "Condensation").length };
}

async function openTerminal() {
  const { Agent, Conversation, LLM, terminal } = await import("/library/slim.js");
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const { fetch } = scriptedModel([{ calls: [{ name: "terminal", arguments: { command: "echo hello" } }] }, { text: "Done." }]);
  window.conversation = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 }), tools: [terminal()] }),
  });
}

async function beginTerminal() {
  const { conversation } = window;
  await conversation.sendMessage("Echo");
  const ended = conversation.run();
  window.ended = Promise.resolve(ended).catch(({ code, message }) => `${code}: ${message}`);
  window.results = async () =>
    (await conversation.events.slice()).find(({ kind }) => kind === "ObservationEvent")?.observation.content[0].text;
}

async function openWithCall() {
  const { Agent, Conversation, LLM, memoryStore, tool } = await import("/library/index.js");
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const { fetch } = scriptedModel([{ calls: [{ name: "send", arguments: { to: "everybody" } }] }, { text: "Done." }]);
  window.sent = [];
  const send = tool({
    name: "send",
    description: "Sends.",
    parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    needsApproval: true,
    execute: ({ to }) => (window.sent.push(to), "sent"),
  });
  const llm = new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 });
  window.conversation = await Conversation.open({ agent: new Agent({ llm, tools: [send] }), store: memoryStore() });
}

async function editAndRun() {
  const { conversation } = window;
  await conversation.sendMessage("Send it");
  await conversation.run();
  const [{ id }] = await conversation.pendingActions();
  const editing = conversation.editAction(id, { to: "me" });
  const { status } = await conversation.run();
  const edited = JSON.parse((await editing).tool_call.arguments);
  await conversation.executeTool("send", { to: "you" });
  return { edited, status, sent: window.sent };
}

async function openAndRun(offline) {
  const { Agent, Conversation, LLM } = await import("/parts/slim.js");
  const { scriptedModel } = await import("/threadkeep/testing.js");
  const { fetch } = scriptedModel(["Hello."]);
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch, numRetries: 0 }) });
  window.conversation = await Conversation.open({ agent, ...(offline && { offline }) });
  await window.conversation.sendMessage("Hi");
  window.ended = Promise.resolve(window.conversation.run()).catch(({ code, message }) => `${code}: ${message}`);
}
