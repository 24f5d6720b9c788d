// Models in real browsers: profiles over IndexedDB, another model in mid-conversation, and wire APIs that a page loads
// when it needs them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageOf, startNonsenseServer } from "../../server/nonsense-server.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer({ mounts: { "/sse/": "tests/fixtures/sse" } })));
after(() => server.close());

/** The wire APIs beside Chat Completions: the options that choose one, and a recorded answer that calls these tools. */
const wireApis = [
  {
    name: "responses",
    llm: { apiMode: "responses" },
    path: "/v1/responses",
    calls: "openai-reasoning-and-parallel-calls",
    tools: ["add", "note"],
    text: "openrouter-comments-and-done-marker",
    resultsOf: ({ input }) => input.filter(({ type }) => type === "function_call_output").length,
  },
  {
    name: "anthropic",
    llm: { model: "anthropic/claude-sonnet-4-5" },
    path: "/v1/messages",
    calls: "thinking-with-signature",
    tools: ["think"],
    text: "text",
    // The thought goes back with its signature, or the call is refused.
    resultsOf: ({ messages }) => {
      const blocks = messages.flatMap(({ content }) => content);
      const hasThought = blocks.some(({ type, signature }) => type === "thinking" && signature);
      return blocks.filter(({ type }) => type === "tool_result" && hasThought).length;
    },
  },
  {
    name: "text_tools",
    llm: { nativeToolCalling: false },
    path: "/v1/chat/completions",
    calls: "whole-call",
    tools: ["f"],
    text: "only-text",
    resultsOf: ({ messages }) => messages.filter(({ content }) => JSON.stringify(content).includes('"Result of f:')).length,
  },
];

/** Every option that a profile holds, the last ones with values that count as none elsewhere. */
const savedOptions = {
  model: "openai/gpt-5",
  baseUrl: "/v1",
  apiMode: "responses",
  usageId: "mine",
  stream: false,
  temperature: 0.5,
  topP: 0.25,
  maxOutputTokens: 1000,
  reasoningEffort: "none",
  reasoningSummary: "detailed",
  nativeToolCalling: false,
  inputCostPerToken: 1e-6,
  outputCostPerToken: 0,
  capabilityOverrides: { supports_vision: true, supports_responses_api: false },
  enableEncryptedReasoning: false,
  promptCacheRetention: "",
  numRetries: 0,
  timeout: 0,
};

/** Runs an agent of these tools against the recorded answers, which the page's own server keeps. */
async function runRecorded({ name, llm, calls, tools, text }) {
  const [{ Agent, Conversation, LLM, memoryStore, tool }, { ScriptedModel }] = await Promise.all([
    import("/threadkeep/index.js"),
    import("/support/model/script.mjs"),
  ]);
  const recorded = async (file) => ({ raw: await (await fetch(`/sse/${name}/${file}.sse`)).text() });
  const model = new ScriptedModel([await recorded(calls), await recorded(text)]);
  const agent = new Agent({
    llm: new LLM({ model: "openai/recorded", baseUrl: "https://model.invalid/v1", apiKey: "sk-page", fetch: model.fetch, ...llm }),
    tools: tools
      .filter((name) => name !== "think")
      .map((name) =>
        tool({
          name,
          description: "Does it.",
          parameters: { type: "object", properties: { path: { type: "string" } } },
          execute: () => "done",
        }),
      ),
  });
  let shown = "";
  const conversation = await Conversation.open({
    agent,
    store: memoryStore(),
    tokenCallbacks: [({ content }) => (shown += content ?? "")],
  });
  await conversation.sendMessage("Go.");
  const { status, finalResponse } = await conversation.run();
  const kinds = [];
  for await (const { kind, error } of conversation.events) kinds.push(error ? `${kind}: ${error}` : kind);
  const requests = model.requests.map(({ path, headers, body }) => ({ path, key: headers.authorization ?? headers["x-api-key"], body }));
  return { requests, shown, status, finalResponse, kinds };
}

for (const kind of availableBrowsers) {
  test(`${kind}: a page keeps profiles of models, changes models in mid-conversation, and speaks all wire APIs`, async (context) => {
    const browser = await tabs(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await context.test("a profile outlives the page with every option, and holds neither key nor headers", async () => {
        await browser.evaluate(async (savedOptions) => {
          const { LLM, LLMProfileStore } = await import("/threadkeep/index.js");
          const profiles = new LLMProfileStore("profiled");
          await profiles.save("all", new LLM({ ...savedOptions, background: true }));
          await profiles.save(
            "fast",
            new LLM({ model: "openai/gpt-4o-mini", temperature: 0.5, timeout: 1.5, apiKey: "sk-planted", headers: { "x-key": "planted" } }),
          );
          await profiles.save("other", new LLM({ model: "ollama/qwen3", baseUrl: "http://box:11434", nativeToolCalling: false }));
          await profiles.save("gone", new LLM({ model: "m", baseUrl: "/v1" }));
          await profiles.delete("gone");
        }, savedOptions);
        await browser.page(`${server.origin}/pages/blank.html`);
        const found = await browser.evaluate(async () => {
          const { LLMProfileStore } = await import("/threadkeep/index.js");
          const profiles = new LLMProfileStore("profiled");
          const rows = await new Promise((resolve) => {
            indexedDB.open("profiled-profiles").onsuccess = ({ target }) => {
              const request = target.result.transaction("profiles").objectStore("profiles").getAll();
              request.onsuccess = () => {
                target.result.close();
                resolve(request.result);
              };
            };
          });
          const failed = (promise) =>
            promise.then(
              () => "no error",
              ({ code, message }) => `${code}: ${message}`,
            );
          return {
            names: await profiles.list(),
            all: (await profiles.load("all")).options,
            rows,
            fast: (await profiles.load("fast", { apiKey: "sk-again" })).options,
            other: (await profiles.load("other")).options,
            missing: await failed(profiles.load("gone")),
            unnamed: await failed(profiles.load("../gone")),
          };
        });
        assert.deepEqual(found.names, ["all", "fast", "other"]);
        assert.deepEqual(found.all, savedOptions);
        assert.deepEqual(
          found.rows.slice(1).map((row) => JSON.parse(row)),
          [
            { model: "openai/gpt-4o-mini", temperature: 0.5, timeout: 2 },
            { model: "ollama/qwen3", base_url: "http://box:11434", native_tool_calling: false },
          ],
        );
        assert.deepEqual(found.fast, { model: "openai/gpt-4o-mini", temperature: 0.5, timeout: 2, apiKey: "sk-again" });
        assert.deepEqual(found.other, { model: "ollama/qwen3", baseUrl: "http://box:11434", nativeToolCalling: false });
        assert.match(found.missing, /^not_found: there is no profile gone/);
        assert.match(found.unnamed, /^invalid_options: /);
      });
      for (const wireApi of wireApis) {
        await context.test(`${wireApi.name} speaks`, async () => {
          const { requests, shown, status, finalResponse, kinds } = await browser.evaluate(runRecorded, {
            ...wireApi,
            resultsOf: undefined,
          });
          assert.deepEqual(
            kinds.map((kind) => kind.replace(/Event$/, "")),
            ["SystemPrompt", "Message", ...wireApi.tools.map(() => "Action"), ...wireApi.tools.map(() => "Observation"), "Message"],
          );
          assert.equal(status, "finished");
          assert.ok(finalResponse.length > 0 && shown.endsWith(finalResponse), shown);
          assert.deepEqual(
            requests.map(({ path, key }) => [path, key]),
            Array(2).fill([wireApi.path, requests[0].key]),
          );
          assert.match(requests[0].key, /^(Bearer )?sk-page$/);
          assert.deepEqual(
            requests.map(({ body }) => wireApi.resultsOf(body)),
            [0, wireApi.tools.length],
          );
        });
      }
      await context.test("an unknown model is sent images once its host declares vision", async () => {
        const sent = await browser.evaluate(async () => {
          const [{ Agent, Conversation, LLM, memoryStore }, { ScriptedModel }] = await Promise.all([
            import("/threadkeep/index.js"),
            import("/support/model/script.mjs"),
          ]);
          const sent = [];
          for (const more of [{}, { capabilityOverrides: { supports_vision: true } }]) {
            const { fetch, requests } = new ScriptedModel([{ text: "A dot." }]);
            const llm = new LLM({ model: "ollama/homemade", stream: false, fetch, ...more });
            const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
            await conversation.sendMessage([
              { type: "image", image_urls: ["data:image/gif;base64,R0lGODlhAQABAAAAACw="] },
              { type: "text", text: "What is this?" },
            ]);
            await conversation.run();
            sent.push(JSON.stringify(requests[0].body).includes("data:image/gif"));
          }
          return sent;
        });
        assert.deepEqual(sent, [false, true]);
      });
      await context.test("a required argument that may be null reaches the tool", async () => {
        const given = await browser.evaluate(async () => {
          const [{ Agent, Conversation, LLM, memoryStore, tool }, { ScriptedModel }] = await Promise.all([
            import("/threadkeep/index.js"),
            import("/support/model/script.mjs"),
          ]);
          const given = [];
          const parameters = {
            type: "object",
            properties: { note: { type: ["string", "null"] }, size: { type: "integer" } },
            required: ["note"],
            additionalProperties: false,
          };
          const take = tool({ name: "take", description: "Takes a note.", parameters, execute: (args) => (given.push(args), "taken") });
          const { fetch } = new ScriptedModel([{ calls: [{ name: "take", arguments: { note: null, size: null } }] }, { text: "Done." }]);
          const llm = new LLM({ model: "openai/m", stream: false, fetch });
          const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [take] }), store: memoryStore() });
          await conversation.sendMessage("Take a note.");
          await conversation.run();
          await conversation.close();
          return given;
        });
        assert.deepEqual(given, [{ note: null }]);
      });
      await context.test("a page goes on behind an answer of an agent server that is no JSON", async () => {
        const nonsense = await startNonsenseServer();
        try {
          nonsense.said["GET events/search"] = () => ({ text: "é1e-05" });
          const waits = await browser.evaluate(async (host) => {
            const { Agent, Conversation, LLM, agentServer, memoryStore } = await import("/threadkeep/index.js");
            const agent = new Agent({ llm: new LLM({ model: "openai/m", apiKey: "sk-page" }) });
            const home = agentServer({ host, workingDir: "/work" });
            globalThis.conversation = await Conversation.open({ agent, home, store: memoryStore() });
            return new Promise((resolve) => {
              conversation.subscribe((event) => event.kind === "WaitingEvent" && resolve(event.message));
              conversation.setTags({ title: "There" }).catch(() => {});
            });
          }, nonsense.host);
          assert.match(waits, /has sent something that cannot be read: "é1e-05"/);
          delete nonsense.said["GET events/search"];
          const [{ log }] = nonsense.conversations.values();
          log.push(messageOf([{ type: "text", text: "Still here" }]));
          const texts = await browser.evaluate(async () => {
            const is = new Promise((resolve) => conversation.subscribe(({ kind, ...event }) => kind === "MessageEvent" && resolve(event)));
            await conversation.retryNow();
            const { llm_message: message } = await is;
            await conversation.close();
            return message.content.map(({ text }) => text);
          });
          assert.deepEqual(texts, ["Still here"]);
        } finally {
          await nonsense.close();
        }
      });
      await context.test("another model answers where the first one cannot", async () => {
        const { model, asked } = await browser.evaluate(async () => {
          const [{ Agent, Conversation, LLM, memoryStore }, { ScriptedModel }] = await Promise.all([
            import("/threadkeep/index.js"),
            import("/support/model/script.mjs"),
          ]);
          const { fetch, requests } = new ScriptedModel(({ model }) =>
            model === "first" ? { status: 401 } : { text: "Here.", usage: { prompt_tokens: 5, completion_tokens: 1 } },
          );
          const options = { baseUrl: "https://model.invalid", stream: false, numRetries: 1, fetch };
          const second = new LLM({ ...options, model: "openai/second" });
          const first = new LLM({ ...options, model: "openai/first", fallbacks: [second], fallbackOn: ["llm_auth"] });
          const conversation = await Conversation.open({ agent: new Agent({ llm: first }), store: memoryStore() });
          await conversation.sendMessage("Hello?");
          await conversation.run();
          return {
            asked: requests.map(({ body }) => body.model),
            model: conversation.stats.usage_to_metrics.default.token_usages[0].model,
          };
        });
        assert.deepEqual([asked, model], [["first", "second"], "openai/second"]);
      });
    } finally {
      await browser.close();
    }
  });
}
