// A page's agent against a server of others: the LiteLLM proxy, over each wire API that it speaks, streaming and not, with
// a tool, and with CORS. Behind the proxy is the fake model, which checks its requests.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";
import { deferred } from "../support/deferred.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { key, startProxy } from "./proxy.mjs";
import { sum } from "../support/chat.mjs";

const wireApis = {
  chat: { llm: { apiMode: "chat" }, calls: 2 },
  "chat without native tool calling": { llm: { apiMode: "chat", nativeToolCalling: false }, calls: 1 },
  responses: { llm: { apiMode: "responses" }, calls: 2 },
  // The proxy throws the pieces of parallel calls together: see docs/models.md.
  messages: { llm: { apiMode: "anthropic", model: "litellm_proxy/scripted-once" }, calls: 1 },
};

const isResult = ({ role, content }) => role === "tool" || JSON.stringify(content).includes('"Result of add:');

/** Resolves when the page has shown the beginning of the last answer. One that is streamed ends only then. */
let shown;

/** Calls the tool, in text where the request offers none; then answers with the result. */
function script({ model, messages, tools, stream }) {
  if (isResult(messages.at(-1)))
    return {
      reasoning: "That was easy.",
      text: "That makes three and seven.",
      ...(stream && { pace: (write) => write > 4 && shown.promise }),
    };
  if (!tools) return { text: "Let me add that up.\n\n<function=add>\n<parameter=a>1</parameter>\n<parameter=b>2</parameter>\n" };
  return { reasoning: "I need a tool.", text: "Let me add that up.", calls: model === "once" ? [sum(1, 2)] : [sum(1, 2), sum(3, 4)] };
}

let model, upstream, proxy, pages;
const browsers = new Map();
before(async () => {
  model = createModel(script);
  [upstream, pages] = await Promise.all([model.listen(), startServer({ mounts: { "/shown": hear } })]);
  const open = async (kind) => {
    const browser = await launch(kind);
    browsers.set(kind, browser);
    await browser.page(`${pages.origin}/pages/blank.html`);
  };
  [proxy] = await Promise.all([startProxy(upstream.baseUrl), ...availableBrowsers.map(open)]);
});
after(() => Promise.all([...browsers.values(), proxy, upstream, pages].map((open) => open?.close())));

function hear(_, response) {
  shown.resolve();
  response.end();
  return true;
}

/** In the page: an agent with one tool is asked to add. */
async function run({ baseUrl, apiKey, llm }) {
  const { Agent, Conversation, LLM, memoryStore, tool } = await import("/threadkeep/index.js");
  const add = tool({
    name: "add",
    description: "Adds two numbers.",
    parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    execute: ({ a, b }) => a + b,
  });
  const agent = new Agent({
    llm: new LLM({ model: "litellm_proxy/scripted", baseUrl, apiKey, numRetries: 1, timeout: 60, ...llm }),
    tools: [add],
  });
  const pieces = [];
  const conversation = await Conversation.open({
    agent,
    store: memoryStore(),
    tokenCallbacks: [
      ({ content }) => {
        if (!content) return;
        pieces.push(content);
        if (content.startsWith("That")) void fetch("/shown");
      },
    ],
  });
  await conversation.sendMessage("How much is 1 + 2, and 3 + 4?");
  const ended = await conversation.run().catch(({ code, message, status }) => ({ code, message, httpStatus: status }));
  const events = [];
  for await (const event of conversation.events) events.push(event);
  return { ...ended, pieces, events, stats: conversation.stats };
}

const words = (event) => (event.content ?? event.observation?.content ?? []).map(({ text }) => text).join();

for (const kind of availableBrowsers) {
  describe(`${kind}: an agent of a page on the LiteLLM proxy`, () => {
    const inPage = (name, check) => test(name, (t) => (proxy ? check(t) : t.skip("no LiteLLM proxy")));
    const asked = (llm, apiKey = key) => browsers.get(kind).evaluate(run, { baseUrl: proxy.baseUrl, apiKey, llm });

    for (const [name, { llm, calls }] of Object.entries(wireApis)) {
      for (const stream of [true, false]) {
        inPage(`${name}, ${stream ? "streaming" : "whole"}`, async () => {
          const begun = model.requests.length;
          shown = deferred();
          const { status, code, message, finalResponse, pieces, events, stats } = await asked({ ...llm, stream });
          assert.deepEqual([status, finalResponse], ["finished", "That makes three and seven."], `${code}: ${message}`);
          const kinds = [...Array(calls).fill("Action"), ...Array(calls).fill("Observation")];
          assert.deepEqual(
            events.map(({ kind }) => kind.replace(/Event$/, "")),
            ["SystemPrompt", "Message", ...kinds, "Message"],
          );
          const [action] = events.filter(({ kind }) => kind === "ActionEvent");
          assert.equal(action.thought.map(({ text }) => text).join(), "Let me add that up.");
          const results = events.filter(({ kind }) => kind === "ObservationEvent").map(words);
          assert.deepEqual(results, ["3", "7"].slice(0, calls));
          assert.equal(pieces.join(""), "Let me add that up.That makes three and seven.");
          assert.equal(model.requests.at(-1).body.stream === true, stream);
          assert.ok(stats.usage_to_metrics.default.accumulated_token_usage.prompt_tokens > 0);
          assert.equal(model.requests.length - begun, 2);
          assert.deepEqual(model.violations, []);
        });
      }
    }

    inPage("an answer that the proxy makes up itself", async () => {
      const { finalResponse, pieces } = await asked({ model: "litellm_proxy/mocked" });
      assert.deepEqual([finalResponse, pieces.join("")], ["Hello from the proxy.", "Hello from the proxy."]);
    });
    inPage("a refusal of the proxy has its message and a code", async () => {
      // Without a database it cannot look up the keys of users.
      const wrongKey = await asked({}, "sk-wrong");
      assert.deepEqual([wrongKey.code, wrongKey.httpStatus], ["llm_bad_request", 400], wrongKey.message);
      assert.match(wrongKey.message, /No connected db/);
      assert.ok(!wrongKey.message.includes("sk-wrong"), wrongKey.message);
      const unknown = await asked({ model: "litellm_proxy/nothing" });
      assert.equal(unknown.code, "llm_bad_request", unknown.message);
      const busy = await asked({ model: "litellm_proxy/busy" });
      assert.deepEqual([busy.code, busy.httpStatus], ["llm_rate_limit", 429], busy.message);
    });
  });
}
