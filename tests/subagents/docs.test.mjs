// The examples of docs/tools.md about sub-agents and structured answers are run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const sections = new Map(
  readFileSync(path.resolve(import.meta.dirname, "../../docs/tools.md"), "utf8")
    .split("\n## ")
    .map((section) => [section.slice(0, section.indexOf("\n")), section]),
);

/** Runs the example of a section with a model that follows this script, and returns these of its variables. */
async function example(heading, script, ...names) {
  const [code] = examplesIn(sections.get(heading));
  const model = createModel(script);
  const shown = [];
  const given = {
    ...library,
    llm: new library.LLM({ model: "openai/gpt-4o", fetch: model.fetch }),
    store: library.memoryStore(),
    console: { log: (...values) => shown.push(values) },
  };
  const found = await runExample(code, given, `{ ${["conversation", ...names].join()} }`);
  model.check();
  return { ...found, shown, model };
}

test("an agent has a text reviewed by a sub-agent", async () => {
  const { conversation, subagents, shown, model } = await example(
    "`task`",
    [
      { calls: [{ name: "task", arguments: { prompt: "Review it.", subagent_type: "reviewer" } }] },
      { text: "It is clear." },
      { text: "Nothing is unclear." },
    ],
    "subagents",
  );
  assert.equal(await conversation.finalResponse(), "Nothing is unclear.");
  assert.equal(subagents.length, 1);
  assert.deepEqual(new Set(shown.map(([path]) => path)), new Set(["task_00000001"]));
  assert.deepEqual(
    model.requests[1].body.tools.map(({ function: { name } }) => name),
    ["grep", "glob", "finish", "think"],
  );
  await conversation.close();
});

test("a task ends with a structured answer", async () => {
  const answer = { city: "Palermo", degrees: 31 };
  const found = await example(
    "Structured answers",
    [{ calls: [{ name: "finish", arguments: { message: "In Palermo.", ...answer } }] }],
    "answer",
  );
  assert.deepEqual(found.answer, answer);
  await found.conversation.close();
});
