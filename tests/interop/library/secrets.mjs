// Secrets between the page and Python: the same passphrase crosses, a wrong one keeps what it cannot read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore, tool } from "../../../dist/index.js";
import { shapes } from "../../secrets/shapes.mjs";
import { open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";

const cipher = "a passphrase with ünïcode and 32 bytes or more";
const lookup = { url: "https://vault.invalid/x", headers: { "X-Api-Key": "header-value", Accept: "text/plain" } };
const given = [];
const ask = tool({
  name: "ask",
  description: "Asks for secrets.",
  parameters: { type: "object" },
  execute: async ({ names }, { secret }) => (
    given.push(Object.fromEntries(await Promise.all(names.map(async (name) => [name, await secret(name)])))), "asked"
  ),
});
const names = Object.keys(shapes);
const llm = { apiKey: "sk-stored-key" };

export function secretsBothWays(sdk, place) {
  const check = (name, body) => test(name, (t) => (sdk() ? body(t, sdk(), path.join(place, "secrets")) : t.skip("no SDK")));
  check("secrets encrypted in the page are read in Python, and on in the page", pageToPython);
  check("secrets encrypted in Python are read in the page, and back in Python", pythonToPage);
  check("a wrong passphrase keeps every token", wrongPassphrase);
}

async function pageToPython(t, sdk, place) {
  const store = memoryStore();
  const model = await scripted(t, [{ calls: [{ name: "ask", arguments: { names } }] }, { text: "Done." }]);
  const conversation = await open(t, { model, store, tools: [ask], cipher, llm, secrets: { ...shapes, LOOKUP: lookup, ASKED: () => "x" } });
  await say(conversation, "Ask.");
  assert.deepEqual(given.pop(), shapes);
  const directory = writeBelow(place, conversation.id, unpacked(await exported(conversation)));
  const { ok, error, values, api_key } = await sdk.ask({ command: "secrets", path: directory, cipher, in_place: true });
  assert.ok(ok, error);
  assert.deepEqual(values, { ...shapes, LOOKUP: lookup, ASKED: null });
  assert.equal(api_key, llm.apiKey);
  await conversation.close();

  // Python has written every token again.
  const { id } = await imported(directory, conversation.id, memoryStore(), async (back) => {
    const again = await open(t, {
      model: await scripted(t, [{ calls: [{ name: "ask", arguments: { names } }] }, { text: "Done." }]),
      store: back,
      conversationId: conversation.id,
      tools: [ask],
      cipher,
      llm,
    });
    await say(again, "Ask.");
    assert.deepEqual(given.pop(), shapes);
  });
  assert.equal(id, conversation.id);
}

async function pythonToPage(t, sdk, place) {
  const id = "5ec4e700-0000-4000-8000-000000000001";
  const directory = path.join(place, id.replaceAll("-", ""));
  const update = { ...shapes, DESCRIBED: { value: "described-value", description: "what it is for" }, LOOKUP: lookup };
  const made = await sdk.ask({ command: "secrets", path: directory, cipher, in_place: true, update, api_key: llm.apiKey });
  assert.ok(made.ok, made.error);
  await imported(directory, id, memoryStore(), async (store) => {
    const model = await scripted(t, [{ calls: [{ name: "ask", arguments: { names: [...names, "DESCRIBED"] } }] }, { text: "Done." }]);
    const conversation = await open(t, { model, store, conversationId: id, tools: [ask], cipher, llm });
    const [held, ...missing] = conversation.warnings.filter(({ code }) => code === "secrets_unavailable");
    assert.match(held.message, /not fetched before allowSecrets\(\): LOOKUP from https:\/\/vault\.invalid$/);
    assert.deepEqual([missing, conversation.heldSecrets], [[], [{ name: "LOOKUP", url: lookup.url }]]);
    await say(conversation, "Ask.");
    assert.deepEqual(given.pop(), { ...shapes, DESCRIBED: "described-value" });
    await conversation.updateSecrets({ DESCRIBED: "another value" });
    const back = writeBelow(path.join(place, "back"), id, unpacked(await exported(conversation)));
    const { values, descriptions, api_key } = await sdk.ask({ command: "secrets", path: back, cipher, in_place: true });
    assert.deepEqual(values, { ...shapes, DESCRIBED: "another value", LOOKUP: lookup });
    assert.equal(descriptions.DESCRIBED, "what it is for");
    assert.equal(api_key, llm.apiKey);
  });
}

async function wrongPassphrase(t, sdk, place) {
  const id = "5ec4e700-0000-4000-8000-000000000002";
  const directory = path.join(place, id.replaceAll("-", ""));
  const made = await sdk.ask({
    command: "secrets",
    path: directory,
    cipher,
    in_place: true,
    update: { TOKEN: "python-value" },
    api_key: llm.apiKey,
  });
  assert.ok(made.ok, made.error);
  await imported(directory, id, memoryStore(), async (store) => {
    const model = await scripted(t, [{ text: "Hello." }]);
    const stored = JSON.parse((await store.load(id)).baseState);
    await assert.rejects(open(t, { model, store, conversationId: id, cipher: "wrong", llm }), { code: "invalid_options" });
    const conversation = await open(t, { model, store, conversationId: id, llm });
    assert.equal(conversation.warnings.at(-1).code, "secrets_unavailable");
    await say(conversation, "Hello.");
    assert.deepEqual(
      [conversation.state.secret_registry, conversation.state.agent.llm.api_key],
      [stored.secret_registry, stored.agent.llm.api_key],
    );
    const back = writeBelow(path.join(place, "kept"), id, unpacked(await exported(conversation)));
    const { values } = await sdk.ask({ command: "secrets", path: back, cipher });
    assert.deepEqual(values, { TOKEN: "python-value" });
  });
}

async function imported(directory, id, store, use) {
  const [conversation] = await Conversation.importZip(packed(id, filesOf(directory)), { store });
  await use(store);
  return conversation;
}

function writeBelow(place, id, files) {
  const directory = path.join(place, id.replaceAll("-", ""));
  write(directory, files);
  assert.ok(readFileSync(path.join(directory, "base_state.json")).length > 0);
  return directory;
}
