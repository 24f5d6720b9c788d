// Conversations of other programs: after the import the SDK accepts them and continues them as the library does.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { violationsOf } from "../../support/model/script.mjs";
import { eventsOf, open, question, say, scripted } from "../../support/chat.mjs";
import { exported } from "../../support/files.mjs";

const call = (id, name, args) => ({ id, type: "function", function: { name, arguments: JSON.stringify(args) } });

const chat = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ],
  },
  { role: "assistant", content: "Let me look.", tool_calls: [call("a", "look", { at: 1 }), call("b", "look", { at: 2 })] },
  { role: "tool", tool_call_id: "b", name: "look", content: "A dog." },
  { role: "tool", tool_call_id: "a", name: "look", content: "A cat." },
  { role: "assistant", content: "A cat and a dog." },
];

const reported = (content, calls) => ({
  id: `answer-to-${calls[0].id}`,
  model: "claude-x",
  object: "chat.completion",
  created: 0,
  choices: [{ index: 0, finish_reason: "tool_calls", message: { role: "assistant", content, tool_calls: calls } }],
});
const made = (calls, place) => ({
  function_name: calls[place].function.name,
  tool_call_id: calls[place].id,
  model_response: reported("I will.", calls),
  total_calls_in_response: calls.length,
});
const work = [call("t1", "execute_bash", { command: "ls" }), call("t2", "str_replace_editor", { command: "view", path: "/a" })];
const end = [call("t3", "finish", { message: "All done." })];
const trajectory = [
  { source: "environment", observation: "agent_state_changed", content: "", extras: { agent_state: "running" } },
  {
    source: "agent",
    action: "system",
    args: {
      content: "You are V0.",
      tools: [
        { type: "function", function: { name: "execute_bash", description: "Runs.", parameters: { type: "object", properties: {} } } },
      ],
    },
  },
  { source: "user", action: "message", args: { content: "Look around", image_urls: [], wait_for_response: false } },
  { source: "agent", action: "run", tool_call_metadata: made(work, 0), args: { command: "ls", thought: "I will.", security_risk: 0 } },
  {
    source: "agent",
    cause: 3,
    observation: "run",
    tool_call_metadata: made(work, 0),
    content: "a",
    extras: { command: "ls", metadata: { exit_code: 0, working_dir: "/w" } },
  },
  { source: "agent", action: "read", tool_call_metadata: made(work, 1), args: { path: "/a" } },
  { source: "agent", cause: 5, observation: "error", tool_call_metadata: made(work, 1), content: "No such file", extras: { error_id: "" } },
  { source: "user", action: "run", args: { command: "touch /a" } },
  { source: "agent", cause: 7, observation: "run", content: "", extras: { command: "touch /a", metadata: { exit_code: 0 } } },
  { source: "agent", action: "browse_interactive", args: { browser_actions: "noop()", thought: "Is there a page?" } },
  { source: "agent", action: "finish", tool_call_metadata: made(end, 0), args: { final_thought: "All done.", thought: "I will." } },
].map((event, id) => ({ id, timestamp: `2025-01-20T20:29:${10 + id}.519638`, message: "", ...event }));

const files = {
  "a list of chat messages": { json: chat, warnings: /^$/, kinds: "SystemPrompt Message Action Action Observation Observation Message" },
  "a session without instructions": {
    json: { id: "x", created_at: 1_767_268_800, title: "Cats", messages: chat.slice(1) },
    warnings: /^$/,
    kinds: "SystemPrompt Message Action Action Observation Observation Message",
  },
  "a session that breaks off in a call": {
    json: JSON.stringify({ messages: chat.slice(0, 4) }),
    warnings: /look in messages\[2\]/,
    kinds: "SystemPrompt Message Action Action AgentError Observation",
  },
  "an empty session": { json: { messages: [] }, warnings: /^$/, kinds: "" },
  "a V0 trajectory": {
    json: new Blob([JSON.stringify(trajectory)]),
    warnings: /browser in event 9.*agent_state_changed/s,
    kinds: "SystemPrompt Message Action Action Observation AgentError Message Message Action AgentError Action Observation",
  },
};

export function conversationsOfOtherPrograms(sdk, place) {
  for (const [name, { json, warnings, kinds }] of Object.entries(files)) {
    test(`${name} is continued here and by the SDK`, async (t) => {
      const store = memoryStore();
      const { id, warnings: result, eventCount } = await Conversation.importJSON(json, { store });
      assert.match(result.join("\n"), warnings);
      const model = await scripted(t, [{ text: "Done." }]);
      const conversation = await open(t, { model, store, conversationId: id });
      const events = await eventsOf(conversation);
      assert.equal(events.map(({ kind }) => kind.replace("Event", "")).join(" "), kinds);
      assert.equal(eventCount, events.length);
      assert.deepEqual(conversation.warnings, []);
      const target = path.join(place, `${id}.zip`);
      writeFileSync(target, await exported(conversation));
      if (!sdk()) return t.diagnostic("no SDK to show it to");

      const found = await sdk().check(target);
      assert.deepEqual([found.refused, found.base_state_lost, found.unmatched_actions], [[], [], []]);
      const resumed = await sdk().resume(target, "Done.", { text: question });
      assert.ok(resumed.ok, resumed.error);
      const prompt = events.length === 0 ? ["SystemPromptEvent"] : [];
      assert.deepEqual(resumed.new_kinds, [...prompt, "MessageEvent", "MessageEvent"]);
      await say(conversation, question);
      model.check();
      if (events.length === 0) return;
      // This library does not send an empty system prompt.
      const theirs = resumed.request.messages.filter(({ role, content }) => role !== "system" || content[0].text !== "");
      assert.deepEqual(violationsOf({ ...resumed.request, messages: theirs }), []);
      // The SDK sends no images to a model that it does not know.
      const seen = model.requests
        .at(-1)
        .body.messages.map(({ content, ...rest }) => ({ ...rest, content: content.filter(({ type }) => type !== "image_url") }));
      assert.deepEqual(seen, theirs);
    });
  }
}
