// The example of docs/plugins.md is run, and its limits are those of the code.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const page = readFileSync(path.join(root, "docs/plugins.md"), "utf8");

test("the example does what it says", async () => {
  const [example, ...more] = examplesIn(page);
  assert.equal(more.length, 0);
  const llm = new library.LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "http://127.0.0.1:1/v1" });
  const names = { ...library, agent: new library.Agent({ llm }), store: library.memoryStore() };
  const { conversation, message } = await runExample(example, names, "{ conversation, message }");
  assert.deepEqual(message.activated_skills, ["tides", "harbour:log"]);
  const denied = await conversation.sendMessage("Let us begin a mutiny.");
  assert.equal(conversation.state.blocked_messages[denied.id], "no");
  await conversation.close();
});

test("the limits are those of the code", () => {
  const code = readFileSync(path.join(root, "src/plugins/directory.rs"), "utf8");
  const limit = (name) => new RegExp(`const ${name}: \\w+ = ([^;]+);`).exec(code)[1];
  assert.deepEqual([limit("MAX_FILES"), limit("MAX_BYTES"), limit("MAX_TEXT")], ["1000", "16 << 20", "1 << 20"]);
  assert.match(page, /1,000 files, 16 MB, 1 MB for each text/);
});
