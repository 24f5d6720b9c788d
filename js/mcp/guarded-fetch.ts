// The `fetch` of a server's connection: adds headers only for the server itself, bounds what is read, notices streams that
// end in the middle of a call, and says what is wrong where a browser only says "failed to fetch".
import { textOf } from "../input/errors.js";
import { CallFailure } from "./failure.js";
import type { Remote } from "./types.js";

/** The most bytes of one response, and of one event stream between two messages. */
const largest = 32 * 1024 * 1024;

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * @param onEnd Called when the answer to the call of this key has ended; `isResumable`: the server can send the rest later.
 */
export function guardedFetch(
  remote: Remote,
  secretHeaders: Record<string, string>,
  onEnd: (key: string, isResumable: boolean) => void,
): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input, remote.url);
    const headers = new Headers(init.headers);
    if (url.origin === remote.url.origin) for (const [name, value] of Object.entries(secretHeaders)) headers.set(name, value);
    let response: Response;
    try {
      response = await (remote.fetch ?? globalThis.fetch)(url, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new CallFailure("lost", await reasonOf(error, url, remote.fetch ?? globalThis.fetch));
    }
    const key = keyOf(init.body);
    if (!response.ok || !response.body) return response;
    return bounded(response, (isResumable) => key !== undefined && onEnd(key, isResumable));
  };
}

/** The key of the call in a request: see `client.ts`. */
function keyOf(body: unknown): string | undefined {
  if (typeof body !== "string" || !body.includes('"tools/call"')) return undefined;
  return JSON.parse(body).params?._meta?.[keyName];
}

export const keyName = "threadkeep/idempotencyKey";

function bounded(response: Response, onEnd: (isResumable: boolean) => void): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const reader = response.body!.getReader();
  let room = largest;
  let hasIds = false;
  let last = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          onEnd(hasIds);
          return;
        }
        for (let at = 0; at < value.length; at += 1) {
          const byte = value[at]!;
          // A message of a stream ends with an empty line, and `id:` at the beginning of a line can be resumed from.
          if (last === lf && isStream) {
            if (byte === lf || byte === cr) room = largest;
            if (byte === letterI) hasIds = true;
          }
          if (byte !== cr || last !== lf) last = byte;
        }
        room -= value.length;
        if (room < 0) throw new Error("the server sent more than 32 MB in one message");
        controller.enqueue(value);
      } catch (error) {
        void reader.cancel(error).catch(() => {});
        controller.error(error);
        onEnd(hasIds);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

const [cr, lf, letterI] = [13, 10, 105];

/** Why a request got no answer, as far as it can be found out. */
async function reasonOf(error: unknown, url: URL, fetch: typeof globalThis.fetch): Promise<string> {
  const place = url.origin;
  if (typeof navigator !== "undefined" && navigator.onLine === false) return `this page has no network, so ${place} cannot be reached`;
  if (typeof location === "undefined" || !location.origin.startsWith("http"))
    return `${place} cannot be reached (${textOf((error as { cause?: unknown }).cause ?? error)})`;
  const isLocal = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  if (location.protocol === "https:" && url.protocol === "http:" && !isLocal)
    return `${place} cannot be reached, because a page from https: may not use http:`;
  if (url.origin === location.origin) return `${place} cannot be reached`;
  try {
    // This request needs no permission of the server. Its answer cannot be read, but an answer shows that a server is there.
    await fetch(url, { method: "HEAD", mode: "no-cors", signal: AbortSignal.timeout(5_000) });
  } catch {
    return `${place} cannot be reached: the server is down, or the browser or its content security policy (connect-src) does not let this page reach it`;
  }
  return (
    `${place} answers, but does not allow requests of pages from ${location.origin} (CORS): the server has to send Access-Control-Allow-Origin, ` +
    `Access-Control-Allow-Headers with content-type, authorization, mcp-session-id and mcp-protocol-version, and Access-Control-Expose-Headers with mcp-session-id`
  );
}
