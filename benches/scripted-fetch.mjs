// A scripted model in place of `fetch`: it calls a tool so many times, then answers with text. Every library gets the same
// bytes in the same pieces, and no network is involved.

const encoder = new TextEncoder();
const chunk = (id, choice, rest) => encoder.encode(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1795181909, model: "gpt-4o", choices: choice ? [{ index: 0, ...choice }] : [], ...rest })}\n\n`);
const done = encoder.encode("data: [DONE]\n\n");
const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };

/** The arguments of every call. */
export const query = "What was asked, done and found, in so many words. ".repeat(2);
/** The result of every call. */
export const found = "Something of some length that a tool might find, and that a model is told again with every request. ".repeat(4);

/** A `fetch` whose model makes so many calls, one in each answer. */
export function callingFetch(calls) {
  let answers = 0;
  return async (_url, { body }) => {
    if (typeof body !== "string") throw new Error("the body is no text");
    answers += 1;
    const id = `chatcmpl-${String(answers).padStart(20, "0")}`;
    const call = { index: 0, id: `call_${String(answers).padStart(20, "0")}`, type: "function", function: { name: "look_up", arguments: "" } };
    const pieces = answers > calls
      ? [chunk(id, { delta: { role: "assistant", content: "Done." } }), chunk(id, { delta: {}, finish_reason: "stop" })]
      : [
          chunk(id, { delta: { role: "assistant", content: null, tool_calls: [call] } }),
          chunk(id, { delta: { tool_calls: [{ index: 0, function: { arguments: JSON.stringify({ query: `${answers}: ${query}` }) } }] } }),
          chunk(id, { delta: {}, finish_reason: "tool_calls" }),
        ];
    return answerOf([...pieces, chunk(id, null, { usage }), done]);
  };
}

/** A `fetch` whose model answers in so many pieces. */
export function tellingFetch(deltas) {
  const id = "chatcmpl-00000000000000000001";
  const pieces = Array.from({ length: deltas }, (_, index) => chunk(id, { delta: { content: ` word${index}` } }));
  return async () => answerOf([...pieces, chunk(id, { delta: {}, finish_reason: "stop" }), chunk(id, null, { usage }), done]);
}

function answerOf(pieces) {
  let at = 0;
  const body = new ReadableStream({
    pull: (controller) => (at < pieces.length ? controller.enqueue(pieces[at++]) : controller.close()),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
