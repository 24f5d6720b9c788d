// A model that follows a script, for tests of apps: a `fetch` for `new LLM({ fetch })` that needs no network.
import { type ChatBody, type Reply, type ScriptedCall, type ScriptedError, completion, streamOf, textIn } from "./chat-completions.js";
import { invalidOptions, optionsOf } from "./options.js";

export type { ChatBody, ScriptedCall, ScriptedError };

/** One answer of a scripted model: text, tool calls, or an error. */
export interface ScriptedReply extends Reply {
  /**
   * Only a request that matches gets this reply: one whose last message contains the text, or matches the pattern, or for
   * which the function returns true. Default: any request.
   */
  when?: string | RegExp | ((request: ScriptedRequest) => boolean) | undefined;
  /** An HTTP error, or a connection that fails (`"network"`), in place of an answer. */
  error?: ScriptedError | undefined;
  /** Milliseconds before the answer begins. */
  delay?: number | undefined;
  /** Milliseconds between two pieces of a streamed answer. */
  pace?: number | undefined;
  /** After how many pieces the connection breaks. Default: never. */
  breakAfter?: number | undefined;
}

/** An answer: a text, a reply, or a function that returns one of both for the request. */
export type ScriptedAnswer =
  | string
  | ScriptedReply
  | ((request: ScriptedRequest) => string | ScriptedReply | Promise<string | ScriptedReply>);

/** A request as the model got it. */
export interface ScriptedRequest {
  url: string;
  headers: Headers;
  body: ChatBody;
  /** The text of the last message: the user's, or the result of a tool. */
  lastText: string;
  /** The names of the tools that the model may call. */
  tools: string[];
}

/** A `fetch` that answers with a script, and what was asked of it. */
export interface ScriptedModel {
  /** For `new LLM({ fetch })`. It needs no `this`. */
  fetch: typeof fetch;
  /** The requests so far, also those that nothing in the script matched. */
  requests: readonly ScriptedRequest[];
  /** Adds answers to the end of the script. */
  add(...answers: ScriptedAnswer[]): void;
  /**
   * Throws unless each request got an answer, and each answer was asked for. The error's `actual` and `expected` are lists of
   * lines, of which test runners show the difference.
   */
  check(): void;
}

const replyOptions = "when text reasoning calls error delay pace pieces breakAfter finish usage";

/**
 * A model that gives the answers of a script, in the order of the script: each request gets the first answer that is left
 * and matches it (`when`).
 *
 * It speaks the wire format of Chat Completions, which `openai/scripted`, and any other model's name with
 * `apiMode: "chat"`, use. A request that no answer matches gets the status 400, which ends the run with `llm_bad_request`
 * and says what was asked; `check()` reports it as well.
 *
 * @throws ThreadkeepError `invalid_options`
 */
export function scriptedModel(answers: readonly ScriptedAnswer[] = []): ScriptedModel {
  const requests: ScriptedRequest[] = [];
  const problems: string[] = [];
  const script: { answer: ScriptedAnswer; usedBy?: number }[] = [];
  const add = (...more: ScriptedAnswer[]) => script.push(...more.map((answer) => ({ answer: checked(answer) })));
  add(...answers);

  const refused = (number: number, request: string, why: string) => {
    const problem = `request ${number}: ${request}: ${why}`;
    problems.push(problem);
    return json(400, { error: { message: `scriptedModel(): ${problem}`, type: "invalid_request_error" } });
  };

  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const sent = new Request(
      new URL(input instanceof Request ? input.url : input, "http://scripted.model"),
      input instanceof Request ? input : init,
    );
    const signal = init?.signal ?? sent.signal;
    signal.throwIfAborted();
    // How the library finds out whether a server is reachable.
    if (sent.method === "HEAD") return new Response(null);
    const { url, headers, method } = sent;
    const request = asRequest(url, headers, await sent.text());
    if (!request)
      return refused(
        requests.length + 1,
        `${method} ${new URL(url).pathname}`,
        'this model speaks Chat Completions only: give the LLM apiMode: "chat"',
      );
    const number = requests.push(request);
    const chosen = script.find(({ answer, usedBy }) => usedBy === undefined && matches(answer, request));
    if (!chosen) return refused(number, described(request), `no answer matches it; ${leftOf(script)}`);
    chosen.usedBy = number;
    const given = typeof chosen.answer === "function" ? checked(await chosen.answer(request)) : chosen.answer;
    return respond(typeof given === "string" ? { text: given } : (given as ScriptedReply), request, number, signal);
  };

  const check = () => {
    const left = script.filter(({ usedBy }) => usedBy === undefined);
    if (left.length === 0 && problems.length === 0) return;
    const lines = [...problems, ...left.map(({ answer }) => `never asked for: ${shown(answer)}`)];
    const error = new Error(`the scripted model saw ${requests.length} requests for ${script.length} answers:\n- ${lines.join("\n- ")}`);
    // Test runners show the difference of errors with this name.
    error.name = "AssertionError";
    const expected = script.map(({ answer }, i) => `${i + 1}. ${shown(answer)}`);
    const actual = requests.map((_, i) => {
      const index = script.findIndex(({ usedBy }) => usedBy === i + 1);
      return index < 0 ? `request ${i + 1}: ${described(requests[i]!)}` : expected[index];
    });
    throw Object.assign(error, { expected, actual });
  };

  return { fetch: answer, requests, add: (...more) => void add(...more), check };
}

/** @throws ThreadkeepError `invalid_options` */
function checked(answer: ScriptedAnswer): ScriptedAnswer {
  if (typeof answer === "string" || typeof answer === "function") return answer;
  const reply = optionsOf("an answer of scriptedModel()", answer, replyOptions);
  if (reply.text === undefined && !reply.calls?.length && reply.error === undefined && reply.reasoning === undefined) {
    throw invalidOptions("an answer of scriptedModel() needs text, calls or an error");
  }
  return reply;
}

function asRequest(url: string, headers: Headers, text: string): ScriptedRequest | undefined {
  if (!new URL(url).pathname.endsWith("/chat/completions")) return undefined;
  const body = JSON.parse(text) as ChatBody;
  return { url, headers, body, lastText: textIn(body.messages.at(-1)), tools: (body.tools ?? []).map(({ function: { name } }) => name) };
}

function matches(answer: ScriptedAnswer, request: ScriptedRequest): boolean {
  const when = typeof answer === "object" ? answer.when : undefined;
  if (when === undefined) return true;
  if (typeof when === "function") return when(request);
  // A pattern with the flag g remembers where it stopped.
  return typeof when === "string" ? request.lastText.includes(when) : request.lastText.search(when) >= 0;
}

async function respond(reply: ScriptedReply, { body }: ScriptedRequest, number: number, signal: AbortSignal): Promise<Response> {
  await pause(reply.delay, signal);
  const { error } = reply;
  if (error === "network") throw new TypeError("the scripted model is not reachable");
  if (error !== undefined) {
    const { status, message = `scripted error ${status}`, headers } = typeof error === "number" ? { status: error } : error;
    return json(status, { error: { message } }, headers);
  }
  if (body.stream !== true) return json(200, completion(reply, body, number));
  const pieces = streamOf(reply, body, number).values();
  const encoder = new TextEncoder();
  let sent = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (sent > 0) await pause(reply.pace, signal);
    if (sent++ === reply.breakAfter) throw new TypeError("the connection to the scripted model broke");
    const { value, done } = pieces.next();
    if (done) controller.close();
    else controller.enqueue(encoder.encode(value));
  };
  return new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
}

/** Resolves after so many milliseconds. @throws the reason of `signal` if it is aborted before */
async function pause(milliseconds = 0, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}

function json(status: number, body: unknown, headers?: Record<string, string>): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
}

function leftOf(script: { answer: ScriptedAnswer; usedBy?: number }[]): string {
  const left = script.filter(({ usedBy }) => usedBy === undefined).map(({ answer }) => shown(answer));
  return left.length === 0 ? "all answers are used" : `these are left: ${left.join("; ")}`;
}

/** A request in a line. */
function described({ body, lastText, tools }: ScriptedRequest): string {
  const role = body.messages.at(-1)?.role ?? "no message";
  return `${role}: ${JSON.stringify(shortened(lastText))}${tools.length > 0 ? ` (tools: ${tools.join(", ")})` : ""}`;
}

/** An answer in a line. */
function shown(answer: ScriptedAnswer): string {
  if (typeof answer === "function") return "a function";
  if (typeof answer === "string") return JSON.stringify(shortened(answer));
  const { when, text, calls, error, reasoning } = answer;
  const parts = [
    text !== undefined && JSON.stringify(shortened(text)),
    calls?.length && `calls ${calls.map(({ name }) => name).join(", ")}`,
    error !== undefined && `error ${typeof error === "object" ? error.status : error}`,
    text === undefined && reasoning !== undefined && "thoughts",
  ].filter(Boolean);
  const condition = typeof when === "function" ? "a function" : typeof when === "string" ? JSON.stringify(when) : String(when);
  return `${parts.join(", ")}${when === undefined ? "" : ` when ${condition}`}`;
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
