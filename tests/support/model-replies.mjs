// The wire form of a scripted reply: one completion object, or the events of a stream.

/** The body of an answer to a request that did not ask for a stream. */
export function completion(reply, { body, index }) {
  const message = { role: "assistant", content: reply.text ?? null };
  if (reply.reasoning !== undefined) message.reasoning_content = reply.reasoning;
  const calls = callsOf(reply, index);
  if (calls.length > 0) message.tool_calls = calls.map((call) => ({ type: "function", ...call }));
  return {
    ...common(body, index, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: finishOf(reply), logprobs: null }],
    usage: usageOf(reply, body),
  };
}

/** The server-sent events of a streamed answer, `[DONE]` included, in the order OpenAI sends them. */
export function streamEvents(reply, { body, index }) {
  const chunk = (fields) => ({ ...common(body, index, "chat.completion.chunk"), ...fields });
  const deltas = [{ role: "assistant", content: "" }];
  for (const piece of cut(reply.reasoning, reply.pieces)) deltas.push({ reasoning_content: piece });
  for (const piece of cut(reply.text, reply.pieces)) deltas.push({ content: piece });
  deltas.push(...callDeltas(callsOf(reply, index), reply.pieces));
  const chunks = deltas.map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(reply) }] }));
  const usage = usageOf(reply, body);
  if (usage && body.stream_options?.include_usage) chunks.push(chunk({ choices: [], usage }));
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"];
}

/** First the heads of all calls, then their arguments in turns: what a parallel call looks like at its worst. */
function callDeltas(calls, pieces) {
  const heads = calls.map((call, index) => ({ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }));
  const tails = calls.map((call, index) => cut(call.function.arguments, pieces).map((piece) => ({ index, function: { arguments: piece } })));
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

function common(body, index, object) {
  return { id: `chatcmpl-${index + 1}`, object, created: 1_700_000_000 + index, model: body.model };
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

function cut(text = "", length = 8) {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, i) => characters.slice(i * length, (i + 1) * length).join(""));
}
