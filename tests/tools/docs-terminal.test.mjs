// The examples of docs/tools.md about the terminal, and about tools that take options, are run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { examplesIn } from "../support/documented.mjs";

const sections = new Map(
  readFileSync(path.resolve(import.meta.dirname, "../../docs/tools.md"), "utf8")
    .split("\n## ")
    .map((section) => [/^`(\w+)`/.exec(section)?.[1], section]),
);
const { Agent, Conversation, LLM, memoryStore, terminal } = library;

test("each command has the result that the documentation shows", async () => {
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o" }), tools: [terminal()] });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  const examples = [...sections.get("terminal").matchAll(/```json\n([^]*?)```\n\n```text\n([^]*?)\n```/g)];
  assert.equal(examples.length, 5);
  for (const [, call, expected] of examples) {
    const { content } = await conversation.executeTool("terminal", JSON.parse(call));
    assert.equal(content[0].text, expected);
  }
  await conversation.close();
});

test("the options of the documentation are accepted", () => {
  for (const name of ["terminal", "fetch", "inspect_image_with_vision", "switch_llm"]) {
    const [code] = examplesIn(sections.get(name));
    const names = { ...library, apiKey: "sk" };
    new Function(...Object.keys(names), code)(...Object.values(names));
  }
});
