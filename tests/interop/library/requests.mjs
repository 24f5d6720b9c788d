// For a conversation of the SDK's the library asks the model the same as the SDK does.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { violationsOf } from "../../support/model-checks.mjs";
import { fixtures } from "../setup.mjs";
import { open, question, say, scripted } from "./chat.mjs";
import { filesOf, packed } from "./files.mjs";
import { conversations } from "./imported.mjs";

/** The settings of a stored model that a host can give here, by the names that they have here. */
const settings = {
  model: "model", stream: "stream", temperature: "temperature", top_p: "topP", max_output_tokens: "maxOutputTokens", reasoning_effort: "reasoningEffort", usage_id: "usageId",
};

/** Conversations in which a call waits: the SDK runs it, the library asks or answers it. */
const isWaiting = ({ unmatched_actions: unmatched, execution_status: status }) => unmatched.length > 0 || status === "running";

/** A test for each conversation that the SDK can carry on by asking the model. */
export function requestsOfTheSdk(sdk) {
  const comparable = conversations.filter((entry) => entry.resume.ok && !isWaiting(entry));
  for (const entry of comparable) {
    test(`the request for ${entry.scenario} ${entry.id} is the SDK's`, { timeout: 60_000, skip: undefined }, (t) => (sdk() ? isTheSdks(t, entry, sdk) : t.skip("no SDK")));
  }
}

async function isTheSdks(t, entry, sdk) {
  const directory = path.join(fixtures, entry.directory);
  const files = filesOf(directory);
  const { llm } = JSON.parse(files.get("base_state.json")).agent;
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, files), { store });
  const model = await scripted(t, [{ text: "Noted." }]);
  const given = Object.entries(settings).filter(([name]) => llm[name] !== undefined);
  const conversation = await open(t, { model, store, conversationId: id, tools: [], llm: Object.fromEntries(given.map(([name, ours]) => [ours, llm[name]])) });
  await say(conversation, question);
  model.check();
  const ours = model.requests[0].body;
  const { ok, error, request: theirs } = await sdk().requests(directory, question, { cipher: entry.cipher });
  assert.ok(ok, error);
  if (violationsOf(theirs).length > 0) { t.diagnostic(`the SDK's request: ${violationsOf(theirs).join("; ")}`); return; }
  assert.deepEqual({ ...ours, tools: undefined }, { ...theirs, tools: undefined });
}
