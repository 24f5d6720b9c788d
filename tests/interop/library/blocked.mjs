// Hooks and analyzers of the SDK in a conversation that is opened here.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { filesOf, packed } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";

export function blockedByTheSdk() {
  test("a call that a hook of the SDK blocked is rejected when it is approved here", async (t) => {
    const { conversation, model } = await brought(t, "hook-blocked-action-waits", [{ text: "Not allowed, then." }]);
    assert.equal(conversation.executionStatus, "waiting_for_confirmation");
    const before = conversation.events.length;
    await conversation.run();
    const [rejection, answer] = (await eventsOf(conversation)).slice(before);
    assert.deepEqual(
      [rejection.kind, rejection.rejection_source, rejection.rejection_reason],
      ["UserRejectObservation", "hook", "not allowed here"],
    );
    assert.equal(answer.kind, "MessageEvent");
    assert.deepEqual(conversation.state.blocked_actions, {});
    model.check();
  });
  test("a message that a hook of the SDK blocked is not answered here", async (t) => {
    const { conversation, model } = await brought(t, "hook-blocks-message", []);
    assert.equal(Object.keys(conversation.state.blocked_messages).length, 1);
    assert.equal((await conversation.run()).status, "finished");
    assert.deepEqual(conversation.state.blocked_messages, {});
    assert.equal(model.requests.length, 0);
  });
  test("parts of an analyzer that a browser lacks are reported, and rate every call HIGH", async (t) => {
    const call = { name: "note", arguments: { text: "harmless", security_risk: "LOW" } };
    const { conversation } = await brought(t, "analyzers", [{ calls: [call] }]);
    const messages = conversation.warnings
      .filter(({ code }) => code === "settings_unavailable")
      .map(({ message }) => message)
      .join();
    assert.match(messages, /GraySwanAnalyzer; ToolShieldLLMSecurityAnalyzer/);
    assert.equal((await say(conversation, "Note it.")).status, "waiting_for_confirmation");
    assert.deepEqual(Object.values(conversation.securityRisks), ["HIGH"]);
  });
  test("hooks of the SDK stay stored, and are reported as not run", async (t) => {
    const { conversation } = await brought(t, "hooks", []);
    const [warning] = conversation.warnings.filter(({ code }) => code === "settings_unavailable");
    assert.match(warning.message, /\bhooks\b/);
    assert.ok(conversation.state.hook_config.stop.length > 0);
  });
}

async function brought(t, scenario, replies, options = {}) {
  const entry = conversations.find((one) => one.scenario === scenario);
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
  const model = await scripted(t, replies);
  return { model, conversation: await open(t, { model, store, conversationId: id, ...options }) };
}
