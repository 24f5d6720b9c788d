// Stored conversations as messages and as other programs have them, against what the SDK makes of the same directories.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { open, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed } from "../../support/files.mjs";
import { conversations, refused } from "./imported.mjs";

/** Tests of each conversation that the SDK wrote; `sdk()` is the session or null, `place` a directory for what it reads. */
export function messagesOfConversations(sdk, place) {
  for (const entry of conversations.filter(({ scenario, opens }) => opens && !(scenario in refused))) {
    const opened = async (t) => {
      const store = memoryStore();
      const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
      return open(t, { model: await scripted(t, []), store, conversationId: id });
    };
    const name = `${entry.scenario} ${entry.id}`;
    test(`${name}: its messages are the SDK's`, async (t) => {
      const conversation = await opened(t);
      if (!sdk()) return t.skip("no SDK");
      // Opening may have answered what a crash left, so both look at what is there now.
      const response = await sdk().check(await written(conversation, place), { cipher: entry.cipher });
      assert.deepEqual(await conversation.toMessages(), response.branch_messages);
      assert.deepEqual(await conversation.toMessages("chat"), response.branch_chat);
      const { instructions, input } = response.branch_responses;
      assert.deepEqual(await conversation.toMessages("responses"), { instructions, input: withOneOutputEach(input) });
      // LiteLLM's form of them is compared in requests.mjs; here, that a provider accepts the history.
      const { system, messages } = await conversation.toMessages("anthropic");
      const spoken = response.branch_messages
        .filter(({ role }) => role === "system")
        .flatMap(({ content }) => content.map(({ text }) => text));
      assert.deepEqual(
        system.map(({ text }) => text),
        spoken.slice(0, system.length),
      );
      assert.equal(system.length === 0, spoken.length === 0);
      assert.deepEqual(
        messages.map(({ role }) => role),
        messages.map((_, place) => (place % 2 === 0 ? "user" : "assistant")),
      );
    });
    test(`${name}: as a session and as a trajectory it leaves and comes back`, async (t) => {
      const conversation = await opened(t);
      const session = await conversation.exportSession();
      const again = await brought(t, session);
      const { messages } = await again.exportSession();
      if (violations(session.messages).length === 0) assert.deepEqual(messages, session.messages);
      const fromV0 = await brought(t, await conversation.exportTrajectory());
      if (!sdk()) return t.diagnostic("no SDK to show it to");
      for (const one of [again, fromV0]) {
        const response = await sdk().check(await written(one, place));
        assert.deepEqual([response.ok, response.refused, response.base_state_lost, response.unmatched_actions], [true, [], [], []]);
      }
    });
  }
}

/**
 * The SDK gives each part of a result as an output of its own; here a call has one. What a provider would refuse stays away:
 * reasoning that says nothing, outputs of no call.
 */
function withOneOutputEach(items) {
  const joined = [];
  const isCalled = ({ call_id: id }) => items.some(({ type, call_id }) => type === "function_call" && call_id === id);
  const isSent = (item) =>
    item.type === "reasoning" ? item.content || item.encrypted_content : item.type !== "function_call_output" || isCalled(item);
  for (const item of items.filter(isSent)) {
    const last = joined.at(-1);
    const isMore = item.type === "function_call_output" && last?.type === item.type && last.call_id === item.call_id;
    if (isMore) last.output = [last.output, item.output].flat();
    else joined.push({ ...item });
  }
  const isText = (part) => typeof part === "string";
  const output = (parts) =>
    parts.every(isText) ? parts.join("\n") : parts.map((part) => (isText(part) ? { type: "input_text", text: part } : part));
  return joined.map((item) => (Array.isArray(item.output) ? { ...item, output: output(item.output) } : item));
}

/** Messages that an import corrects: calls that are not answered directly, and answers without a call. */
function violations(messages) {
  const found = [];
  let open = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === "tool" && !open.includes(tool_call_id)) found.push(`${tool_call_id} answers nothing`);
    open = role === "tool" ? open.filter((id) => id !== tool_call_id) : [...open, ...(tool_calls ?? []).map(({ id }) => id)];
    if (role !== "tool" && !tool_calls && open.length > 0) found.push(`${open} have no answer`);
  }
  return [...found, ...open];
}

async function brought(t, json) {
  const store = memoryStore();
  const { id, outcome } = await Conversation.importJSON(json, { store });
  assert.equal(outcome, "created");
  return open(t, { model: await scripted(t, []), store, conversationId: id });
}

let writes = 0;

async function written(conversation, place) {
  const file = path.join(place, `${conversation.id}-as-messages-${writes++}.zip`);
  writeFileSync(file, await exported(conversation));
  return file;
}
