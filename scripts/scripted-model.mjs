// The scripted model: an OpenAI-compatible endpoint that follows fixed rules, so that the demo works without key and network.
// Every answer says that it is scripted. scripted-model/replies.mjs decides the answers; this file speaks HTTP and
// server-sent events. The only state between requests are the requests that already failed "once" on purpose, and how often
// each was answered: asked again, it uses other words.

import { createHash } from "node:crypto";
import { inOtherWords, MODEL_NAME, replyTo } from "./scripted-model/replies.mjs";
import { chunksOf, completionOf, usageOf } from "./scripted-model/wire.mjs";

const LARGEST_REQUEST = 32 * 1024 * 1024;

/**
 * Returns a Node request handler for `POST /v1/chat/completions`, `GET /v1/models` and `GET /v1/whoami`; anything else is
 * a 404. `delay` is the pause between two tokens in milliseconds; tests pass 0.
 */
export function createScriptedModel({ delay = 18 } = {}) {
  const failedOnce = new Set();
  const answered = new Map();

  return async function scriptedModel(request, response) {
    const { pathname } = new URL(request.url, "http://localhost");
    try {
      if (/^(GET|HEAD)$/.test(request.method) && pathname === "/v1/models") {
        return sendJson(response, 200, {
          object: "list",
          data: [{ id: MODEL_NAME, object: "model", created: 0, owned_by: "threadkeep-demo" }],
        });
      }
      // Not a part of a model: data behind a token, for the page's tool that uses a secret.
      if (request.method === "GET" && pathname === "/v1/whoami") return whoAmI(request, response);
      if (request.method === "POST" && pathname === "/v1/chat/completions") {
        return await complete(request, response, { delay, failedOnce, answered });
      }
      return sendError(response, 404, `the scripted model has no ${request.method} ${pathname}`);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      return sendError(response, error.status ?? 500, error.message);
    }
  };
}

/** Repeats the token, as careless servers do, because the page must hide it. */
function whoAmI(request, response) {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) return sendError(response, 401, "a token is needed, as `Authorization: Bearer …`");
  sendJson(response, 200, { you: "a friend of this page", token });
}

async function complete(request, response, { delay, failedOnce, answered }) {
  const body = await readJson(request);
  const print = fingerprint(body);
  const times = answered.get(print) ?? 0;
  const reply = inOtherWords(replyTo(body), times);

  if (reply.failure && !(reply.failure.once && alreadyFailed(failedOnce, body))) {
    const { status, message, retryAfter } = reply.failure;
    if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
    return sendError(response, status, message);
  }

  answered.set(print, times + 1);
  const id = `chatcmpl-scripted-${print.slice(0, 24)}${times === 0 ? "" : `-${times}`}`;
  const usage = usageOf(body, reply);
  if (!body.stream) return sendJson(response, 200, completionOf({ id, reply, usage }));

  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  const chunks = chunksOf({ id, reply, usage: body.stream_options?.include_usage ? usage : null });
  let sent = 0;
  for (const { chunk, pace } of chunks) {
    if (response.destroyed) return;
    if (reply.breaksAfter !== undefined && sent >= reply.breaksAfter) return void response.destroy();
    // Waiting for the write limits the memory for a slow reader, and everything sent before a cut arrives.
    await new Promise((resolve) => response.write(`data: ${JSON.stringify(chunk)}\n\n`, resolve));
    sent += 1;
    await pauseFor(delay * pace * (reply.slow ? 14 : 1), response);
  }
  response.end("data: [DONE]\n\n");
}

/** Waits, but no longer than the client stays connected. */
function pauseFor(milliseconds, response) {
  if (milliseconds === 0) return undefined;
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      response.off("close", finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    response.on("close", finish);
  });
}

function alreadyFailed(failedOnce, body) {
  const print = fingerprint(body.messages);
  if (failedOnce.has(print)) return true;
  failedOnce.add(print);
  return false;
}

const fingerprint = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

async function readJson(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > LARGEST_REQUEST) throw refusal(413, "the request is larger than the scripted model reads");
    parts.push(part);
  }
  let body;
  try {
    body = JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw refusal(400, "the request body is not JSON");
  }
  if (!Array.isArray(body?.messages)) throw refusal(400, "the request has no `messages` list");
  return body;
}

const refusal = (status, message) => Object.assign(new Error(message), { status });

function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}

const ERROR_TYPES = { 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error" };

function sendError(response, status, message) {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  sendJson(response, status, { error: { message, type, param: null, code: null } });
}
