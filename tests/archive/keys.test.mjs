// A key that the host gives is nowhere but in the request: not in the store, an export, an event, an error, a log.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";
import { createScriptedModel } from "../../scripts/scripted-model.mjs";

const keys = { apiKey: "sk-planted-Zm9vYmFy+/=é", header: "planted-header-\"quoted\\value" };
const seen = [];
let server;
let refuses = false;

before(async () => {
  const answer = createScriptedModel({ delay: 0 });
  server = http.createServer((request, response) => {
    seen.push(request.headers);
    if (!refuses) return answer(request, response, new URL(request.url, "http://model").pathname);
    // A server that says the key again, in several spellings.
    const words = `no such key: ${keys.apiKey}, ${encodeURIComponent(keys.apiKey)}, ${request.headers.authorization}, ${keys.header}`;
    response.writeHead(401, { "content-type": "application/json" }).end(JSON.stringify({ error: { message: words } }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});
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
    model: "openai/scripted-model", baseUrl: `http://127.0.0.1:${server.address().port}/v1`, apiKey, numRetries: 1,
    headers: { "x-relay-key": keys.header },
  });
  const clock = tool({ name: "get_time", description: "The time.", parameters: { type: "object" }, execute: () => "noon" });
  const store = memoryStore();
  const told = [];
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [clock] }), store });
  conversation.subscribe((event) => told.push(JSON.stringify(event)));
  await conversation.sendMessage("What time is it?");
  await conversation.run();
  assert.ok(seen[0].authorization.startsWith("Bearer sk-planted"), "it was sent");

  refuses = true;
  await conversation.sendMessage("And now?");
  const error = await conversation.run().then(() => assert.fail("it was refused"), (error) => error);
  assert.equal(error.code, "llm_auth");
  const zip = Buffer.from(await (await conversation.exportZip()).arrayBuffer());
  const places = {
    "an event that was told": told,
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
  assert.ok(places["the archive"].some((text) => text.includes('"api_key":"**********"')), "the archive was read");
});

/** The contents of a zip of our own, whose sizes stand in its central directory. */
function entriesOf(zip) {
  const texts = [];
  for (let at = zip.indexOf("PK\x01\x02", 0, "latin1"); at >= 0 && at < zip.length - 22; ) {
    const [method, packed, name, extra, comment, local] = [
      zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32), zip.readUInt32LE(at + 42),
    ];
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + packed);
    texts.push((method === 8 ? inflateRawSync(bytes) : bytes).toString("utf8"));
    at += 46 + name + extra + comment;
    if (zip.readUInt32LE(at) !== 0x02014b50) break;
  }
  return texts;
}
