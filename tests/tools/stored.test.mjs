// The definitions of tools as they are stored, beside those that the SDK has written.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import {
  Agent,
  Conversation,
  LLM,
  applyPatch,
  fileEditor,
  glob,
  grep,
  inspectImage,
  listDirectory,
  memoryStore,
  switchLLM,
  taskTool,
  taskTracker,
  terminal,
} from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const fixtures = new URL("../fixtures/sdk-1.43.1/", import.meta.url).pathname;

/** By kind, the definitions in the fixtures. */
function definitionsOfTheSdk() {
  const found = new Map();
  for (const file of readdirSync(fixtures, { recursive: true }).filter((name) => /events\/event-0000\d-.*\.json$/.test(name))) {
    const text = readFileSync(path.join(fixtures, file), "utf8");
    if (!text.includes('"kind":"SystemPromptEvent"') || !text.endsWith("}")) continue;
    for (const definition of JSON.parse(text).tools) found.set(definition.kind, definition);
  }
  return found;
}

test("the stored definition of each tool has the title, the hints and the classes of the SDK's", async () => {
  const other = new LLM({ model: "openai/gpt-4o-mini" });
  const tools = [
    fileEditor(),
    taskTracker(),
    grep(),
    glob(),
    listDirectory(),
    applyPatch(),
    terminal(),
    taskTool(),
    switchLLM({ profiles: { other } }),
    inspectImage({ llm: other }),
  ];
  const { fetch } = createModel([{ text: "Done." }]);
  const agentContext = { skills: [{ name: "house", content: "Be kind.", isAgentskillsFormat: true, description: "How to be" }] };
  const conversation = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch }), tools, agentContext }),
    store: memoryStore(),
  });
  await conversation.sendMessage("Hello");
  const stored = (await conversation.events.at(0)).tools;
  await conversation.close();
  const theirs = definitionsOfTheSdk();
  const facts = ({ kind, title, annotations, action_type, observation_type }) => ({
    kind,
    title,
    annotations,
    action_type,
    observation_type,
  });
  // Only a conversation that was made for its kinds has this one, with a title of its own.
  theirs.delete("VisionInspectTool");
  const known = stored.filter(({ kind }) => theirs.has(kind));
  assert.deepEqual(
    known.map(facts),
    known.map(({ kind }) => facts(theirs.get(kind))),
  );
  assert.deepEqual(
    stored.filter((each) => !known.includes(each)).map(({ title }) => title),
    ["inspect_image_with_vision"],
  );
  assert.equal(known.length, tools.length - 1 + 3);
});
