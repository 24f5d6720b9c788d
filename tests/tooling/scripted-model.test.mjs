// The scripted model over real HTTP: what a client that follows OpenAI's format sees.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { createScriptedModel } from "../../scripts/scripted-model.mjs";
import { root } from "../../scripts/process.mjs";
import { listen } from "../support/listen.mjs";

let server;
let base;
before(async () => {
  server = await listen(createScriptedModel({ delay: 0 }));
  base = `${server.origin}/v1`;
});
after(() => server.close());

const tool = (name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { summary: { type: "string" } } } },
});
const TOOLS = ["get_time", "roll_dice", "remember", "recall", "calculate", "slow_count", "send_payment", "call_api"].map(tool);
const user = (content) => ({ role: "user", content });

const post = (body) =>
  fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "scripted-model", tools: TOOLS, ...body }),
  });
const message = async (...messages) => (await (await post({ messages })).json()).choices[0].message;
const calls = async (text) =>
  ((await message(user(text))).tool_calls ?? []).map((call) => {
    const { summary, ...args } = JSON.parse(call.function.arguments);
    assert.equal(typeof summary, "string");
    return [call.function.name, args];
  });

test("the model list holds the scripted model", async () => {
  const { data } = await (await fetch(`${base}/models`)).json();
  assert.deepEqual(
    data.map(({ id }) => id),
    ["scripted-model"],
  );
});

test("the API behind a token answers with the caller, and 401 without a token", async () => {
  const ask = async (headers) => {
    const response = await fetch(`${base}/whoami`, { headers });
    return [response.status, (await response.json()).token];
  };
  assert.deepEqual(await ask({ authorization: "Bearer abc-1" }), [200, "abc-1"]);
  assert.deepEqual(await ask({}), [401, undefined]);
});

test("keywords pick tools with arguments, in the order of the sentence", async () => {
  const table = {
    "Roll three dice and tell me the time": [
      ["roll_dice", { count: 3, sides: 6 }],
      ["get_time", {}],
    ],
    "what time is it? and roll 2d20": [
      ["get_time", {}],
      ["roll_dice", { count: 2, sides: 20 }],
    ],
    "throw a die": [["roll_dice", { count: 1, sides: 6 }]],
    "roll a twenty-sided die": [["roll_dice", { count: 1, sides: 20 }]],
    "What is (12 + 30) * 2?": [["calculate", { expression: "(12 + 30) * 2" }]],
    "6*7": [["calculate", { expression: "6*7" }]],
    "Remember that I meet Ann at dinner time.": [["remember", { text: "I meet Ann at dinner time" }]],
    "What do you know about my bike?": [["recall", { query: "bike" }]],
    "do you remember anything?": [["recall", {}]],
    "Count slowly to 20": [["slow_count", { to: 20 }]],
    "Pay Ann 20 euros and roll two dice": [
      ["send_payment", { to: "Ann", amount: 20 }],
      ["roll_dice", { count: 2, sides: 6 }],
    ],
    "Call the API": [["call_api", { path: "/v1/whoami" }]],
  };
  for (const [text, expected] of Object.entries(table)) assert.deepEqual(await calls(text), expected, text);
});

test("a stream interleaves parallel calls, carries reasoning, and ends with usage", async () => {
  const response = await post({
    messages: [user("roll 2 dice, look at the time and work out 6 * 7")],
    stream: true,
    stream_options: { include_usage: true },
  });
  const body = await response.text();
  const frames = body
    .trim()
    .split("\n\n")
    .map((frame) => frame.replace(/^data: /, ""));
  assert.equal(frames.pop(), "[DONE]");
  const chunks = frames.map((frame) => JSON.parse(frame));
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));

  assert.match(deltas.map(({ reasoning_content = "" }) => reasoning_content).join(""), /all of them at once/);
  const pieces = deltas.flatMap(({ tool_calls = [] }) => tool_calls);
  const order = pieces.map(({ index }) => index);
  assert.ok(order.indexOf(1) < order.lastIndexOf(0), "the second call starts before the first one ends");
  const joined = [0, 1, 2].map((index) =>
    JSON.parse(
      pieces
        .filter((piece) => piece.index === index)
        .map((piece) => piece.function.arguments)
        .join(""),
    ),
  );
  assert.deepEqual(
    joined.map(({ summary, ...args }) => args),
    [{ count: 2, sides: 6 }, {}, { expression: "6 * 7" }],
  );
  assert.ok(chunks.at(-1).usage.total_tokens > 0);
  assert.deepEqual(chunks.at(-1).choices, []);
});

test("after the results it quotes them, and a step after “then” comes second", async () => {
  const turn = [user("Roll a d20, then count to 3")];
  const first = await message(...turn);
  assert.deepEqual(
    first.tool_calls.map((call) => call.function.name),
    ["roll_dice"],
  );
  turn.push(first, { role: "tool", tool_call_id: first.tool_calls[0].id, content: "17" });
  const second = await message(...turn);
  assert.deepEqual(
    second.tool_calls.map((call) => call.function.name),
    ["slow_count"],
  );
  assert.notEqual(second.tool_calls[0].id, first.tool_calls[0].id);
  turn.push(second, { role: "tool", tool_call_id: second.tool_calls[0].id, content: [{ type: "text", text: "1 2 3" }] });
  const third = await message(...turn);
  assert.equal(third.tool_calls, undefined);
  assert.match(third.content, /`roll_dice`: 17\n[\s\S]*`slow_count`: 1 2 3\n[\s\S]*scripted answer/);
});

test("every text answer is labelled as scripted", async () => {
  for (const text of ["hello", "qwertz", "show me markdown", "a long answer", "something unsafe", "a slow answer"]) {
    assert.match((await message(user(text))).content, /scripted answer: fixed rules, no AI/, text);
  }
});

test("the same request gets the same calls, and a text in another wording", async () => {
  const tools = { messages: [user("roll 2 dice and tell me the time")] };
  const [first, second] = [await (await post(tools)).json(), await (await post(tools)).json()];
  assert.deepEqual(first.choices[0].message.tool_calls, second.choices[0].message.tool_calls);
  assert.notEqual(first.id, second.id, "it is another answer");
  const text = async () => (await message(user("a question of this test"))).content;
  const answer = await text();
  assert.match(await text(), /scripted answer: fixed rules, no AI\. Wording 2\.\*$/);
  assert.match(await text(), /Wording 3\.\*$/);
  assert.doesNotMatch(answer, /Wording/);
});

test("the library's requests beside a run get a title, and an answer about the conversation", async () => {
  const title = (text) =>
    message(
      { role: "system", content: "You name conversations between a person and an assistant." },
      user(`Write a title.\n\nThe message:\n\n${text}`),
    );
  assert.equal((await title("Roll three dice, tell me the time and work out 12 × 34")).content, "🎲 Roll three dice, tell me the");
  assert.equal((await title("qwertz?")).content, "💬 qwertz");
  const aside =
    "[A question in between, outside the task]\n\nWhat was this about?\n\nAnswer from what you know of this conversation so far.";
  assert.match(
    (await message(user("hello"), { role: "assistant", content: "Hello." }, user(aside))).content,
    /“What was this about\?” beside.*1 message of yours in it, the last of them “hello”/,
  );
});

test("the scripted model fails as asked: with a status, once, or in the middle of a stream", async () => {
  assert.equal((await post({ messages: [user("fail")] })).status, 400);
  assert.equal((await post({ messages: [user("fail 429")] })).status, 429);
  const once = { messages: [user("fail once")] };
  const refused = await post(once);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.equal((await post(once)).status, 200);
  const cut = await post({ messages: [user("fail halfway")], stream: true });
  await assert.rejects(cut.text());
});

test("a request that the scripted model cannot serve gets an OpenAI error with a reason", async () => {
  const wrongModel = await post({ model: "gpt-9", messages: [user("hi")] });
  assert.equal(wrongModel.status, 404);
  assert.match((await wrongModel.json()).error.message, /no model "gpt-9"/);
  assert.equal((await post({ messages: "no list" })).status, 400);
  assert.equal((await fetch(`${base}/nothing`)).status, 404);
  const notJson = await fetch(`${base}/chat/completions`, { method: "POST", body: "{" });
  assert.equal(notJson.status, 400);
});

test("a tool the page did not offer is named instead of called", async () => {
  const response = await post({ messages: [user("roll a die")], tools: [] });
  assert.match((await response.json()).choices[0].message.content, /roll_dice/);
});

test("an answer that was cut off is continued where it ends, also twice, unless the user says something else", async () => {
  const asked = user("A long answer of 2 paragraphs");
  const { content } = await message(asked);
  const said = (from, to) => ({ role: "assistant", content: content.slice(from, to) });
  const mark = user("[This answer was stopped here.]");
  const plain = (text) => text.replace(/ Wording \d+\./, "");
  const goOn = user(`${mark.content}\n${readFileSync(path.join(root, "src/context/prompts/go_on.md"), "utf8")}`);
  assert.equal(plain((await message(asked, said(0, 50), goOn)).content), content.slice(50));
  assert.equal(plain((await message(asked, said(0, 50), mark)).content), content.slice(50));
  assert.equal(plain((await message(asked, said(0, 50), mark, said(50, 90), mark)).content), content.slice(90));
  const other = user("[This answer was stopped here.]\n\nWhat is 6 * 7?");
  assert.deepEqual(
    (await message(asked, said(0, 50), other)).tool_calls.map((call) => call.function.name),
    ["calculate"],
  );
});
