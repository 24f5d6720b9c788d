// A key that the host gives is nowhere but in the request: not in the store, an export, an event, an error, a log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const keys = { apiKey: "sk-planted-Zm9vYmFy+/=é", header: 'planted-header-"quoted\\value' };
let refuses = false;
const model = createModel(({ messages }) => {
  // A server that repeats the key, in several spellings.
  const text = `no such key: ${keys.apiKey}, ${encodeURIComponent(keys.apiKey)}, ${model.requests.at(-1).headers.authorization}, ${keys.header}`;
  if (refuses) return { status: 401, body: { error: { message: text } } };
  return messages.at(-1).role === "tool" ? { text: "It is noon." } : { calls: [{ name: "get_time" }] };
});
let server;
before(async () => (server = await model.listen()));
after(() => server.close());

test("keys and headers are sent, and found nowhere else", async () => {
  const written = [];
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const original = console[level];
    console[level] = (...words) => written.push(words.map(String).join(" "));
    after(() => (console[level] = original));
  }
  // A header carries bytes up to U+00FF.
  const apiKey = keys.apiKey;
  const llm = new LLM({
    model: "openai/scripted",
    baseUrl: server.baseUrl,
    apiKey,
    numRetries: 1,
    headers: { "x-relay-key": keys.header },
  });
  const clock = tool({ name: "get_time", description: "The time.", parameters: { type: "object" }, execute: () => "noon" });
  const store = memoryStore();
  const reported = [];
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [clock] }), store });
  conversation.subscribe((event) => reported.push(JSON.stringify(event)));
  await conversation.sendMessage("What time is it?");
  await conversation.run();
  assert.ok(model.requests[0].headers.authorization.startsWith("Bearer sk-planted"), "it was sent");

  refuses = true;
  await conversation.sendMessage("And now?");
  const error = await conversation.run().then(
    () => assert.fail("it was refused"),
    (error) => error,
  );
  assert.equal(error.code, "llm_auth");
  const zip = Buffer.from(await (await conversation.exportZip()).arrayBuffer());
  const places = {
    "an event that was told": reported,
    "the log": (await store.events(conversation.id, 0, 1000)).map(({ json }) => json),
    "the base state": [(await store.load(conversation.id)).baseState],
    "the error": [`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause ?? ""}`],
    "the model as JSON": [JSON.stringify(llm)],
    "the console": written,
    "the archive": entriesOf(zip),
  };
  for (const [place, texts] of Object.entries(places)) {
    for (const text of texts) {
      assert.doesNotMatch(text, /sk-planted|planted-header|Zm9vYmFy/, place);
    }
  }
  assert.ok(
    places["the archive"].some((text) => text.includes('"api_key":"**********"')),
    "the archive was read",
  );
});

/** The contents of a zip of our own, whose sizes stand in its central directory. */
function entriesOf(zip) {
  const texts = [];
  for (let at = zip.indexOf("PK\x01\x02", 0, "latin1"); at >= 0 && at < zip.length - 22; ) {
    const [method, packed, name, extra, comment, local] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
      zip.readUInt32LE(at + 42),
    ];
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + packed);
    texts.push((method === 8 ? inflateRawSync(bytes) : bytes).toString("utf8"));
    at += 46 + name + extra + comment;
    if (zip.readUInt32LE(at) !== 0x02014b50) break;
  }
  return texts;
}
