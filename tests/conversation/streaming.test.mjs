// An answer that streams, from the host's `fetch` to the events of the run: all of it, in order, as soon as it is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamEvents } from "../support/model/chat.mjs";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { endOf } from "../support/ended.mjs";

const encoder = new TextEncoder();
const events = (reply) => streamEvents(reply, { body: { model: "m", messages: [] }, index: 0 }).map((event) => encoder.encode(event));
/** One piece of an answer; the event before it names the role. */
const words = (text) => events({ text: [text] })[1];
const theEnd = events({}).slice(1);

/** The source of a stream of these pieces, each of which comes in a turn of its own, or all in one. */
const sourceOf = (body, areTogether = false) => ({
  pieces: [...body],
  async pull(controller) {
    if (!areTogether) await new Promise((resolve) => setImmediate(resolve));
    this.pieces.length > 0 ? controller.enqueue(this.pieces.shift()) : controller.close();
  },
});

/** A conversation whose model answers with what `body` gives: a stream's source, or pieces that come one by one. */
async function asking(body, options = {}) {
  const source = Array.isArray(body) ? sourceOf(body) : body;
  const fetch = async () => new Response(new ReadableStream(source));
  const llm = new LLM({ model: "openai/m", fetch, numRetries: 1, ...options });
  const conversation = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore() });
  await conversation.sendMessage("Go");
  return conversation;
}

const isDelta = ({ kind }) => kind === "StreamingDeltaEvent";

test("what has come of an answer is an event, in its order, and the message is all of them", async () => {
  const texts = Array.from({ length: 1_000 }, (_, at) => ` word${at}`);
  const whole = [...texts.map(words), ...theEnd];
  const bytes = Buffer.concat(whole);
  const inChunks = (size) => Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  const apiKey = "sk-0123456789abcdef";
  for (const [source, most] of [
    [sourceOf(whole), 1_000],
    [sourceOf(inChunks(37)), 1_000],
    // At most 64 chunks are read together.
    [sourceOf(whole, true), Math.ceil(whole.length / 64)],
    [sourceOf(inChunks(1_000)), Math.ceil(bytes.length / 1_000)],
    [sourceOf([bytes]), 1],
  ]) {
    const conversation = await asking(source, { apiKey });
    const heard = [];
    for await (const event of conversation.run()) if (isDelta(event)) heard.push(event.content);
    assert.equal(heard.join(""), texts.join(""));
    assert.ok(heard.length <= most, `${heard.length} events, ${most} at most`);
    if (most === texts.length) assert.deepEqual(heard, texts);
    assert.equal(await conversation.finalResponse(), texts.join(""));
    await conversation.close();
  }
});

/** The calls in these events, as they have grown. */
function written(heard) {
  const calls = [];
  for (const { tool_calls } of heard)
    for (const { index, id, function: called } of tool_calls ?? []) {
      calls[index] ??= { id, name: called.name, arguments: "" };
      calls[index].arguments += called.arguments;
    }
  return calls;
}

test("a call is reported while it is written, and stored as the same call", async () => {
  const script = {
    text: "Two.",
    calls: [
      { name: "look", arguments: { q: "x".repeat(50) } },
      { name: "look", arguments: { n: [1, 2] } },
    ],
  };
  const conversation = await asking(events({ ...script, pieces: 7 }));
  const heard = [];
  const stored = [];
  const run = conversation.run();
  for await (const event of run) {
    if (isDelta(event)) heard.push(event);
    if (event.kind === "ActionEvent") stored.push(event);
    if (stored.length === 2) await conversation.interrupt();
  }
  assert.ok(heard.length > 10);
  assert.deepEqual(
    written(heard),
    stored.map(({ tool_call }) => ({ id: tool_call.id, name: tool_call.name, arguments: tool_call.arguments })),
  );
  assert.ok(heard.every(({ message_id }) => message_id === stored[0].id));
});

test("a secret in the arguments is never shown, however it is spelled and cut", async () => {
  const secret = 'sk-9/é"7z';
  const all = [...secret].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  for (const spelled of [JSON.stringify(secret).slice(1, -1), JSON.stringify(secret).slice(1, -1).replace("/", "\\/"), all]) {
    const args = `{"text":"key ${spelled}!"}`;
    for (let cut = 0; cut <= args.length; cut++) {
      const [head, ...rest] = events({ calls: [{ name: "look", arguments: args, pieces: [args.slice(0, cut), args.slice(cut)] }] });
      const conversation = await asking([head, ...rest]);
      await conversation.updateSecrets({ KEY: secret });
      const heard = [];
      for await (const event of conversation.run()) {
        if (isDelta(event)) heard.push(event);
        if (event.kind === "ActionEvent") await conversation.interrupt();
      }
      const [call] = written(heard);
      assert.equal(call.arguments, '{"text":"key <secret-hidden>!"}', `${spelled} at ${cut}`);
      await conversation.close();
    }
  }
});

test("a delta is reported before the next one arrives", async () => {
  let begun;
  const beginning = new Promise((resolve) => (begun = resolve));
  const conversation = await asking({ start: (given) => begun(given) });
  const events = conversation.run()[Symbol.asyncIterator]();
  const controller = await beginning;
  for (const text of ["one", "two", "three"]) {
    controller.enqueue(words(text));
    let event;
    do event = (await events.next()).value;
    while (!isDelta(event));
    assert.equal(event.content, text);
  }
  for (const piece of theEnd) controller.enqueue(piece);
  while (!(await events.next()).done);
  assert.equal(await conversation.finalResponse(), "onetwothree");
});

test("a stream that breaks off reports its deltas, and is a network error", async () => {
  const pieces = [words("Hel"), words("lo")];
  const conversation = await asking({
    pull: (controller) => (pieces.length > 0 ? controller.enqueue(pieces.shift()) : controller.error(new Error("reset"))),
  });
  const heard = [];
  await assert.rejects(
    async () => {
      for await (const event of conversation.run()) if (isDelta(event)) heard.push(event.content);
    },
    { code: "network", message: /reset/ },
  );
  assert.equal(heard.join(""), "Hello");
  const [, , kept, error] = await conversation.events.slice();
  assert.deepEqual([kept.llm_message.content[0].text, kept.extended_content.length, error.kind], ["Hello", 1, "ConversationErrorEvent"]);
});

test("what was shown of an answer is stored when interrupt() or close() resolves, under the id of its pieces", async () => {
  for (const verb of ["interrupt", "close"]) {
    const conversation = await asking({ start: (controller) => ["Hel", "lo"].forEach((text) => controller.enqueue(words(text))) });
    const stored = [];
    let id;
    let text = "";
    const shown = new Promise((resolve) =>
      conversation.subscribe((event) => {
        if (isDelta(event)) {
          text += event.content;
          resolve((id = event.message_id));
        } else if (event.kind === "MessageEvent") stored.push([event.id, event.llm_message.content[0].text]);
      }),
    );
    const run = conversation.run();
    await shown;
    await conversation[verb]();
    assert.deepEqual([stored, text], [[[id, text]], "Hello"]);
    // What is closed gives no result.
    assert.equal((await run.catch(() => ({ finalResponse: null }))).finalResponse, null);
  }
});

test("an interrupted answer cancels its stream, and no further delta is reported", async () => {
  let cancel;
  const cancelled = new Promise((resolve) => (cancel = resolve));
  let at = 0;
  const conversation = await asking({
    pull: (controller) => (at < 1_000_000 ? controller.enqueue(words(`${at++} `)) : undefined),
    cancel: () => cancel(),
  });
  const run = conversation.run();
  let stopped;
  let after = 0;
  conversation.subscribe((event) => {
    if (!isDelta(event)) return;
    if (stopped === undefined) stopped = conversation.interrupt();
    else after += 1;
  });
  assert.equal((await run).status, "paused");
  await stopped;
  await cancelled;
  const pulled = at;
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([at, after < 1_000], [pulled, true]);
});

test("a stream that stalls in mid-answer is a timeout", async () => {
  const pieces = [words("a"), words("b")];
  const conversation = await asking(
    { pull: (controller) => (pieces.length > 0 ? controller.enqueue(pieces.shift()) : new Promise(() => {})) },
    { timeout: 0.05 },
  );
  const alive = setInterval(() => {}, 1000);
  await assert.rejects(conversation.run(), { code: "llm_timeout" }).finally(() => clearInterval(alive));
});

test("parallel calls of next() get different events, and a slow reader loses none", async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `${at} `);
  const conversation = await asking([...texts.map(words), ...theEnd]);
  const events = conversation.run()[Symbol.asyncIterator]();
  const heard = [];
  for (let isOver = false; !isOver; ) {
    for (const { done, value } of await Promise.all([events.next(), events.next(), events.next()])) {
      isOver ||= done;
      if (value && isDelta(value)) heard.push(value.content);
    }
    if (heard.length % 50 < 3) await new Promise((resolve) => setTimeout(resolve));
  }
  assert.deepEqual(heard, texts);
  assert.deepEqual(await events.next(), { done: true, value: undefined });
});

test("leaving the iteration of a run early does not end the run", async () => {
  const conversation = await asking([...Array(100).fill(words("a")), ...theEnd]);
  const run = conversation.run();
  for await (const event of run) if (isDelta(event)) break;
  assert.deepEqual(endOf(await run), { status: "finished", finalResponse: "a".repeat(100) });
});
