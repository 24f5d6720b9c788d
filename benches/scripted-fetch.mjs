// A scripted model in place of `fetch`: it calls a tool so many times, then answers with text. Every library gets the same
// bytes in the same pieces, and no network is involved.

import { streamEvents } from "../tests/support/model/chat.mjs";

const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };
const request = { body: { model: "gpt-4o", messages: [], stream_options: { include_usage: true } }, index: 0 };
const encoder = new TextEncoder();
const bytesOf = (reply) => streamEvents({ usage, pieces: Infinity, ...reply }, request).map((event) => encoder.encode(event));

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
    const number = String(answers).padStart(20, "0");
    const call = { id: `call_${number}`, name: "look_up", arguments: { query: `${answers}: ${query}` } };
    return answerOf(bytesOf({ id: `chatcmpl-${number}`, ...(answers > calls ? { text: "Done." } : { calls: [call] }) }));
  };
}

/** A `fetch` whose model answers in so many pieces, with so many milliseconds between them and before them. */
export function tellingFetch(deltas, pace = 0, before = 0) {
  const pieces = bytesOf({ id: "chatcmpl-00000000000000000001", text: Array.from({ length: deltas }, (_, index) => ` word${index}`) });
  return async () => answerOf(pieces, pace, before);
}

/** A `fetch` whose model answers with these pieces of text, with so many milliseconds between them. */
export function sayingFetch(text, pace) {
  const pieces = bytesOf({ id: "chatcmpl-00000000000000000001", text });
  return async () => answerOf(pieces, pace);
}

/** A `fetch` whose model ends with a call, whose arguments are so many characters in so many pieces. */
export function writingFetch(characters, deltas) {
  const message = "Some words of a file, and what they say.\n".repeat(characters / 42);
  const json = JSON.stringify({ message });
  const pieces = bytesOf({
    id: "chatcmpl-00000000000000000001",
    calls: [{ id: "call_00000000000000000001", name: "finish", arguments: json, pieces: Math.ceil(json.length / deltas) }],
  });
  return { fetch: async () => answerOf(pieces), json };
}

function answerOf(pieces, pace = 0, before = 0) {
  let at = 0;
  const body = new ReadableStream({
    async pull(controller) {
      const pause = at === 0 ? before : pace;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (at < pieces.length) controller.enqueue(pieces[at++]);
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
