// The fake model itself, over HTTP and in the place of `fetch`: it must notice every bad request, or the tests that rely on
// it prove nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { violationsOf } from "../support/model/script.mjs";

const system = { role: "system", content: "be brief" };
const user = { role: "user", content: [{ type: "text", text: "hi" }] };
const call = (id, name = "add", args = "{}") => ({ id, type: "function", function: { name, arguments: args } });
const calling = (...calls) => ({ role: "assistant", tool_calls: calls });
const answer = (id) => ({ role: "tool", tool_call_id: id, name: "add", content: "3" });
const tool = { type: "function", function: { name: "add", description: "adds", parameters: { type: "object", properties: {} } } };
const request = (messages, rest = {}) => ({ model: "m", messages, ...rest });

test("a request with parallel calls, answered in any order, has no violation", () => {
  const messages = [system, user, calling(call("a"), call("b")), answer("b"), answer("a"), user];
  assert.deepEqual(violationsOf(request(messages, { tools: [tool], stream: true, stream_options: { include_usage: true } })), []);
});

const wrong = [
  ["a call without an answer", request([user, calling(call("a"))]), /no answer to a/],
  ["a user message between call and answer", request([user, calling(call("a")), user, answer("a")]), /before an answer to a/],
  ["a call answered twice", request([user, calling(call("a")), answer("a"), answer("a")]), /not an open call/],
  ["an answer to nothing", request([user, answer("a")]), /not an open call/],
  ["an id used twice", request([user, calling(call("a")), answer("a"), calling(call("a")), answer("a")]), /repeats the id/],
  ["a system message in the middle", request([user, system]), /after the conversation began/],
  ["no user message", request([system]), /no user message/],
  ["an assistant message at the end", request([user, { role: "assistant", content: "x" }]), /the assistant's own/],
  ["an assistant message at the beginning", request([{ role: "assistant", content: "x" }, user]), /before any user message/],
  ["an empty assistant message", request([user, { role: "assistant", content: "" }, user]), /empty content/],
  ["empty text in a part", request([{ role: "user", content: [{ type: "text", text: "" }] }]), /has no text/],
  ["an empty tool result", request([user, calling(call("a")), { ...answer("a"), content: "" }]), /empty content/],
  ["an image that is a blob URL", request([{ role: "user", content: [{ type: "image_url", image_url: { url: "blob:x" } }] }]), /no image/],
  ["arguments as an object", request([user, calling(call("a", "add", {})), answer("a")]), /arguments that are no string/],
  ["a tool name with a dot", request([user], { tools: [{ ...tool, function: { ...tool.function, name: "a.b" } }] }), /bad name/],
  ["a tool twice", request([user], { tools: [tool, tool] }), /repeats the name/],
  ["an empty list of tools", request([user], { tools: [] }), /tools is not a list/],
  ["an empty list of calls", request([user, { role: "assistant", content: "x", tool_calls: [] }, user]), /tool_calls is not a list/],
  ["half of a surrogate pair", request([{ role: "user", content: "\ud83d" }]), /surrogate/],
  ["a parameter of our own", request([user], { conversation: 1 }), /unknown parameter/],
  ["a message of no role", request([user, { content: "x" }]), /has the role/],
  ["no model", { messages: [user] }, /model is missing/],
];
for (const [name, body, expected] of wrong) {
  test(`noticed: ${name}`, () => assert.match(violationsOf(body).join("; "), expected));
}

const post = ({ baseUrl, fetch }, body, options) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });

/** The deltas of a streamed answer put together again. */
async function collect(response) {
  const events = (await response.text())
    .split("\n\n")
    .filter(Boolean)
    .map((event) => event.replace(/^data: /, ""));
  assert.equal(events.pop(), "[DONE]");
  const result = { text: "", reasoning: "", calls: [], order: [] };
  for (const { choices, usage } of events.map((event) => JSON.parse(event))) {
    if (usage) result.usage = usage;
    const delta = choices[0]?.delta ?? {};
    result.text += delta.content ?? "";
    result.reasoning += delta.reasoning_content ?? "";
    result.finish = choices[0]?.finish_reason ?? result.finish;
    for (const { index, function: part } of delta.tool_calls ?? []) {
      result.calls[index] ??= { name: part.name, arguments: "" };
      result.calls[index].arguments += part.arguments;
      result.order.push(index);
    }
  }
  return result;
}

/** Tests a model over both transports. */
function testModel(name, script, body) {
  test(`${name}, over HTTP`, async () => {
    const model = createModel(structuredClone(script));
    const { baseUrl, close } = await model.listen();
    try {
      await body({ baseUrl, fetch }, model);
    } finally {
      await close();
    }
  });
  test(`${name}, in the place of fetch`, () => {
    const model = createModel(structuredClone(script));
    return body({ baseUrl: "http://model.test/v1", fetch: model.fetch }, model);
  });
}

testModel(
  "a stream cut at every third byte has the text of the script, parallel calls in turns",
  [
    {
      reasoning: "hm 🤔",
      text: "größer 🎉 als erwartet",
      calls: [
        { name: "add", arguments: { a: 1, b: "zwölf" } },
        { name: "add", arguments: '{"broken"' },
      ],
      cut: 3,
      pieces: 4,
    },
  ],
  async (server, model) => {
    const result = await collect(await post(server, request([user], { stream: true, stream_options: { include_usage: true } })));
    assert.equal(result.text, "größer 🎉 als erwartet");
    assert.equal(result.reasoning, "hm 🤔");
    assert.deepEqual(result.calls, [
      { name: "add", arguments: '{"a":1,"b":"zwölf"}' },
      { name: "add", arguments: '{"broken"' },
    ]);
    assert.deepEqual(result.order.slice(0, 4), [0, 1, 0, 1]);
    assert.equal(result.finish, "tool_calls");
    assert.ok(result.usage.total_tokens > 0);
    model.check();
  },
);

testModel(
  "an error has its status and headers, and a request that asked for no stream gets one object",
  [{ status: 429, headers: { "retry-after": "2" } }, { text: "later" }],
  async (server, model) => {
    const refused = await post(server, request([user]));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "2");
    const { choices } = await (await post(server, request([user]))).json();
    assert.equal(choices[0].message.content, "later");
    model.check();
  },
);

testModel(
  "a connection that breaks fails the reader, and the model sees that one that stalls was left",
  [
    { text: "a long text", pieces: 1, breakAfter: 3 },
    { text: "never", stallAfter: 1 },
  ],
  async (server, model) => {
    await assert.rejects((await post(server, request([user], { stream: true }))).text());
    const leaving = new AbortController();
    const stalled = await post(server, request([user], { stream: true }), { signal: leaving.signal });
    const reader = stalled.body.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /assistant/);
    leaving.abort();
    await assert.rejects(reader.read(), { name: "AbortError" });
    await model.left(2);
    model.check();
  },
);

testModel(
  "the rest of a background response is given to whoever asks for it",
  [{ text: "Hello", pieces: 1, connections: [{ endAfter: 5 }, { endAfter: 2 }, {}] }],
  async ({ baseUrl, fetch }, model) => {
    const ask = {
      model: "m",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
      background: true,
      store: true,
      stream: true,
    };
    const numbers = async (response) =>
      [...(await response.text()).matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
    const headers = { "content-type": "application/json" };
    assert.deepEqual(
      await numbers(await fetch(`${baseUrl}/responses`, { method: "POST", headers, body: JSON.stringify(ask) })),
      [0, 1, 2, 3, 4],
    );
    assert.deepEqual(await numbers(await fetch(`${baseUrl}/responses/resp_1?stream=true&starting_after=4`)), [5, 6]);
    assert.deepEqual((await numbers(await fetch(`${baseUrl}/responses/resp_1?stream=true&starting_after=6`)))[0], 7);
    model.check();
  },
);

testModel(
  "a bad request is refused, and check() throws; so it does for a script that was not played to its end",
  [{ text: "x" }, { text: "y" }],
  async (server, model) => {
    assert.equal((await post(server, request([system]))).status, 400);
    assert.throws(() => model.check(), /request 1: no user message\n- only 0 of 2 replies/);
  },
);
