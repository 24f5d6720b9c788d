// Chat Completions of the fake model: what makes a request one that every provider takes, and the wire form of a reply.
// Providers differ in what they forgive: a request without violations is forgiven nothing.
import { dataViolations, isObject, pdfViolations } from "./checks.mjs";
import { cut } from "./pieces.mjs";

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const parameters = new Set([
  "model",
  "messages",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "stop",
  "seed",
  "n",
  "user",
  "metadata",
  "store",
  "response_format",
  "prompt_cache_key",
  "prompt_cache_retention",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "service_tier",
  "safety_identifier",
]);

/** Sentences on what is wrong with the body of a request that is an object; an empty list for a good one. */
export function chatViolations(body) {
  const found = [];
  for (const key of Object.keys(body)) if (!parameters.has(key)) found.push(`unknown parameter ${key}`);
  if (body.stream_options !== undefined && body.stream !== true) found.push("stream_options without stream");
  return [...found, ...toolViolations(body.tools), ...messageViolations(body.messages)];
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
    if (schema !== undefined && (!isObject(schema) || schema.type !== "object"))
      found.push(`${at} has parameters that are no object schema`);
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
      found.push(...contentViolations(at, message.content, ["text", "image_url", "file", "input_audio"]));
    } else if (role === "assistant") {
      if (!begun) found.push(`${at} is an assistant message before any user message`);
      begun = true;
      const { problems, calls } = assistantViolations(at, message, seen);
      found.push(...problems);
      open = calls;
    } else if (role === "tool") {
      if (!open.delete(message.tool_call_id))
        found.push(`${at} answers ${JSON.stringify(message.tool_call_id)}, which is not an open call`);
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
  if (toolCalls !== undefined && (!Array.isArray(toolCalls) || toolCalls.length === 0))
    problems.push(`${at}.tool_calls is not a list with something in it`);
  else if (toolCalls === undefined || (content !== undefined && content !== null))
    problems.push(...contentViolations(at, content, ["text"]));
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
    if (part.type === "file") return pdfViolations(each, part.file?.file_data, part.file?.filename);
    if (part.type === "input_audio") {
      const { data, format } = part.input_audio ?? {};
      return ["wav", "mp3"].includes(format) ? dataViolations(each, data, [format]) : [`${each} has the format ${JSON.stringify(format)}`];
    }
    return /^(https?:|data:image\/)/.test(part.image_url?.url ?? "") ? [] : [`${each} has no image that a provider can read`];
  });
}

/** The body of an answer to a request that did not ask for a stream. */
export function completion(reply, { body, index }) {
  const message = { role: "assistant", content: reply.text === undefined ? null : [reply.text].flat().join("") };
  if (reply.reasoning !== undefined) message.reasoning_content = reply.reasoning;
  const calls = callsOf(reply, index);
  if (calls.length > 0) message.tool_calls = calls.map((call) => ({ type: "function", ...call }));
  return {
    ...common(reply, body, index, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: finishOf(reply), logprobs: null }],
    usage: usageOf(reply, body),
  };
}

/** The server-sent events of a streamed answer, `[DONE]` included, in the order OpenAI sends them. */
export function streamEvents(reply, { body, index }) {
  const chunk = (fields) => ({ ...common(reply, body, index, "chat.completion.chunk"), ...fields });
  const deltas = [{ role: "assistant", content: "" }];
  for (const piece of cut(reply.reasoning, reply.pieces)) deltas.push({ reasoning_content: piece });
  for (const piece of cut(reply.text, reply.pieces)) deltas.push({ content: piece });
  deltas.push(...callDeltas(callsOf(reply, index), reply));
  const chunks = deltas.map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(reply) }] }));
  const usage = usageOf(reply, body);
  if (usage && body.stream_options?.include_usage) chunks.push(chunk({ choices: [], usage }));
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"];
}

/**
 * First the heads of all calls, then their arguments in turns: what a parallel call looks like at its worst. `pieces` of a call
 * may be the pieces of its arguments themselves.
 */
function callDeltas(calls, { pieces, calls: script = [] }) {
  const heads = calls.map((call, index) => ({
    index,
    id: call.id,
    type: "function",
    function: { name: call.function.name, arguments: "" },
  }));
  const tails = calls.map((call, index) => {
    const own = script[index].pieces ?? pieces;
    const all = Array.isArray(own) ? own : cut(call.function.arguments, own);
    return all.map((piece) => ({ index, function: { arguments: piece } }));
  });
  const rounds = Math.max(0, ...tails.map((tail) => tail.length));
  const interleaved = Array.from({ length: rounds }, (_, round) => tails.flatMap((tail) => tail.slice(round, round + 1))).flat();
  return [...heads, ...interleaved].map((call) => ({ tool_calls: [call] }));
}

function callsOf(reply, index) {
  return (reply.calls ?? []).map(({ id, name, arguments: args }, position) => ({
    id: id ?? `call_${index + 1}_${position + 1}`,
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) },
  }));
}

function common({ id, beside }, body, index, object) {
  return { ...beside, id: id ?? `chatcmpl-${index + 1}`, object, created: 1_700_000_000 + index, model: body.model };
}

function finishOf(reply) {
  return reply.finish ?? (reply.calls?.length ? "tool_calls" : "stop");
}

/** Counts of about four bytes per token, `null` where the script wants none. */
function usageOf(reply, body) {
  if (reply.usage !== undefined) return reply.usage;
  const prompt = Math.ceil(JSON.stringify(body.messages).length / 4);
  const answer = Math.ceil(JSON.stringify([reply.text, reply.reasoning, reply.calls]).length / 4);
  return { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer };
}
