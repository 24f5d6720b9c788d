// The wire format of Chat Completions, as a server writes it.

/** A tool that a scripted model calls. */
export interface ScriptedCall {
  name: string;
  /** The arguments: an object, or a text that is sent as it is, such as one that is not JSON. Default: `{}`. */
  arguments?: unknown;
  /** Default: `call_<request>_<position>`. */
  id?: string | undefined;
}

/** A status, one with a message and headers such as `retry-after`, or `"network"` for a connection that fails. */
export type ScriptedError =
  | number
  | "network"
  | { status: number; message?: string | undefined; headers?: Record<string, string> | undefined };

/** The body of a request. */
export interface ChatBody {
  model: string;
  messages: ChatBodyMessage[];
  tools?: { type: "function"; function: { name: string; description?: string; parameters?: object } }[];
  stream?: boolean;
  [parameter: string]: unknown;
}

export interface ChatBodyMessage {
  role: string;
  content?: string | null | { type: string; text?: string }[];
  [field: string]: unknown;
}

/** The part of an answer that is sent. */
export interface Reply {
  text?: string | undefined;
  /** The model's thoughts, before the text. */
  reasoning?: string | undefined;
  /** The tools that the model calls. */
  calls?: ScriptedCall[] | undefined;
  /** Characters in each piece of a streamed answer. Default: 8. */
  pieces?: number | undefined;
  /** `finish_reason`. Default: `"tool_calls"` with calls, otherwise `"stop"`. */
  finish?: string | undefined;
  /** The tokens that the answer counts. Default: about one for four characters. */
  usage?: { prompt_tokens: number; completion_tokens: number } | undefined;
}

/** The text of a message. */
export function textIn(message: ChatBodyMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("");
}

/** The body of an answer that is not streamed. */
export function completion(reply: Reply, body: ChatBody, number: number): object {
  const calls = callsOf(reply, number);
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...head("chat.completion", body, number),
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: usageOf(reply, body),
  };
}

/** The server-sent events of an answer that is streamed. */
export function streamOf(reply: Reply, body: ChatBody, number: number): string[] {
  const { text = "", reasoning = "", pieces = 8 } = reply;
  const deltas: object[] = [{ role: "assistant", content: "" }];
  for (const piece of cut(reasoning, pieces)) deltas.push({ reasoning_content: piece });
  for (const piece of cut(text, pieces)) deltas.push({ content: piece });
  for (const [index, { id, type, function: called }] of callsOf(reply, number).entries()) {
    deltas.push({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] });
    for (const piece of cut(called.arguments, pieces)) deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  const chunk = (fields: object) => ({ ...head("chat.completion.chunk", body, number), ...fields });
  const chunks = [
    ...deltas.map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] })),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(reply) }] }),
    chunk({ choices: [], usage: usageOf(reply, body) }),
  ];
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"];
}

function callsOf({ calls = [] }: Reply, number: number) {
  return calls.map(({ id, name, arguments: given = {} }, position) => ({
    id: id ?? `call_${number}_${position + 1}`,
    type: "function",
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  }));
}

function head(object: string, { model }: ChatBody, number: number): object {
  return { id: `chatcmpl-${number}`, object, created: 1_700_000_000 + number, model };
}

function finishOf({ finish, calls }: Reply): string {
  return finish ?? (calls?.length ? "tool_calls" : "stop");
}

function usageOf(reply: Reply, { messages }: ChatBody): object {
  const { prompt_tokens, completion_tokens } = reply.usage ?? {
    prompt_tokens: Math.ceil(JSON.stringify(messages).length / 4),
    completion_tokens: Math.ceil(JSON.stringify([reply.text, reply.reasoning, reply.calls]).length / 4),
  };
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** A text in pieces of so many characters, without cutting one in two. */
function cut(text: string, length: number): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / length) }, (_, i) => points.slice(i * length, (i + 1) * length).join(""));
}
