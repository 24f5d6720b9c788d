// A fake model that speaks Chat Completions, Responses and Anthropic Messages, for tests in Node and in pages. It gives the
// replies of its script, as broken as the script wants them, and checks every request, not only those that a test looks at.
//
// A script is a list of replies, or a function (request body, index) => reply, which may be async. A reply has any of:
//   text, reasoning        of the answer; for Chat Completions also a list, of deltas
//   calls                  [{ name, arguments, id?, pieces? }]: arguments a value, or a string that is sent unchanged
//   id                     of an answer over Chat Completions
//   beside                 further fields of each chunk over Chat Completions, such as { citations }
//   finish, usage          finish_reason and token counts; by default what fits the rest
//   pieces                 code points per delta (8); deltas of parallel calls alternate
//   cut                    bytes per write, regardless of events and characters; by default one event each
//   pace                   milliseconds between writes, or (write index) => promise
//   endAfter               writes after which the answer ends
//   stallAfter             writes after which it goes silent, the connection staying open
//   breakAfter             writes after which it drops the connection
//   connections            for a background response: one such reply for each connection that asks for the rest of it
//   status, headers, body  an answer that is not a completion
//   raw                    bytes sent as the body of the stream
import { message, messageEvents, anthropicViolations } from "./anthropic.mjs";
import { chatViolations, completion, streamEvents } from "./chat.mjs";
import { requestViolations } from "./checks.mjs";
import { response, responseEvents, responsesViolations } from "./responses.mjs";

/** The wire APIs by the end of the path: the checks of a request, and the wire forms of a reply. */
const apis = [
  { path: "/chat/completions", violations: chatViolations, complete: completion, events: streamEvents },
  { path: "/v1/messages", violations: anthropicViolations, complete: message, events: messageEvents },
  { path: "/responses", violations: responsesViolations, complete: response, events: responseEvents },
];

/** Sentences on what is wrong with a request whose wire API is recognized by its body. */
export function violationsOf(body, headers = { "content-type": "application/json" }) {
  const has = (name) => typeof body === "object" && body !== null && name in body;
  const [chat, anthropic, responses] = apis;
  return requestViolations(body, headers, (has("system") ? anthropic : has("input") ? responses : chat).violations);
}

export class ScriptedModel {
  /** Every request so far: { method, path, headers, body, aborted }, `aborted` if the client left before the answer ended. */
  requests = [];
  /** The faults of these requests, as sentences. */
  violations = [];
  #script;
  #checks;
  #given = 0;
  #waiting = [];
  /** Background responses by id, with the connections that are left of each. */
  #background = new Map();

  /** Without `checks` it answers every request, as good or bad as it is. */
  constructor(script = [], { checks = true } = {}) {
    this.#script = script;
    this.#checks = checks;
  }

  /** Adds replies to the end of a script that is a list. */
  add(...replies) {
    this.#script.push(...replies);
  }

  /** Resolves as soon as `count` requests have arrived in all. */
  async arrived(count) {
    while (this.requests.length < count) await this.#change();
  }

  /** Resolves as soon as the client has left request number `number`, counted from 1, before its answer ended. */
  async left(number) {
    while (!this.requests[number - 1]?.aborted) await this.#change();
  }

  #change() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #changed() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Throws if any request was wrong, or if replies of the script were never asked for. */
  check() {
    const problems = [...this.violations];
    if (Array.isArray(this.#script) && this.#given < this.#script.length) {
      problems.push(`only ${this.#given} of ${this.#script.length} replies were asked for`);
    }
    if (problems.length > 0) throw new Error(`the fake model saw:\n- ${problems.join("\n- ")}`);
  }

  /** In the place of `fetch`: the same as over HTTP, without a network. */
  fetch = async (url, { method = "GET", headers, body = "", signal } = {}) => {
    signal?.throwIfAborted();
    const text = typeof body === "string" ? body : await new Response(body).text();
    const exchange = this.begin({ method, url: String(url), headers: Object.fromEntries(new Headers(headers)), text });
    const gone = new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        exchange.ended(false);
        reject(signal.reason);
      });
    });
    gone.catch(() => {});
    const answer = await Promise.race([exchange.answer(), gone]);
    if (typeof answer.body === "string") {
      exchange.ended(true);
      return new Response(answer.status === 204 ? null : answer.body, answer);
    }
    const pull = async (controller) => {
      const { done, value } = await Promise.race([answer.body.next(), gone]);
      if (!done) return controller.enqueue(value);
      exchange.ended(true);
      controller.close();
    };
    return new Response(new ReadableStream({ pull, cancel: () => exchange.ended(false) }), answer);
  };

  /**
   * Takes a request. `answer()` resolves to `{ status, headers, body }`, whose body is a text, or an asynchronous
   * iterator of bytes that throws where the connection breaks; `ended(isComplete)` is for the transport to call.
   */
  begin({ method, url, headers, text }) {
    const { pathname: path, searchParams } = new URL(url, "http://model.test");
    const record = { method, path, headers, body: undefined, aborted: false };
    let isOver = false;
    const ended = (isComplete) => {
      record.aborted ||= !isComplete && !isOver;
      isOver = true;
      this.#changed();
    };
    const answered = (answer) => ({ ended, answer: async () => answer });
    const refused = (status, message, type = "invalid_request_error") => answered(json(status, { error: { message, type } }));

    const rest = method === "GET" && this.#background.get(/\/responses\/([^/]+)$/.exec(path)?.[1]);
    const api = apis.find((api) => path.endsWith(api.path));
    if (!rest && (method !== "POST" || api === undefined)) {
      // A client that waits for the network checks with HEAD whether the server answers.
      if (method !== "HEAD" && this.#checks) this.violations.push(`${method} ${path} is not a request this model knows`);
      return refused(404, `nothing at ${path}`);
    }
    const number = this.requests.push(record);
    this.#changed();
    if (rest) return answered(stream(rest.connections.shift() ?? {}, rest.events.slice(Number(searchParams.get("starting_after")) + 1)));

    const { body, problem } = parse(text);
    record.body = body;
    const found = problem ? [problem] : this.#checks ? requestViolations(body, headers, api.violations) : [];
    this.violations.push(...found.map((violation) => `request ${number}: ${violation}`));
    if (found.length > 0) return refused(400, found.join("; "));
    return { ended, answer: () => this.#play({ body, index: number - 1, api }) };
  }

  async #play(request) {
    const index = this.#given++;
    const reply = await (typeof this.#script === "function" ? this.#script(request.body, index) : this.#script[index]);
    if (!reply) {
      const message = "the script has no reply left";
      this.violations.push(`request ${request.index + 1}: ${message}`);
      return json(500, { error: { message, type: "server_error" } });
    }
    if (reply.status !== undefined) return json(reply.status, reply.body ?? { error: { message: "scripted" } }, reply.headers);
    if (reply.raw !== undefined) return stream(reply, [reply.raw]);
    if (request.body.stream !== true) {
      await pause(reply, 0);
      return json(200, request.api.complete(reply, request), reply.headers);
    }
    const events = request.api.events(reply, request);
    if (!reply.connections) return stream(reply, events);
    const [first, ...connections] = reply.connections;
    this.#background.set(request.api.complete(reply, request).id, { events, connections });
    return stream(first, events);
  }
}

function parse(text) {
  try {
    return { body: JSON.parse(text) };
  } catch (error) {
    return { problem: `the body is not JSON: ${error.message}` };
  }
}

function json(status, body, headers) {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

function stream(reply, events) {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...reply.headers },
    body: writes(reply, events),
  };
}

async function* writes(reply, events) {
  for (const [index, bytes] of inPieces(reply, events).entries()) {
    if (index === reply.endAfter) return;
    if (index === reply.stallAfter) await new Promise(() => {});
    if (index === reply.breakAfter) throw new TypeError("the connection broke");
    await pause(reply, index);
    yield bytes;
  }
}

function inPieces({ cut }, events) {
  const encoder = new TextEncoder();
  const pieces = events.map((event) => (typeof event === "string" ? encoder.encode(event) : event));
  if (cut === undefined) return pieces;
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    all.set(piece, end);
    end += piece.length;
  }
  return Array.from({ length: Math.ceil(end / cut) }, (_, i) => all.subarray(i * cut, (i + 1) * cut));
}

function pause({ pace }, index) {
  return typeof pace === "function" ? pace(index) : pace && new Promise((resolve) => setTimeout(resolve, pace));
}
