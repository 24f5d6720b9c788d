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

/** What is not the same, and why. Each changes the SDK's request into the library's. */
const differences = {
  "model-with-settings": (body) => without(body, "seed", "fixture"), // settings that a host cannot give here
  // With the provider before its name the SDK takes the model for one that thinks, and loses what it may not send to such a one.
  "model-with-settings-and-provider": (body) => ({ ...without(body, "seed", "fixture"), temperature: 0.25, top_p: 0.5 }),
  "switch-llm": (body) => ({ ...body, temperature: 0.5 }),
  // LiteLLM knows the o series from when it took no instructions.
  "model-with-reasoning-effort": (body) => ({ ...body, messages: body.messages.with(0, { ...body.messages[0], role: "system" }) }),
  // Skills and secrets add to what is said; here they have no effect, which is reported.
  skills: (body) => withLast(body, ({ content, ...rest }) => ({ ...rest, content: content.slice(0, -1) })),
  "secrets-with-cipher": (body) => ({ ...body, messages: body.messages.with(0, { ...body.messages[0], content: body.messages[0].content.slice(0, 1) }) }),
  // A branch that begins at the root gets its instructions again.
  "empty-head": (body) => ({ ...body, messages: [{ role: "system", content: [{ type: "text", text: "You are the agent of a threadkeep fixture. Use the tools you have." }] }, ...body.messages] }),
};
/** Calls are always made natively here, never as text. */
const asText = new Set(["model-without-native-calls"]);
/** What some provider would refuse: here it is put in order. */
const inDisorder = new Set(["invalid-calls", "tool-definitions", "empty-answers"]);

const without = (body, ...names) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const withLast = (body, change) => ({ ...body, messages: body.messages.with(-1, change(body.messages.at(-1))) });

/** A test for each conversation that the SDK can carry on by asking the model. */
export function requestsOfTheSdk(sdk) {
  for (const entry of conversations.filter((entry) => entry.resume.ok && !isWaiting(entry) && !asText.has(entry.scenario))) {
    test(`the request for ${entry.scenario} ${entry.id} is the SDK's`, { timeout: 60_000 }, (t) => (sdk() ? isTheSdks(t, entry, sdk()) : t.skip("no SDK")));
  }
}

async function isTheSdks(t, entry, sdk) {
  const directory = path.join(fixtures, entry.directory);
  const ours = await requestFor(t, entry, filesOf(directory));
  const { ok, error, request: theirs } = await sdk.requests(directory, question, { cipher: entry.cipher });
  assert.ok(ok, error);
  const wrong = violationsOf(theirs).filter((violation) => violation.startsWith("messages"));
  assert.equal(wrong.length > 0, inDisorder.has(entry.scenario), wrong.join());
  if (wrong.length > 0) return;
  const expected = (differences[entry.scenario] ?? ((body) => body))(theirs);
  // Tools are the host's own, and described in our words.
  assert.deepEqual(without(ours, "tools"), without(expected, "tools"));
}

/** The body that the library sends when the question is asked, with the settings of the stored model. */
async function requestFor(t, entry, files) {
  const { llm } = JSON.parse(files.get("base_state.json")).agent;
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, files), { store });
  const model = await scripted(t, [{ text: "Noted." }]);
  const given = Object.entries(settings).filter(([name]) => llm[name] !== undefined).map(([name, ours]) => [ours, llm[name]]);
  const conversation = await open(t, { model, store, conversationId: id, tools: [], llm: Object.fromEntries(given) });
  await say(conversation, question);
  model.check();
  return model.requests[0].body;
}
