// How secrets and the model's key are stored, with a passphrase and without, and read again.
import assert from "node:assert/strict";
import { createDecipheriv, createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../dist/index.js";

const passphrase = "correct horse battery staple";
const secrets = { TOKEN: "planted-value-1", OTHER: 'päßwörd\n"2"' };

/** The text of a token, read by another implementation of the specification. */
function opened(token, under = passphrase) {
  const bytes = Buffer.from(token, "base64url");
  const key = createHash("sha256").update(under).digest();
  const mac = createHmac("sha256", key.subarray(0, 16)).update(bytes.subarray(0, -32)).digest();
  if (!mac.equals(bytes.subarray(-32))) return null;
  const decipher = createDecipheriv("aes-128-cbc", key.subarray(16), bytes.subarray(9, 25));
  return Buffer.concat([decipher.update(bytes.subarray(25, -32)), decipher.final()]).toString("utf8");
}

/** A conversation whose model calls `ask` once for every name in `asks`, and what the tool was given. */
function world() {
  const store = memoryStore();
  const seen = [];
  const keys = [];
  let asks = [];
  const ask = tool({
    name: "ask",
    description: "Asks for a secret.",
    parameters: { type: "object" },
    execute: async ({ name }, { secret }) => (seen.push(await secret(name).catch((error) => `${error.code}: ${error.message}`)), "asked"),
  });
  const model = createModel(({ messages }) =>
    messages.at(-1).role === "tool" ? { text: "Done." } : { calls: asks.map((name) => ({ name: "ask", arguments: { name } })) },
  );
  const fetch = (url, options) => (keys.push(new Headers(options.headers).get("authorization")), model.fetch(url, options));
  const modelOf = (options) =>
    new LLM({ model: "openai/m", baseUrl: "https://model.invalid", fetch, stream: false, numRetries: 1, ...options });
  const open = ({ llm, ...options } = {}) =>
    Conversation.open({ agent: new Agent({ llm: modelOf(llm), tools: [ask] }), store, ...options });
  const run = async (conversation, ...names) => {
    asks = names;
    seen.length = 0;
    await conversation.sendMessage("Ask.");
    await conversation.run();
    return [...seen];
  };
  return { store, open, run, keys, modelOf };
}

const sources = (conversation) => conversation.state.secret_registry.secret_sources;
const codes = (conversation) => conversation.warnings.map(({ code }) => code);

test("without a passphrase values are redacted, and have to be given again", async () => {
  const { open, run, store } = world();
  const first = await open({ secrets: { ...secrets, ASKED: () => "asked-value" } });
  assert.deepEqual(sources(first), {
    TOKEN: { value: "**********", kind: "StaticSecret" },
    OTHER: { value: "**********", kind: "StaticSecret" },
    ASKED: { kind: "StaticSecret" },
  });
  assert.deepEqual(codes(first), []);
  assert.deepEqual(await run(first, "TOKEN", "OTHER", "ASKED", "NONE"), [secrets.TOKEN, secrets.OTHER, "asked-value", null]);
  await first.close();

  const second = await open({ conversationId: first.id });
  const { code, message } = second.warnings.at(-1);
  assert.equal(code, "secrets_unavailable");
  assert.match(message, /TOKEN, OTHER, ASKED; give them again$/);
  assert.deepEqual(await run(second, "TOKEN"), [null]);
  await second.updateSecrets({ TOKEN: "another-value", ASKED: null });
  assert.deepEqual(Object.keys(sources(second)), ["TOKEN", "OTHER"]);
  assert.deepEqual(await run(second, "TOKEN", "ASKED"), ["another-value", null]);
  await second.close();
  assert.doesNotMatch((await store.load(first.id)).baseState, /planted|another-value|asked-value/);
});

test("with a passphrase values and the key are stored as tokens, and read again", async () => {
  const { open, run, keys } = world();
  const first = await open({ secrets, cipher: passphrase, llm: { apiKey: "sk-planted" } });
  const stored = sources(first);
  assert.deepEqual(Object.fromEntries(Object.entries(stored).map(([name, { value }]) => [name, opened(value)])), secrets);
  assert.equal(opened(first.state.agent.llm.api_key), "sk-planted");
  await first.setTags({ kept: "yes" });
  await first.close();

  const second = await open({ conversationId: first.id, cipher: passphrase });
  assert.deepEqual(codes(second), []);
  assert.deepEqual(await run(second, "TOKEN", "OTHER"), Object.values(secrets));
  assert.deepEqual(new Set(keys), new Set(["Bearer sk-planted"]));
  const { api_key } = second.state.agent.llm;
  await second.close();

  // The same values keep their tokens.
  const third = await open({ conversationId: first.id, cipher: passphrase, secrets, llm: { apiKey: "sk-planted" } });
  await run(third, "TOKEN");
  assert.deepEqual([sources(third), third.state.agent.llm.api_key], [stored, api_key]);
  await third.updateSecrets({ TOKEN: "replaced-value" });
  assert.equal(opened(sources(third).TOKEN.value), "replaced-value");
  assert.equal(sources(third).OTHER.value, stored.OTHER.value);
  await third.close();
});

test("a wrong passphrase is refused, and changes nothing", async () => {
  const { open, store, run } = world();
  const first = await open({ secrets, cipher: passphrase, llm: { apiKey: "sk-planted" } });
  await first.setTags({ kept: "yes" });
  await first.close();
  const before = await store.load(first.id);
  await assert.rejects(
    open({ conversationId: first.id, cipher: "wrong", secrets: { TOKEN: "x-new-value" }, llm: { apiKey: "sk-new" } }),
    (error) => {
      assert.equal(error.code, "invalid_options");
      assert.match(error.message, /passphrase/);
      return true;
    },
  );
  assert.deepEqual(await store.load(first.id), before);
  // The lock was let go.
  const again = await open({ conversationId: first.id, cipher: passphrase });
  assert.equal(again.access, "writer");
  assert.deepEqual(await run(again, "TOKEN"), [secrets.TOKEN]);
  await again.close();
});

test("without the passphrase encrypted values stay unchanged by every verb", async () => {
  const { open, run, keys } = world();
  const first = await open({ secrets, cipher: passphrase, llm: { apiKey: "sk-planted" } });
  const [stored, { api_key }] = [sources(first), first.state.agent.llm];
  await first.setTags({ kept: "yes" });
  await first.close();

  const locked = await open({ conversationId: first.id });
  assert.match(
    locked.warnings.at(-1).message,
    /TOKEN, OTHER, the model's key; open the conversation with its passphrase \(cipher\), or give them again$/,
  );
  await locked.close();
  const second = await open({ conversationId: first.id, llm: { apiKey: "" } });
  await second.updateSecrets({ TOKEN: "only-in-memory" });
  assert.deepEqual(await run(second, "TOKEN", "OTHER"), ["only-in-memory", null]);
  await second.setTags({ title: "kept" });
  await second.close();
  const third = await open({ conversationId: first.id, llm: { apiKey: "sk-mine" } });
  await run(third, "TOKEN");
  assert.deepEqual(keys.slice(-1), ["Bearer sk-mine"]);
  assert.deepEqual([sources(third), third.state.agent.llm.api_key], [stored, api_key]);
  await third.close();
});

test("a key that cannot be decrypted stops the request", async () => {
  const { open, run, keys, modelOf } = world();
  const first = await open({ cipher: passphrase, llm: { apiKey: "sk-planted" } });
  const { api_key } = first.state.agent.llm;
  await first.setTags({ kept: "yes" });
  await first.close();

  const locked = await open({ conversationId: first.id });
  await assert.rejects(run(locked), (error) => {
    assert.deepEqual([error.code, error.retryable], ["key_locked", false]);
    assert.match(error.message, /encrypted and cannot be read; open the conversation with its passphrase \(cipher\), or give the key/);
    return true;
  });
  assert.deepEqual(keys, []);
  assert.equal(locked.executionStatus, "error");
  assert.deepEqual((await locked.events.at(-1)).code, "LLMAuthenticationError");
  // Another server needs another key, or none; and the first one is locked again when it is back.
  await locked.switchLLM(modelOf({ model: "other/m" }));
  await locked.run();
  await locked.switchLLM(modelOf());
  await assert.rejects(run(locked), { code: "key_locked" });
  await locked.switchLLM(modelOf({ apiKey: "sk-mine" }));
  await locked.run();
  assert.deepEqual([...new Set(keys.splice(0))], [null, "Bearer sk-mine"]);
  assert.equal(locked.state.agent.llm.api_key, api_key);
  await locked.close();

  const unlocked = await open({ conversationId: first.id, cipher: passphrase });
  await run(unlocked);
  // To use no key, a host gives an empty one.
  await unlocked.close();
  const without = await open({ conversationId: first.id, llm: { apiKey: "" } });
  await run(without);
  assert.deepEqual([...new Set(keys)], ["Bearer sk-planted", null]);
});

test("a stored key is sent to no other server", async () => {
  for (const llm of [{ baseUrl: "https://elsewhere.invalid" }, { model: "other/m" }]) {
    const { open, run, keys } = world();
    const first = await open({ cipher: passphrase, llm: { apiKey: "sk-planted" } });
    await first.close();
    for (let times = 0; times < 2; times += 1) {
      const next = await open({ conversationId: first.id, cipher: passphrase, llm });
      await run(next, "TOKEN");
      await next.close();
    }
    assert.deepEqual(new Set(keys), new Set([null]));
  }
});

test("a stored key is not sent to another server after a switch of models, and is used again after the switch back", async () => {
  const { open, run, keys, modelOf } = world();
  const first = await open({ cipher: passphrase, llm: { apiKey: "sk-planted" } });
  await first.close();
  const conversation = await open({ conversationId: first.id, cipher: passphrase });
  await conversation.switchLLM(modelOf({ model: "other/m" }));
  await run(conversation, "TOKEN");
  await conversation.switchLLM(modelOf({ model: "other/m", apiKey: "sk-other" }));
  await run(conversation, "TOKEN");
  const { model, api_key } = conversation.state.agent.llm;
  assert.deepEqual([model, opened(api_key)], ["other/m", "sk-other"]);
  await conversation.switchLLM(modelOf());
  await run(conversation, "TOKEN");
  await conversation.switchLLM(modelOf({ model: "other/n" }));
  await run(conversation, "TOKEN");
  await conversation.close();
  assert.deepEqual(
    keys.filter((_, at) => at % 2 === 0),
    [null, "Bearer sk-other", null, "Bearer sk-other"],
  );
});

test("the key of a model that was switched to is sent, and not stored without a passphrase", async () => {
  const { open, run, keys, modelOf, store } = world();
  const conversation = await open({ llm: { apiKey: "sk-first" } });
  await conversation.switchLLM(modelOf({ model: "openai/n", apiKey: "sk-second" }));
  await run(conversation, "TOKEN");
  await conversation.close();
  assert.deepEqual(new Set(keys), new Set(["Bearer sk-second"]));
  const { baseState } = await store.load(conversation.id);
  assert.ok(!/sk-(first|second)/.test(baseState));
  await assert.rejects(conversation.switchLLM(modelOf()), { code: "invalid_state" });
  await assert.rejects(conversation.switchLLM({ model: "m" }), { code: "invalid_options" });
});

test("one token that was tampered with is not mistaken for a wrong passphrase", async () => {
  const { open, store, run } = world();
  const first = await open({ secrets, cipher: passphrase });
  await first.setTags({ kept: "yes" });
  await first.close();
  const { length, baseState } = await store.load(first.id);
  const { value } = sources(first).TOKEN;
  const broken = `${value.slice(0, 60)}${value[60] === "A" ? "B" : "A"}${value.slice(61)}`;
  await store.commit(first.id, {
    expectedLength: length,
    events: [],
    files: [],
    at: 0,
    durability: "relaxed",
    baseState: baseState.replace(value, broken),
  });
  const second = await open({ conversationId: first.id, cipher: passphrase });
  assert.match(second.warnings.at(-1).message, /: TOKEN; give them again$/);
  assert.deepEqual(await run(second, "TOKEN", "OTHER"), [null, secrets.OTHER]);
  assert.equal(sources(second).TOKEN.value, broken);
  await second.close();
});

test("a LookupSecret is fetched with its headers when a tool asks, and errors do not contain it", async (t) => {
  const { open, run } = world();
  const asked = [];
  let answer = () => new Response("fetched-value");
  t.mock.method(
    globalThis,
    "fetch",
    async (url, { headers, redirect, cache }) => (asked.push({ url, ...headers, redirect, cache }), answer()),
  );
  const lookup = { url: "https://vault.invalid/token?k=planted", headers: { "X-Api-Key": "planted-header-value", Accept: "text/plain" } };
  const first = await open({ secrets: { FETCHED: lookup }, cipher: passphrase });
  const { headers, ...rest } = sources(first).FETCHED;
  assert.deepEqual(rest, { url: lookup.url, kind: "LookupSecret" });
  assert.equal(headers.Accept, "text/plain");
  assert.equal(opened(headers["X-Api-Key"]), "planted-header-value");
  assert.equal(asked.length, 0);
  await first.setTags({ kept: "yes" });
  await first.close();

  const second = await open({ conversationId: first.id, cipher: passphrase });
  assert.deepEqual(await run(second, "FETCHED"), ["fetched-value"]);
  assert.deepEqual(asked, [{ url: lookup.url, ...lookup.headers, redirect: "error", cache: "no-store" }]);
  answer = () => new Response("planted-in-error", { status: 403 });
  assert.deepEqual(await run(second, "FETCHED"), ["network: secret FETCHED could not be fetched: https://vault.invalid answered 403"]);
  answer = () => Promise.reject(new TypeError("planted-in-error"));
  assert.deepEqual(await run(second, "FETCHED"), [
    "network: secret FETCHED could not be fetched from https://vault.invalid: there was no answer",
  ]);
  await second.close();

  const third = await open({
    secrets: {
      FETCHED: lookup,
      THROWS: () => {
        throw new Error("planted-in-error");
      },
      NUMBER: () => 7,
    },
  });
  assert.deepEqual(sources(third).FETCHED.headers, { "X-Api-Key": "**********", Accept: "text/plain" });
  assert.deepEqual(await run(third, "THROWS", "NUMBER"), [
    "invalid_state: the function that gives secret THROWS failed",
    "invalid_options: the function that gives secret NUMBER must return a string",
  ]);
  await third.close();
});

test("an invalid secret is refused with its name", async () => {
  const { open } = world();
  for (const [secrets, words] of [
    [{ A: 1 }, /secret A must be/],
    [{ B: { url: "ftp://x" } }, /url of secret B/],
    [{ C: { url: "https://x", headers: { a: 1 } } }, /secret C/],
    [{ " ": "x" }, /needs a name/],
    [[], /an object of secrets/],
    ["x", /an object/],
  ]) {
    await assert.rejects(open({ secrets }), { code: "invalid_options", message: words });
  }
  for (const cipher of ["", 7]) await assert.rejects(open({ cipher }), { code: "invalid_options", message: /passphrase/ });
  const conversation = await open();
  await assert.rejects(conversation.updateSecrets({ A: undefined }), { code: "invalid_options", message: /secret A/ });
  await assert.rejects(conversation.updateSecrets(null), { code: "invalid_options" });
  assert.deepEqual(sources(conversation), {});
  await conversation.close();
  await assert.rejects(conversation.updateSecrets({ A: "a-value" }), { code: "invalid_state" });
});

test("a password that is a word of the log leaves the log readable", async () => {
  const { open, run } = world();
  const words = ["agent", "MessageEvent", "text", "name", "completion", "secret-hidden", "secret", "environment", "llm_message"];
  const first = await open({ secrets: Object.fromEntries(words.map((word, index) => [`WORD_${index}`, word])) });
  // The name of the argument is a password too.
  assert.deepEqual(await run(first, "WORD_0", "WORD_1"), [null, null]);
  const events = await first.events.slice();
  assert.equal(events.length, 2 + 2 * 2 + 1);
  assert.ok(events.every(({ kind }) => /Event$/.test(kind)));
  await first.close();
  const second = await open({ conversationId: first.id });
  assert.deepEqual(codes(second), ["secrets_unavailable"]);
  assert.equal(await second.finalResponse(), "Done.");
  await second.close();
});

test("the last of overlapping changes wins, however long the others take", async () => {
  const { open, run, keys, modelOf } = world();
  const conversation = await open({ cipher: passphrase, secrets, llm: { apiKey: "sk-the-first-key" } });
  await Promise.all([
    // A long value takes longer to be encrypted than none.
    conversation.updateSecrets({ TOKEN: "x".repeat(500_000) }),
    conversation.updateSecrets({ TOKEN: null, OTHER: "x".repeat(500_000) }),
    conversation.updateSecrets({ OTHER: "the-last-word" }),
    conversation.switchLLM(modelOf({ apiKey: `sk-${"x".repeat(100_000)}` })),
    conversation.switchLLM(modelOf({ apiKey: "sk-the-last-key" })),
  ]);
  assert.deepEqual(Object.keys(sources(conversation)), ["OTHER"]);
  assert.equal(opened(sources(conversation).OTHER.value), "the-last-word");
  assert.equal(opened(conversation.state.agent.llm.api_key), "sk-the-last-key");
  assert.deepEqual(await run(conversation, "TOKEN", "OTHER"), [null, "the-last-word"]);
  assert.deepEqual(keys, Array(2).fill("Bearer sk-the-last-key"));
});
