// What makes a Chat Completions request one that every provider accepts. Providers differ in what they forgive:
// a request without violations is forgiven nothing. One that has `input` is over the Responses API, and
// one that has `system` over Anthropic Messages.
import { anthropicViolations } from "./model-anthropic.mjs";
import { responsesViolations } from "./model-responses.mjs";

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const parameters = new Set([
  "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "temperature", "top_p", "max_tokens",
  "max_completion_tokens", "reasoning_effort", "stop", "seed", "n", "user", "metadata", "store", "response_format", "prompt_cache_key",
  "prompt_cache_retention", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "service_tier", "safety_identifier",
]);

/** Sentences on what is wrong with a request; an empty list for a good one. */
export function violationsOf(body, headers = { "content-type": "application/json" }) {
  if (!isObject(body)) return ["the body is not an object"];
  const found = [];
  if (!/^application\/json\b/.test(headers["content-type"] ?? "")) found.push(`content-type is ${headers["content-type"]}`);
  if (typeof body.model !== "string" || body.model === "") found.push("model is missing");
  if (!isWellFormed(body)) found.push("a string holds half of a surrogate pair");
  if ("system" in body) return [...found, ...anthropicViolations(body)];
  if ("input" in body) return [...found, ...responsesViolations(body)];
  for (const key of Object.keys(body)) if (!parameters.has(key)) found.push(`unknown parameter ${key}`);
  if (body.stream_options !== undefined && body.stream !== true) found.push("stream_options without stream");
  found.push(...toolViolations(body.tools), ...messageViolations(body.messages));
  return found;
}

function toolViolations(tools) {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ["tools is not a list with something in it"];
  const found = [];
  const names = new Set();
  for (const [i, tool] of tools.entries()) {
    const at = `tools[${i}]`;
    const { name, description, parameters: schema } = tool?.function ?? {};
    if (tool?.type !== "function") found.push(`${at} is not of type function`);
    if (!namePattern.test(name ?? "")) found.push(`${at} has a bad name: ${JSON.stringify(name)}`);
    if (names.has(name)) found.push(`${at} repeats the name ${name}`);
    names.add(name);
    if (description !== undefined && typeof description !== "string") found.push(`${at} has a description that is no string`);
    if (schema !== undefined && (!isObject(schema) || schema.type !== "object")) found.push(`${at} has parameters that are no object schema`);
  }
  return found;
}

function messageViolations(messages) {
  if (!Array.isArray(messages) || messages.length === 0) return ["messages is not a list with something in it"];
  const found = [];
  const seen = new Set();
  let open = new Map();
  let begun = false;
  for (const [i, message] of messages.entries()) {
    const at = `messages[${i}]`;
    const role = message?.role;
    if (role !== "tool" && open.size > 0) {
      found.push(`${at} (${role}) comes before an answer to ${[...open.keys()].join(", ")}`);
      open = new Map();
    }
    if (role === "system" || role === "developer") {
      if (begun) found.push(`${at} is a ${role} message after the conversation began`);
      found.push(...contentViolations(at, message.content, ["text"]));
    } else if (role === "user") {
      begun = true;
      found.push(...contentViolations(at, message.content, ["text", "image_url"]));
    } else if (role === "assistant") {
      if (!begun) found.push(`${at} is an assistant message before any user message`);
      begun = true;
      const { problems, calls } = assistantViolations(at, message, seen);
      found.push(...problems);
      open = calls;
    } else if (role === "tool") {
      if (!open.delete(message.tool_call_id)) found.push(`${at} answers ${JSON.stringify(message.tool_call_id)}, which is not an open call`);
      found.push(...contentViolations(at, message.content, ["text", "image_url"]));
    } else found.push(`${at} has the role ${JSON.stringify(role)}`);
  }
  if (open.size > 0) found.push(`no answer to ${[...open.keys()].join(", ")}`);
  if (!messages.some((message) => message?.role === "user")) found.push("no user message");
  if (messages.at(-1)?.role === "assistant") found.push("the last message is the assistant's own");
  return found;
}

function assistantViolations(at, { content, tool_calls: toolCalls }, seen) {
  const problems = [];
  const calls = new Map();
  if (toolCalls !== undefined && (!Array.isArray(toolCalls) || toolCalls.length === 0)) problems.push(`${at}.tool_calls is not a list with something in it`);
  else if (toolCalls === undefined || (content !== undefined && content !== null)) problems.push(...contentViolations(at, content, ["text"]));
  for (const [i, call] of (Array.isArray(toolCalls) ? toolCalls : []).entries()) {
    const each = `${at}.tool_calls[${i}]`;
    if (call?.type !== "function") problems.push(`${each} is not of type function`);
    if (typeof call?.id !== "string" || call.id === "") problems.push(`${each} has no id`);
    if (seen.has(call?.id)) problems.push(`${each} repeats the id ${call.id}`);
    seen.add(call?.id);
    calls.set(call?.id, call);
    if (!namePattern.test(call?.function?.name ?? "")) problems.push(`${each} has a bad name: ${JSON.stringify(call?.function?.name)}`);
    if (typeof call?.function?.arguments !== "string") problems.push(`${each} has arguments that are no string`);
  }
  return { problems, calls };
}

function contentViolations(at, content, types) {
  if (typeof content === "string") return content === "" ? [`${at} has empty content`] : [];
  if (!Array.isArray(content) || content.length === 0) return [`${at} has no content`];
  return content.flatMap((part, i) => {
    const each = `${at}.content[${i}]`;
    if (!types.includes(part?.type)) return [`${each} is of type ${JSON.stringify(part?.type)}`];
    if (part.type === "text") return typeof part.text === "string" && part.text !== "" ? [] : [`${each} has no text`];
    return /^(https?:|data:image\/)/.test(part.image_url?.url ?? "") ? [] : [`${each} has no image that a provider can read`];
  });
}

function isWellFormed(value) {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isObject(value) || Object.entries(value).every(([key, each]) => key.isWellFormed() && isWellFormed(each));
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
