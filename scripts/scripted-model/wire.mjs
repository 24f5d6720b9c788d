// A reply in the format of OpenAI's Chat Completions, streamed or not. Pure functions: no waiting, no sending.

import { MODEL_NAME } from "./replies.mjs";

/** About four characters per token, the usual rule of thumb. */
const tokensIn = (text) => Math.ceil(text.length / 4);

export function usageOf(body, reply) {
  const written = reply.text + reply.calls.map((call) => call.arguments).join("");
  const prompt_tokens = tokensIn(JSON.stringify(body.messages)) + tokensIn(JSON.stringify(body.tools ?? []));
  const reasoning_tokens = tokensIn(reply.reasoning);
  const completion_tokens = tokensIn(written) + reasoning_tokens;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens },
  };
}

const finishReason = (reply) => (reply.calls.length > 0 ? "tool_calls" : "stop");

export function completionOf({ id, reply, usage }) {
  const message = { role: "assistant", content: reply.text || null };
  if (reply.reasoning) message.reasoning_content = reply.reasoning;
  if (reply.calls.length > 0) {
    message.tool_calls = reply.calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  return {
    id,
    object: "chat.completion",
    created: 0,
    model: MODEL_NAME,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    usage,
  };
}

/** All chunks of the stream, each with its `pace`: how many token delays to wait after it. */
export function* chunksOf({ id, reply, usage }) {
  const frame = (choices, extra) => ({
    id,
    object: "chat.completion.chunk",
    created: 0,
    model: MODEL_NAME,
    choices,
    ...extra,
  });
  const delta = (value, finish_reason = null) => frame([{ index: 0, delta: value, finish_reason }]);

  yield { chunk: delta({ role: "assistant", content: "" }), pace: 4 };
  for (const word of wordsOf(reply.reasoning)) yield { chunk: delta({ reasoning_content: word }), pace: 0.7 };
  for (const word of wordsOf(reply.text)) yield { chunk: delta({ content: word }), pace: 1 };
  for (const piece of interleaved(reply.calls)) yield { chunk: delta({ tool_calls: [piece] }), pace: 1 };
  yield { chunk: delta({}, finishReason(reply)), pace: 0 };
  if (usage) yield { chunk: frame([], { usage }), pace: 0 };
}

const wordsOf = (text) => text.match(/\S+\s*|\s+/g) ?? [];

/** All calls start first and then grow alternately, because a client that assumes one call at a time would mix them up. */
function* interleaved(calls) {
  for (const [index, call] of calls.entries()) {
    yield { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
  }
  const rest = calls.map((call, index) => ({ index, pieces: call.arguments.match(/.{1,8}/gsu) ?? [] }));
  while (rest.some(({ pieces }) => pieces.length > 0)) {
    for (const { index, pieces } of rest) {
      if (pieces.length > 0) yield { index, function: { arguments: pieces.shift() } };
    }
  }
}
