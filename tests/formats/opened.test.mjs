// "Byte for byte" and its exceptions: every conversation that Python wrote is imported, opened and exported.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { exported, filesOf, membersOf, packed, unpacked } from "../support/files.mjs";

const fixtures = new URL("../fixtures/sdk-1.43.1/", import.meta.url).pathname;
/** They are damaged on purpose, and repaired. */
const damaged = ["dangling-head", "empty-event", "gap", "other-id", "torn-event", "torn-state", "torn-tail"];
const page = readFileSync(new URL("../../docs/format.md", import.meta.url), "utf8");

/** The names of the fields that an export has changed. */
function changed(before, after) {
  const [one, other] = [membersOf(before), membersOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}

test("what differs in an export after an import is what format.md lists", async () => {
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o" }) });
  const seen = new Set();
  for (const scenario of readdirSync(fixtures).filter((name) => !name.endsWith(".json") && !damaged.includes(name))) {
    for (const id of readdirSync(path.join(fixtures, scenario)).filter((name) => /^[0-9a-f]{32}$/.test(name))) {
      const files = filesOf(path.join(fixtures, scenario, id));
      const store = memoryStore();
      const [imported] = await Conversation.importZip(packed(id, files), { store });
      const conversation = await Conversation.open({ agent, store, conversationId: imported.id });
      const after = unpacked(await exported(conversation));
      await conversation.close();
      const wasRunning = JSON.parse(files.get("base_state.json")).execution_status === "running";
      const allowed = ["persistence_dir", ...(wasRunning ? ["execution_status", "leaf_event_id", "agent_state"] : [])];
      for (const [name, content] of files) {
        if (after.get(name)?.equals(content)) continue;
        assert.match(name, /^(subagents\/[0-9a-f]{32}\/)?base_state\.json$/, scenario);
        const fields = changed(content, after.get(name));
        assert.deepEqual(
          fields.filter((field) => !allowed.includes(field)),
          [],
          `${scenario}: ${name}`,
        );
        for (const field of fields) seen.add(name === "base_state.json" ? field : `subagents: ${field}`);
      }
      const added = [...after.keys()].filter((name) => !files.has(name));
      assert.ok(wasRunning ? added.every((name) => name.startsWith("events/")) : added.length === 0, `${scenario}: ${added}`);
    }
  }
  assert.deepEqual([...seen].sort(), ["execution_status", "leaf_event_id", "persistence_dir", "subagents: persistence_dir"]);
  for (const field of [
    "`running` becomes `paused`",
    "`persistence_dir`",
    "`subagents/<id>/base_state.json`",
    "`leaf_event_id`",
    "`agent_state.interrupted_actions`",
  ]) {
    assert.ok(page.includes(field), field);
  }
});
