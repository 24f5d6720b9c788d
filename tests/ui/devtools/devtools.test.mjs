// The inspector's record and the spans of a conversation.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as opentelemetry from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { inspect, traceConversation } from "../../../dist/devtools.js";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../../dist/index.js";
import { createModel } from "../../support/model.mjs";

const apiKey = "sk-very-secret-key";
const pay = tool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object", properties: { sum: { type: "number" } } },
  needsApproval: ({ sum }) => sum > 10,
  execute: ({ sum }) => {
    if (sum === 13) throw new Error("unlucky");
    return "paid";
  },
});
const call = (sum) => ({ calls: [{ name: "pay", arguments: { sum } }] });

async function open(script, options = {}) {
  const model = createModel(script);
  const llm = new LLM({ model: "openai/gpt-4o", apiKey, fetch: model.fetch, ...options });
  return Conversation.open({ agent: new Agent({ llm, tools: [pay] }), store: memoryStore() });
}

test("the inspector records requests, events and statuses", async () => {
  const inspector = inspect({ maxRequests: 2 });
  const conversation = await open([call(1), { text: "Done." }, { text: "Again." }]);
  const changed = new Promise((resolve) => inspector.subscribe(resolve));
  const before = inspector.getSnapshot();
  inspector.watch(conversation);
  await conversation.sendMessage("Pay");
  await conversation.run();
  await changed;
  const { requests, events, statuses } = inspector.getSnapshot();
  assert.notEqual(inspector.getSnapshot(), before);
  assert.equal(inspector.getSnapshot(), inspector.getSnapshot());
  assert.deepEqual(
    requests.map(({ number, status, state }) => [number, status, state]),
    [
      [1, 200, "done"],
      [2, 200, "done"],
    ],
  );
  assert.equal(JSON.parse(requests[0].body).model, "gpt-4o");
  assert.match(requests[1].answer, /Done/);
  assert.ok(requests[0].firstBytesAfter <= requests[0].duration);
  assert.deepEqual(
    events.filter(({ event }) => "id" in event).map(({ event }) => event.kind),
    ["SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "MessageEvent"],
  );
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ["idle", "running", "finished"],
  );
  assert.doesNotMatch(inspector.export(), /very-secret/);

  await conversation.sendMessage("Again");
  await conversation.run();
  assert.deepEqual(
    inspector.getSnapshot().requests.map(({ number }) => number),
    [2, 3],
    "older ones are dropped",
  );
  inspector.close();
  assert.throws(() => inspect({ max: 1 }), { code: "invalid_options" });
  await conversation.close();
});

test("what a server sends back of keys and secrets is hidden in the record and in an export", async () => {
  const inspector = inspect();
  const secrets = { TOKEN: "s3cret/of 'mine'" };
  const tell = tool({
    name: "tell",
    description: "Tells.",
    parameters: { type: "object" },
    execute: async (_args, { secret }) => `${(await secret("TOKEN")).length}`,
  });
  const model = createModel([
    { calls: [{ name: "tell", arguments: {} }] },
    { text: `Your key is ${apiKey}, and ${secrets.TOKEN}.` },
    { status: 401, body: { error: { message: `no key ${apiKey}` } } },
  ]);
  const llm = new LLM({ model: "openai/gpt-4o", apiKey, fetch: model.fetch, stream: false });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [tell] }), store: memoryStore(), secrets });
  inspector.watch(conversation);
  await conversation.sendMessage("Tell");
  await conversation.run();
  await conversation.sendMessage(`Again, with ${apiKey}`);
  await assert.rejects(conversation.run(), { code: "llm_auth" });
  const { requests } = inspector.getSnapshot();
  assert.equal(requests.length, 3);
  assert.match(requests[1].answer, /Your key is <secret-hidden>, and <secret-hidden>/);
  assert.match(requests[2].answer, /no key <secret-hidden>/);
  assert.match(requests[2].body, /Again, with <secret-hidden>/);
  const exported = JSON.parse(inspector.export());
  assert.doesNotMatch(JSON.stringify(exported.requests), /very-secret|s3cret/);
  inspector.close();
  await conversation.close();
});

/** Runs `body` and returns the spans: [name, parent's name, attributes, status code]. */
async function spansOf(conversation, options, body) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const api = { ...opentelemetry, trace: { ...bound(opentelemetry.trace), getTracer: (name) => provider.getTracer(name) } };
  const stop = traceConversation(conversation, api, options);
  await body();
  stop();
  const spans = exporter.getFinishedSpans();
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  return spans.map(({ name, parentSpanContext, attributes, status }) => ({
    name,
    parent: names.get(parentSpanContext?.spanId),
    attributes,
    failed: status.code === 2,
  }));
}

const bound = (object) => ({ setSpan: object.setSpan.bind(object) });

test("a run, its requests and its calls are spans", async () => {
  const conversation = await open([{ calls: [...call(1).calls, { name: "pay", arguments: { sum: 13 } }] }, { text: "Done." }]);
  await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
  const spans = await spansOf(conversation, {}, async () => {
    await conversation.sendMessage("Pay");
    await conversation.run();
    await conversation.run();
  });
  const [invoke] = spans.filter(({ name }) => name === "invoke_agent");
  assert.equal(invoke.attributes["gen_ai.conversation.id"], conversation.id);
  const chats = spans.filter(({ name }) => name === "chat gpt-4o");
  assert.equal(chats.length, 2);
  for (const { parent, attributes, failed } of chats) {
    assert.equal(parent, "invoke_agent");
    assert.ok(attributes["gen_ai.usage.input_tokens"] > 0 && attributes["gen_ai.usage.output_tokens"] > 0);
    assert.ok(attributes["gen_ai.response.id"]);
    assert.equal(failed, false);
  }
  const tools = spans.filter(({ name }) => name === "execute_tool pay");
  assert.deepEqual(tools.map(({ failed }) => failed).sort(), [false, true]);
  assert.doesNotMatch(JSON.stringify(spans), /unlucky|very-secret|"sum/, "contents only on request");
  await conversation.close();
});

test("the time of a call begins when the user has approved it; contents on request; failures", async () => {
  const conversation = await open([call(50), { status: 401, body: { error: { message: "no" } } }]);
  let duringApproval;
  const spans = await spansOf(conversation, { capturesContent: true }, async () => {
    await conversation.sendMessage("Pay");
    await conversation.run();
    duringApproval = Date.now();
    await conversation.run().catch(() => {});
  });
  assert.ok(duringApproval);
  const [paid] = spans.filter(({ name }) => name === "execute_tool pay");
  assert.match(paid.attributes["gen_ai.tool.call.arguments"], /50/);
  assert.deepEqual(
    spans.filter(({ name }) => name === "invoke_agent").map(({ failed }) => failed),
    [false, true],
  );
  assert.equal(spans.find(({ failed, name }) => failed && name.startsWith("chat")).attributes["error.type"], "401");
  await conversation.close();
});
