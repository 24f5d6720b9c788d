// The examples of docs/context.md about skills are run.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { zip } from "../support/zip-bytes.mjs";
import { eventsOf } from "../support/chat.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const file = path.resolve(import.meta.dirname, "../../docs/context.md");
const [, section] = readFileSync(file, "utf8").split("\n## Skills and context\n");
const [first, second, ...more] = examplesIn(section.split("\n## ")[0]);

test("the examples about skills do what they say", async () => {
  assert.equal(more.length, 0);
  const llm = new library.LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "http://127.0.0.1:1/v1" });
  const store = library.memoryStore();
  const Conversation = { open: (options) => library.Conversation.open({ store, ...options }) };
  const conversation = await runExample(first, { ...library, Conversation, llm }, "conversation");
  const [system, message] = await eventsOf(conversation);
  assert.deepEqual(message.activated_skills, ["refunds"]);
  assert.match(message.extended_content[0].text, /Refunds take five days\.[^]*Answer in one sentence\.$/);
  for (const part of ["Prices are in euros.", "<name>invoices</name>", "The user is a customer."])
    assert.ok(system.dynamic_context.text.includes(part), part);
  await conversation.close();

  const skill = "---\nname: pdf\ndescription: Reads PDFs\n---\nRead it.";
  const fetch = async () => new Response(skill);
  const archive = new Blob([zip([{ name: "rowing/SKILL.md", content: "Row." }])]);
  const handle = { kind: "file", name: "SKILL.md", getFile: async () => new Blob(["Sail."]) };
  const directory = {
    kind: "directory",
    name: "sailing",
    async *values() {
      yield handle;
    },
  };
  const agent = await runExample(second, { ...library, llm, fetch, zip: archive, directory }, "skilled");
  assert.deepEqual(
    agent.agentContext.skills.map(({ name }) => name),
    ["pdf", "rowing", "sailing", "greeting"],
  );
  const skilled = await Conversation.open({ agent });
  assert.equal(skilled.state.agent.agent_context.skills.length, 4);
  await skilled.close();
});
