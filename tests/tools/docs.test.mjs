// The examples of docs/tools.md about files are run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { TestWorkspace, definitions, testFiles } from "./place.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

// The times of files in results are those of the user's clock.
process.env.TZ = "UTC";

const [introduction, ...sections] = readFileSync(path.resolve(import.meta.dirname, "../../docs/tools.md"), "utf8").split("\n## ");

test("each call has the result that the documentation shows", async (t) => {
  const tools = definitions({ workingDir: "/workspace", isTransactional: true });
  const context = { workspace: new TestWorkspace("/workspace"), files: testFiles(), signal: new AbortController().signal };
  let count = 0;
  for (const section of sections) {
    const name = /^`(\w+)`/.exec(section)?.[1];
    if (!tools[name]) continue;
    for (const [, call, expected] of section.matchAll(/```json\n([^]*?)```\n\n```text\n([^]*?)\n```/g)) {
      const { content } = await tools[name].execute(JSON.parse(call), context);
      assert.equal(content.replace(/\n$/, ""), expected, name);
      context.workspace.setTimes(0);
      count += 1;
    }
  }
  t.diagnostic(`${count} calls`);
  assert.equal(count, 13);
});

test("the agent of the documentation writes a file", async (t) => {
  const [code] = examplesIn(introduction);
  const file_text = "- a rope\n";
  const model = createModel([
    { calls: [{ name: "file_editor", arguments: { command: "create", path: "/workspace/packing.md", file_text } }] },
    { text: "Done." },
  ]);
  const server = await model.listen();
  t.after(() => server.close());
  const llm = new library.LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: server.baseUrl });
  const names = { ...library, llm, store: library.memoryStore() };
  const { list, conversation } = await runExample(code, names, "{ list, conversation }");
  assert.equal(list, file_text);
  await conversation.close();
});
