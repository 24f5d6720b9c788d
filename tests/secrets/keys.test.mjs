// The key of a model is hidden like a secret, wherever it came from and wherever the server repeats it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { entries } from "./planting.mjs";

const key = "sk-live/51H+abc def~0123";
const other = "sk-other-9f86d081884c";
const spellings = (key) => [
  key,
  JSON.stringify(key).slice(1, -1),
  encodeURIComponent(key),
  encodeURIComponent(key).replace(/%../g, (escape) => escape.toLowerCase()),
  btoa(key),
  new URLSearchParams({ key }).toString().slice(4),
];

/** A model that repeats a key in every place of an answer, and then fails with the same text. */
function echo(key) {
  const text = spellings(key).join(" ");
  const talks = { text, reasoning: text, pieces: 1 };
  const refusal = { status: 400, body: { error: { message: `no such key: ${text}` } } };
  const call = { name: "look", arguments: { at: text, [key]: 1 } };
  return createModel((_, index) => [{ ...talks, calls: [call] }, talks][index] ?? refusal).fetch;
}

async function saidIn(key, llm, options = {}, before = async () => {}) {
  const result = [];
  const look = tool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object" },
    execute: (args) => (result.push(JSON.stringify(args)), args),
  });
  const fetch = echo(key);
  const agent = new Agent({
    llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", numRetries: 1, fetch, ...llm(fetch) }),
    tools: [look],
  });
  let streamed = "";
  const conversation = await Conversation.open({
    agent,
    store: memoryStore(),
    ...options,
    callbacks: [(event) => result.push(JSON.stringify(event))],
    tokenCallbacks: [(live) => (streamed += live.content ?? "")],
  });
  await before(conversation, fetch);
  await conversation.sendMessage("Go.");
  result.push((await conversation.run()).finalResponse, streamed);
  await conversation.sendMessage("Again.");
  const error = await conversation.run().then(
    () => assert.fail("the server refuses"),
    (error) => error,
  );
  result.push(error.message, ...(await entries(new Uint8Array(await (await conversation.exportZip()).arrayBuffer()))));
  await conversation.close();
  assert.ok(result.join("").includes("<secret-hidden>"));
  return spellings(key).filter((spelling) =>
    result.some((text) => text.includes(spelling) || text.includes(JSON.stringify(spelling).slice(1, -1))),
  );
}

const model = { model: "openai/other", baseUrl: "https://model.invalid", numRetries: 1 };
const ways = {
  "a key": [key, () => ({ apiKey: key })],
  "a function that gives it": [key, () => ({ apiKey: async () => key })],
  "a header": [other, () => ({ headers: { "X-Api-Key": other, Authorization: `Bearer ${other}` } })],
  "a key of a model that answers in its place": [
    other,
    (fetch) => ({ apiKey: key, fallbacks: [new LLM({ ...model, apiKey: other, fetch })] }),
  ],
  "a key under a passphrase": [key, () => ({ apiKey: key }), { cipher: "a long passphrase" }],
  "a key of a model that was switched to": [
    other,
    () => ({ apiKey: "short" }),
    {},
    (conversation, fetch) => conversation.switchLLM(new LLM({ ...model, apiKey: other, fetch })),
  ],
};
for (const [way, [result, ...rest]] of Object.entries(ways)) {
  test(`${way} is hidden when the server repeats it`, async () => assert.deepEqual(await saidIn(result, ...rest), []));
}

test("a key that was read from storage with a passphrase is hidden", async () => {
  const store = memoryStore();
  const open = async (fetch, apiKey) =>
    Conversation.open({
      agent: new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", numRetries: 1, fetch, apiKey }) }),
      store,
      cipher: "a long passphrase",
      conversationId: "5ec4e700-0000-4000-8000-0000000000aa",
    });
  const first = await open(echo(other), other);
  await first.setTags({ kept: "yes" });
  await first.close();
  const again = await open(createModel([{ text: `Your key: ${other}` }]).fetch);
  await again.sendMessage("Go.");
  assert.equal((await again.run()).finalResponse, "Your key: <secret-hidden>");
  await again.close();
});
