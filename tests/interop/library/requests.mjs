// For a conversation of the SDK's the library asks the model the same as the SDK does.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { violationsOf } from "../../support/model/script.mjs";
import { fixtures } from "../conversations.mjs";
import { open, question, say, scripted } from "../../support/chat.mjs";
import { filesOf, packed } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";
import { marked } from "./prompt-marks.mjs";
import { withBareSummaries } from "./summaries.mjs";
import { isNewest } from "../versions.mjs";

/** The settings of a stored model that a host can give here, by the names that they have here. */
const settings = {
  model: "model",
  stream: "stream",
  temperature: "temperature",
  top_p: "topP",
  max_output_tokens: "maxOutputTokens",
  reasoning_effort: "reasoningEffort",
  usage_id: "usageId",
  native_tool_calling: "nativeToolCalling",
};

/** Conversations in which a call waits: the SDK runs it, the library asks or answers it. */
const isWaiting = ({ unmatched_actions: unmatched, execution_status: status }) => unmatched.length > 0 || status === "running";

/** A server of which nothing is known but its language is sent nothing but that. */
const toAnybody = (body) => without(body, "prompt_cache_key");

/** Early versions of the SDK stored arguments that are not an object, for which servers refuse every later request. */
const brokenArguments = "[1, 2]";
const note = `[The arguments of this call were not a JSON object: ${brokenArguments}]`;

/** The differences and their reasons. Each changes the SDK's request into the library's. */
const differences = {
  "model-with-prompt-caching": toAnybody,
  "model-with-reasoning-echo": toAnybody,
  "model-with-string-content": toAnybody,
  router: toAnybody,
  "model-with-settings": (body) => without(body, "seed", "fixture"), // settings that a host cannot give here
  // With the provider before its name the SDK takes the model for one that thinks, and loses what it may not send to such a one.
  "model-with-settings-and-provider": (body) => ({ ...without(body, "seed", "fixture"), temperature: 0.25, top_p: 0.5 }),
  "switch-llm": (body) => ({ ...body, temperature: 0.5 }),
  // LiteLLM knows the o series from when it took no instructions.
  "model-with-reasoning-effort": (body) => ({ ...body, messages: body.messages.with(0, { ...body.messages[0], role: "system" }) }),
  // Since 1.58.0 only an older model of this family is taken for one that wants strings.
  ...(isNewest && {
    "model-with-string-content": (body) =>
      toAnybody({
        ...body,
        messages: body.messages.map(({ content, ...rest }) => ({ ...rest, content: content.map(({ text }) => text).join("\n") })),
      }),
  }),
  // Without an agent context the names of secrets are not in the system prompt here.
  "secrets-with-cipher": (body) => ({
    ...body,
    messages: body.messages.with(0, { ...body.messages[0], content: body.messages[0].content.slice(0, 1) }),
  }),
  "invalid-arguments": (body) => ({
    ...body,
    messages: body.messages.map((message) => {
      if (message.tool_call_id === "call_list") return { ...message, content: [...message.content, { type: "text", text: note }] };
      const calls = message.tool_calls?.map((call) => ({ ...call, function: { ...call.function, arguments: repaired(call.function) } }));
      return calls ? { ...message, tool_calls: calls } : message;
    }),
  }),
  // A branch that begins at the root gets its instructions again.
  "empty-head": (body) => ({
    ...body,
    messages: [
      { role: "system", content: [{ type: "text", text: "You are the agent of a threadkeep fixture. Use the tools you have." }] },
      ...body.messages,
    ],
  }),
};
const repaired = ({ arguments: given }) => (given === brokenArguments ? "{}" : given);

/** The same over the Responses API. */
const differencesOverResponses = {
  "invalid-arguments": (body) => ({
    ...body,
    input: body.input.map((item) => {
      if (item.type === "function_call_output" && item.call_id === "call_list") return { ...item, output: `${item.output}\n${note}` };
      return item.type === "function_call" ? { ...item, arguments: repaired(item) } : item;
    }),
  }),
  // What is left out may have stood between messages of the user, which are one then.
  "empty-answers": ({ input, ...body }) => ({ ...body, input: [{ ...input[0], content: input.flatMap(({ content }) => content) }] }),
  "model-with-settings": (body) => ({ ...without(body, "fixture"), top_p: 0.5 }),
  "model-with-settings-and-provider": (body) => ({ ...without(body, "fixture"), temperature: 0.25, top_p: 0.5 }),
  "switch-llm": (body) => ({ ...body, temperature: 0.5 }),
  "model-with-reasoning-effort": (body) => without(body, "temperature"), // which a model that thinks refuses
  "secrets-with-cipher": (body) => ({ ...body, instructions: body.instructions.split("\n")[0] }),
  "empty-head": (body) => ({ ...body, instructions: "You are the agent of a threadkeep fixture. Use the tools you have." }),
};
/** Tools are described in the instructions. */
const inText = new Set(["model-without-native-calls"]);
/** Parts of requests that some provider would refuse, which the library corrects. */
const inDisorder = new Set(["invalid-calls", "tool-definitions", "empty-answers"]);
/** The same over the Responses API, which has no place for what is empty. */
const tornApart = new Set(["invalid-calls"]);

const without = (body, ...names) => Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** A test for each conversation that the SDK can carry on by asking the model. */
export function requestsOfTheSdk(sdk) {
  for (const entry of conversations.filter((entry) => entry.resume.ok && !isWaiting(entry))) {
    test(`the request for ${entry.scenario} ${entry.id} is the SDK's`, (t) => (sdk() ? isTheSdks(t, entry, sdk()) : t.skip("no SDK")));
    if (inText.has(entry.scenario)) continue;
    test(`the request for ${entry.scenario} ${entry.id} over the Responses API is the SDK's`, (t) =>
      sdk() ? isTheSdksOverResponses(t, entry, sdk()) : t.skip("no SDK"));
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
  // Tools are the host's own.
  assert.deepEqual(without({ ...ours, messages: marked(ours.messages) }, "tools"), without(expected, "tools"));
}

async function isTheSdksOverResponses(t, entry, sdk) {
  const directory = path.join(fixtures, entry.directory);
  const { ok, error, request: theirs } = await sdk.requests(directory, question, { cipher: entry.cipher, api_mode: "responses" });
  assert.ok(ok, error);
  assert.equal(
    violationsOf(theirs).some((violation) => /before an answer/.test(violation)),
    tornApart.has(entry.scenario),
  );
  const ours = await requestFor(t, entry, filesOf(directory), { apiMode: "responses" });
  if (tornApart.has(entry.scenario)) return;
  const expected = (differencesOverResponses[entry.scenario] ?? ((body) => body))(taken(theirs));
  assert.deepEqual(without(ours, "tools"), without(expected, "tools"));
}

/** The SDK's request as a provider accepts it: one result for each call, and no reasoning that it cannot take back. */
export function taken({ input, ...body }) {
  // With its provider before its name every model is taken for one that thinks, and this one refuses to hear of it.
  if (body.reasoning === undefined) delete body.include;
  const items = [];
  for (const [i, item] of input.entries()) {
    const last = items.at(-1);
    const isFollowed = ["function_call", "message"].includes(input[i + 1]?.type) && input[i + 1].role !== "user";
    if (item.type === "function_call_output" && last?.call_id === item.call_id && last.outputs) last.outputs.push(item.output);
    else if (item.type === "function_call_output") items.push({ ...item, outputs: [item.output] });
    else if (item.type !== "reasoning" || (isFollowed && (item.encrypted_content || item.content))) items.push(item);
  }
  return { ...body, input: items.map(({ outputs, ...item }) => (outputs ? { ...item, output: joined(outputs) } : item)) };
}

/** Texts are one text, unless there is an image among them. */
function joined(outputs) {
  if (outputs.every((output) => typeof output === "string")) return outputs.join("\n");
  return outputs.flatMap((output) => (typeof output === "string" ? [{ type: "input_text", text: output }] : output));
}

/** The body that the library sends when the question is asked, with the settings of the stored model. */
async function requestFor(t, entry, files, more = { apiMode: "chat" }) {
  const { llm } = JSON.parse(files.get("base_state.json")).agent;
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, files), { store });
  const model = await scripted(t, [{ text: "Noted." }]);
  const given = Object.entries(settings)
    .filter(([name]) => llm[name] !== undefined)
    .map(([name, ours]) => [ours, llm[name]]);
  const conversation = await open(t, { model, store, conversationId: id, tools: [], llm: { ...Object.fromEntries(given), ...more } });
  await say(conversation, question);
  model.check();
  return withBareSummaries(model.requests[0].body);
}
