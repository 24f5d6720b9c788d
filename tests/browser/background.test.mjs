// An answer that the provider works on by itself, in real browsers: over a lost connection and over a reload.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen } from "../support/listen.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers } from "./driver.mjs";
import { tabs } from "./shared.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

const id = "resp_0123456789abcdef";
const item = { type: "message", content: [{ type: "output_text", text: "Hello, world" }] };
/** What the provider has to say, by number. */
const events = [
  { type: "response.created", response: { id, status: "queued" } },
  ...["Hel", "lo, ", "world"].map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
  { type: "response.completed", response: { id, status: "completed", output: [item] } },
];

/** A provider of which each connection ends as `endings` say: after so many events, by itself or hanging. */
function provider(endings) {
  const asked = [];
  const handle = (request, response) => {
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS" || request.method === "HEAD") return response.end();
    const { pathname, searchParams } = new URL(request.url, "http://provider");
    asked.push(`${request.method} ${pathname}`);
    const { count, hangs } = endings.shift();
    const from = request.method === "POST" ? 0 : Number(searchParams.get("starting_after")) + 1;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let number = from; number < from + count && number < events.length; number += 1) {
      response.write(`data: ${JSON.stringify({ sequence_number: number, ...events[number] })}\n\n`);
    }
    if (!hangs) response.end();
  };
  return listen(handle).then((listening) => ({ ...listening, asked }));
}

/** Opens the conversation, asks where nothing was asked yet, and runs until `until` has been shown or the run has ended. */
async function converse(baseUrl, conversationId, until) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const llm = new LLM({ model: "openai/gpt-5", baseUrl, apiMode: "responses", background: true });
  let shown = "";
  let see;
  const seen = new Promise((resolve) => (see = resolve));
  const listener = ({ content }) => {
    shown += content ?? "";
    if (until && shown.includes(until)) see("seen");
  };
  const conversation = await Conversation.open({ agent: new Agent({ llm }), conversationId, store: indexedDBStore("background"), tokenCallbacks: [listener] });
  if (conversation.events.length === 0) await conversation.sendMessage("Hello?");
  const run = conversation.run();
  if (until) return seen;
  const { finalResponse } = await run;
  return { finalResponse, shown, kept: conversation.state.agent_state.background_response ?? null };
}

for (const kind of availableBrowsers) {
  test(`${kind}: an answer outlives its connection and its page, and is asked for once`, { timeout: 60_000 }, async () => {
    const browser = await tabs(kind);
    const { origin, asked, close } = await provider([{ count: 2 }, { count: 1, hangs: true }, { count: 9 }]);
    try {
      const conversation = crypto.randomUUID();
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(converse, `${origin}/v1`, conversation, "Hello,");
      await page.reload();
      const { finalResponse, shown, kept } = await browser.evaluate(converse, `${origin}/v1`, conversation);
      assert.equal(finalResponse, "Hello, world");
      assert.equal(shown, "Hello, world");
      assert.equal(kept, null);
      assert.deepEqual(asked, ["POST /v1/responses", `GET /v1/responses/${id}`, `GET /v1/responses/${id}`]);
    } finally {
      await browser.close();
      await close();
    }
  });
}
