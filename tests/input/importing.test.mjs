// Importing an entry loads nothing, on a server too; the first call asks for the wasm before it returns.
import assert from "node:assert/strict";
import { test } from "node:test";

const asked = [];
const files = process.getBuiltinModule("node:fs/promises");
const { readFile } = files;
files.readFile = (file, ...options) => {
  // Node reads modules in the same way.
  if (!String(file).endsWith(".js")) asked.push(String(file).split("/").at(-1));
  return readFile(file, ...options);
};
globalThis.fetch = async (url) => {
  asked.push(String(url));
  throw new TypeError("there is no network");
};

test("entries are imported and agents made without loading anything, and opening asks for the wasm at once", async () => {
  const { Agent, Conversation, LLM, memoryStore } = await import("../../dist/index.js");
  await import("../../dist/slim.js");
  await import("../../dist/thread.js");
  await import("../../dist/ai-sdk.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk-0123456789" }) });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(asked, []);
  await assert.rejects(Conversation.open({ agent, resume: "sometimes" }), /resume must be/);
  assert.deepEqual(asked, []);
  const opening = Conversation.open({ agent, store: memoryStore(), secrets: { NAME: "value-0123456789" } });
  assert.deepEqual(asked, ["threadkeep_bg.wasm"]);
  await (await opening).close();
});
