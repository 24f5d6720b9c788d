// A scripted stand-in for a model that speaks OpenAI Chat Completions and Responses, for tests. It gives the replies it was told to
// give, as broken as it was told to give them, and checks every request, not only those that a test looks at.
//
// A script is a list of replies, or a function (request body, index) => reply. A reply has any of:
//   text, reasoning        what is said and thought
//   calls                  [{ name, arguments, id? }]: arguments a value, or a string sent as it stands
//   finish, usage          finish_reason and token counts; by default what fits the rest
//   pieces                 code points per delta (8); deltas of parallel calls alternate
//   cut                    bytes per write, regardless of events and characters; by default one event each
//   pace                   milliseconds between writes, or (write index) => promise
//   stallAfter             writes after which it goes silent, the connection staying open
//   breakAfter             writes after which it drops the connection
//   status, headers, body  an answer that is not a completion
//   raw                    bytes sent as the body of the stream
import { once } from "node:events";
import { setImmediate as turnOfTheLoop, setTimeout as delay } from "node:timers/promises";
import { listen } from "./listen.mjs";
import { message, messageEvents } from "./model-anthropic.mjs";
import { violationsOf } from "./model-checks.mjs";
import { completion, streamEvents } from "./model-replies.mjs";
import { response as wholeResponse, responseEvents } from "./model-responses.mjs";

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-expose-headers": "*",
  "access-control-max-age": "600",
};

/** What it speaks, by the end of the path: the wire form of a reply. */
const apis = [
  { path: "/chat/completions", whole: completion, events: streamEvents },
  { path: "/v1/messages", whole: message, events: messageEvents },
  { path: "/responses", whole: wholeResponse, events: responseEvents },
];

/** A model that follows `script`. Mount its `handle`, or let it `listen()` on a port of its own. */
export function createModel(script = []) {
  return new Model(script);
}

class Model {
  /** Every request so far: { path, headers, body, aborted }, `aborted` if the client left before the answer ended. */
  requests = [];
  /** What was wrong with them, as sentences. */
  violations = [];
  #script;
  #given = 0;
  #waiting = [];

  constructor(script) {
    this.#script = script;
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
    if (problems.length > 0) throw new Error(`the scripted model saw:\n- ${problems.join("\n- ")}`);
  }

  /** A node:http request listener. */
  handle = async (request, response) => {
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    const [path] = request.url.split(/[?#]/);
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    // Who waits for the network asks whether anybody is there.
    if (request.method === "HEAD") return response.writeHead(404).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const api = apis.find((api) => path.endsWith(api.path));
    if (request.method !== "POST" || api === undefined) {
      this.violations.push(`${request.method} ${path} is not a request this model knows`);
      return json(response, 404, { error: { message: `nothing at ${path}`, type: "invalid_request_error" } });
    }
    const index = this.requests.length;
    const { body, problem } = parse(Buffer.concat(chunks));
    const found = problem ? [problem] : violationsOf(body, request.headers);
    this.violations.push(...found.map((violation) => `request ${index + 1}: ${violation}`));
    const record = { path, headers: request.headers, body, aborted: false };
    this.requests.push(record);
    response.on("close", () => {
      record.aborted = !response.writableFinished;
      this.#changed();
    });
    this.#changed();
    if (found.length > 0) return json(response, 400, { error: { message: found.join("; "), type: "invalid_request_error" } });

    const reply = await this.#next(body);
    if (!reply) {
      this.violations.push(`request ${index + 1}: the script has no reply left`);
      return json(response, 500, { error: { message: "the script has no reply left", type: "server_error" } });
    }
    await answer(reply, { body, index, api }, response);
  };

  #next(body) {
    const index = this.#given++;
    return typeof this.#script === "function" ? this.#script(body, index) : this.#script[index];
  }

  /** Serves it alone. Returns { origin, baseUrl, close() }. */
  async listen(port) {
    const server = await listen(this.handle, port);
    return { ...server, baseUrl: `${server.origin}/v1` };
  }
}

function parse(bytes) {
  try {
    return { body: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch (error) {
    return { problem: `the body is not JSON in UTF-8: ${error.message}` };
  }
}

async function answer(reply, request, response) {
  if (reply.status !== undefined) return json(response, reply.status, reply.body ?? { error: { message: "scripted" } }, reply.headers);
  if (!reply.raw && request.body.stream !== true) {
    await pause(reply, 0);
    return json(response, 200, request.api.whole(reply, request), reply.headers);
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", ...reply.headers });
  // Each write shall reach the client as it is, and the headers before the first of them.
  response.socket?.setNoDelay(true);
  response.flushHeaders();
  let index = 0;
  for (const bytes of writes(reply, request)) {
    if (response.destroyed) return;
    if (index === reply.stallAfter) return;
    if (index === reply.breakAfter) return response.destroy();
    await pause(reply, index);
    index += 1;
    if (!response.write(bytes)) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}

function writes(reply, request) {
  const events = reply.raw === undefined ? request.api.events(reply, request) : [reply.raw];
  if (reply.cut === undefined) return events.map((event) => Buffer.from(event));
  const all = Buffer.concat(events.map((event) => Buffer.from(event)));
  return Array.from({ length: Math.ceil(all.length / reply.cut) }, (_, i) => all.subarray(i * reply.cut, (i + 1) * reply.cut));
}

/** Without a pace still one turn of the event loop, so that the writes do not leave as one. */
function pause({ pace }, index) {
  if (typeof pace === "function") return pace(index);
  return pace === undefined ? turnOfTheLoop() : delay(pace);
}

function json(response, status, body, headers = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}
