// The scripted model itself: it must notice every bad request, or the tests that lean on it prove nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createModel } from "./model.mjs";
import { violationsOf } from "./model-checks.mjs";

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

const post = (baseUrl, body) =>
  fetch(`${baseUrl}/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** The deltas of a streamed answer put together again. */
async function collect(response) {
  const events = (await response.text()).split("\n\n").filter(Boolean).map((event) => event.replace(/^data: /, ""));
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

async function withModel(script, body) {
  const model = createModel(script);
  const server = await model.listen();
  try {
    await body(server, model);
  } finally {
    await server.close();
  }
}

test("a stream cut at every third byte says what the script says, parallel calls in turns", () =>
  withModel(
    [{ reasoning: "hm 🤔", text: "größer 🎉 als erwartet", calls: [{ name: "add", arguments: { a: 1, b: "zwölf" } }, { name: "add", arguments: '{"broken"' }], cut: 3, pieces: 4 }],
    async ({ baseUrl }, model) => {
      const result = await collect(await post(baseUrl, request([user], { stream: true, stream_options: { include_usage: true } })));
      assert.equal(result.text, "größer 🎉 als erwartet");
      assert.equal(result.reasoning, "hm 🤔");
      assert.deepEqual(result.calls, [{ name: "add", arguments: '{"a":1,"b":"zwölf"}' }, { name: "add", arguments: '{"broken"' }]);
      assert.deepEqual(result.order.slice(0, 4), [0, 1, 0, 1]);
      assert.equal(result.finish, "tool_calls");
      assert.ok(result.usage.total_tokens > 0);
      model.check();
    },
  ));

test("an error has its status and headers, and a request that asked for no stream gets one object", () =>
  withModel([{ status: 429, headers: { "retry-after": "2" } }, { text: "later" }], async ({ baseUrl }, model) => {
    const refused = await post(baseUrl, request([user]));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "2");
    const { choices } = await (await post(baseUrl, request([user]))).json();
    assert.equal(choices[0].message.content, "later");
    model.check();
  }));

test("a connection that breaks fails the reader, one that stalls is seen to be left by it", () =>
  withModel([{ text: "a long text", pieces: 1, breakAfter: 3 }, { text: "never", stallAfter: 1 }], async ({ baseUrl }, model) => {
    await assert.rejects((await post(baseUrl, request([user], { stream: true }))).text());
    const leaving = new AbortController();
    const stalled = await fetch(`${baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request([user], { stream: true })),
      signal: leaving.signal,
    });
    const reader = stalled.body.getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /assistant/);
    leaving.abort();
    await assert.rejects(reader.read(), { name: "AbortError" });
    await model.left(2);
    model.check();
  }));

test("a bad request is refused, and check() says so; so does a script that was not played to its end", () =>
  withModel([{ text: "x" }, { text: "y" }], async ({ baseUrl }, model) => {
    assert.equal((await post(baseUrl, request([system]))).status, 400);
    assert.throws(() => model.check(), /request 1: no user message\n- only 0 of 2 replies/);
  }));
