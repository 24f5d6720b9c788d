// The connection to a server with the protocol's official client, which is loaded together with this module.
import "./without-eval.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { SSEClientTransport, SseError } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, McpError, type Progress, ResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { textOf } from "../input/errors.js";
import { withTimeout } from "../store/inventory.js";
import { CallFailure } from "./failure.js";
import { type Fetch, guardedFetch, keyName } from "./guarded-fetch.js";
import type { OAuthLogin } from "./oauth.js";
import { portTransport } from "./port.js";
import { note } from "./tools.js";
import type { CallOptions, Connection, ConnectionEvents, ServerOptions } from "./types.js";

/** The pages of a list; a server may have pages without end. */
const mostPages = 50;
/** How many milliseconds the end of a session may take. */
const closingTime = 1_000;
/** How many milliseconds a call whose stream has ended still waits for a result that is being read. */
const readingTime = 500;

export async function connectClient(
  options: ServerOptions,
  login: OAuthLogin | undefined,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Connection> {
  /** Ends the call of a key. */
  const calls = new Map<string, (why: CallFailure) => void>();
  const onEnd = (key: string, isResumable: boolean) => {
    if (!isResumable) setTimeout(() => calls.get(key)?.(new CallFailure("lost", lostInCall)), readingTime);
  };
  const lost = (why: string) => {
    for (const end of calls.values()) end(new CallFailure("lost", lostInCall));
    events.onLost(why);
  };
  const { client, transport } = await opened(options, login, onEnd, signal);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onListChanged());
  client.onclose = () => lost("the server has closed the connection");
  client.onerror = (error) => {
    // The client itself tries to connect a broken stream again; then it gives up with this error.
    if (/Maximum reconnection attempts/.test(textOf(error))) lost("the connection to the server was lost");
  };
  return {
    list: (signal) => listed(client, options, signal),
    call: (tool, args, call) => called(client, tool, args, call, options, calls),
    async close() {
      client.onclose = () => {};
      if (transport instanceof StreamableHTTPClientTransport)
        await withTimeout(
          transport.terminateSession().catch(() => {}),
          closingTime,
        );
      await client.close();
    },
  };
}

const lostInCall = "the connection was lost during the call; it is unknown whether it took effect";

async function opened(
  { remote, port, limits }: ServerOptions,
  login: OAuthLogin | undefined,
  onEnd: (key: string, isResumable: boolean) => void,
  signal: AbortSignal,
) {
  if (!remote) {
    const transport = portTransport(port!);
    return { client: await begun(transport, limits.connectTimeout, signal), transport };
  }
  const token = await remote.token?.();
  const headers = { ...remote.headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
  const fetch = guardedFetch(remote, headers, onEnd);
  const settings = { fetch: fetch as Fetch, ...(login && { authProvider: login }) };
  const open = async (transport: Transport) => ({ client: await begun(transport, limits.connectTimeout, signal), transport });
  try {
    if (remote.transport === "sse") return await open(new SSEClientTransport(remote.url, settings));
    try {
      return await open(new StreamableHTTPClientTransport(remote.url, settings) as Transport);
    } catch (error) {
      // As the protocol says, a server that refuses the first message may be one of the older kind.
      const code = error instanceof StreamableHTTPError ? (error.code ?? 0) : 0;
      const isOlder = code >= 400 && code < 500 && code !== 401 && code !== 403;
      if (remote.transport === "http" || !isOlder) throw error;
      try {
        return await open(new SSEClientTransport(remote.url, settings));
      } catch (other) {
        // A server that answers a GET with a status knows neither; its first answer says more.
        throw other instanceof SseError && code !== 405 && code !== 404 ? error : other;
      }
    }
  } catch (error) {
    throw failureOf(error);
  }
}

/** A client after the handshake; without its own check of schemas, which would generate code. */
async function begun(transport: Transport, timeout: number, signal: AbortSignal): Promise<Client> {
  const jsonSchemaValidator = { getValidator: () => () => ({ valid: true as const, data: undefined as never, errorMessage: undefined }) };
  const client = new Client({ name: "threadkeep", version: "0.1.0" }, { capabilities: {}, jsonSchemaValidator });
  try {
    await client.connect(transport, { timeout, signal });
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
  return client;
}

async function listed(client: Client, { limits }: ServerOptions, signal: AbortSignal): Promise<unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools: unknown[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  for (let pages = 0; pages < mostPages && tools.length <= limits.maxTools; pages += 1) {
    const params = typeof cursor === "string" ? { cursor } : {};
    let page: Record<string, unknown>;
    try {
      page = await client.request({ method: "tools/list", params }, ResultSchema, { signal, timeout: limits.connectTimeout });
    } catch (error) {
      throw failureOf(error);
    }
    if (Array.isArray(page["tools"])) tools.push(...page["tools"].slice(0, limits.maxTools + 1));
    cursor = page["nextCursor"];
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return tools;
}

async function called(
  client: Client,
  name: string,
  args: object,
  call: CallOptions,
  { limits }: ServerOptions,
  calls: Map<string, (why: CallFailure) => void>,
) {
  const { idempotencyKey, onProgress } = call;
  const broken = new AbortController();
  calls.set(idempotencyKey, (why) => broken.abort(why));
  try {
    return await client.request(
      { method: "tools/call", params: { name, arguments: args as Record<string, unknown>, _meta: { [keyName]: idempotencyKey } } },
      ResultSchema,
      {
        signal: AbortSignal.any([call.signal, broken.signal]),
        timeout: limits.timeout,
        maxTotalTimeout: limits.timeout,
        onprogress: progressTo(onProgress),
      },
    );
  } catch (error) {
    if (call.signal.aborted) throw error;
    if (broken.signal.aborted) throw broken.signal.reason;
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
      throw new CallFailure(
        "failed",
        `the server did not answer within ${limits.timeout / 1000} seconds; it may be busy, so try later or another way`,
      );
    }
    throw failureOf(error);
  } finally {
    calls.delete(idempotencyKey);
  }
}

/** Passes on the progress of a call, at most ten times a second, because a server may report without end. */
function progressTo(show: (text: string) => void): (progress: Progress) => void {
  let shownAt = 0;
  return ({ progress, total, message }) => {
    const now = Date.now();
    if (now - shownAt < 100) return;
    shownAt = now;
    const figures = total === undefined ? String(progress) : `${progress}/${total}`;
    show(note(typeof message === "string" && message !== "" ? `${message} (${figures})` : figures));
  };
}

/** An error of the client as one of the library. */
function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const message = note(textOf(error));
  if (error instanceof UnauthorizedError) return new CallFailure("login", "the server asks for a login");
  const code = error instanceof StreamableHTTPError || error instanceof SseError ? error.code : undefined;
  if (code === 401) return new CallFailure("login", "the server asks for a login (401), or does not accept the given one");
  if (code === 404 || (code === 400 && /session/i.test(message)))
    return new CallFailure(
      "session",
      code === 404
        ? "the server answers 404: there is nothing at this URL, or it has ended the session"
        : `the server has ended the session (${message})`,
    );
  if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed) return new CallFailure("lost", lostInCall);
  return new CallFailure("failed", message);
}
