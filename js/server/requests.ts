// Requests to an agent server.
import { invalidOptions, optionsOf, ThreadkeepError } from "../input/errors.js";
import { answered, bytesOf, decoded, expect, refused, unreachable } from "./answers.js";
import { AgentServer, type AgentServerOptions } from "./server.js";

/** The checked options of `agentServer()`. @throws ThreadkeepError `invalid_options` */
export function serverOptions(server: AgentServer): AgentServerOptions {
  const { host, apiKey, workingDir } = optionsOf("agentServer()", AgentServer.optionsOf(server), "host apiKey workingDir");
  if ([host, workingDir, apiKey ?? ""].some((text) => typeof text !== "string"))
    throw invalidOptions("agentServer() takes strings: host, workingDir, and apiKey if the server has a key");
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw invalidOptions("host must be the address of a server, such as https://agents.example, without a key in it");
  return { host: url.href.replace(/\/+$/, ""), apiKey, workingDir };
}

/** So many milliseconds a server has to answer, and to say what it is. One that was busy with eight conversations has taken ten seconds. */
const answersWithin = 60_000;
const greetsWithin = 30_000;

/** The content of a request, and its limits. */
interface Said {
  /** It is sent as JSON, or as it is if it is a form. */
  body?: unknown;
  /** Whether it only reads, so that it may be made twice. Default: that of `GET`. */
  reads?: boolean;
  /** So many milliseconds it may take. */
  within?: number;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Requests {
  /** Sends a request below `/api/conversations`. Resolves to the text of the answer. @throws ThreadkeepError */
  send(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<string>;
  /** Sends any request. Resolves to the bytes of the answer. @throws ThreadkeepError */
  request(method: Method, path: string, said?: Said): Promise<Uint8Array>;
  /** Sends any request. Resolves to the answer, which is JSON, as `take` reads it. @throws ThreadkeepError `network` also if it throws */
  ask<T>(method: Method, path: string, said: Said, take: (json: any) => T): Promise<T>;
  /** Asks whether an agent server is there. Resolves to its version, such as `[1, 58]`. @throws ThreadkeepError */
  greet(): Promise<readonly [number, number]>;
  /** The version of the server, as it was known last. @throws ThreadkeepError */
  version(): Promise<readonly [number, number]>;
  /** The names of the tools that the server has. @throws ThreadkeepError */
  tools(): Promise<string[]>;
}

export function requestsTo(server: AgentServerOptions): Requests {
  let known: Promise<readonly [number, number]> | undefined;
  const attempt = async (method: string, path: string, body: unknown, within: number): Promise<Response> => {
    const { apiKey } = server;
    const isJson = body !== undefined && !(body instanceof FormData);
    const headers = {
      ...(apiKey !== undefined && { "X-Session-API-Key": apiKey }),
      ...(isJson && { "Content-Type": "application/json" }),
    };
    const signal = AbortSignal.timeout(within);
    const sent = body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) };
    return fetch(server.host + path, { method, headers, signal, redirect: "error", cache: "no-store", ...sent });
  };
  const request: Requests["request"] = async (method, path, { body, reads = method === "GET", within = answersWithin } = {}) => {
    let response: Response;
    let content: Uint8Array;
    // After a failure a server resets the connection that the browser keeps; what only reads is asked once more.
    const again = (error: unknown) => {
      if (!reads || isSilence(error)) throw error;
      return attempt(method, path, body, within);
    };
    try {
      response = await attempt(method, path, body, within).catch(again);
      content = await bytesOf(server, response);
    } catch (error) {
      if (error instanceof ThreadkeepError) throw error;
      throw unreachable(server, error, isSilence(error) ? within : undefined);
    }
    if (!response.ok) throw refused(server, response.status, decoded(content));
    return content;
  };
  const ask: Requests["ask"] = async (method, path, said, take) => answered(server, await request(method, path, said), take);
  const info = <T>(take: (info: { version: string; usable_tools?: unknown }) => T) =>
    ask("GET", "/server_info", { within: greetsWithin }, (info) => {
      expect(typeof info.version === "string");
      return take(info);
    });
  const greet: Requests["greet"] = () =>
    info(({ version }) => {
      const [major = 0, minor = 0] = version.split(".").map(Number);
      return [major || 0, minor || 0] as const;
    });
  return {
    send: async (method, path, body) => decoded(await request(method, `/api/conversations${path}`, { body })),
    request,
    ask,
    greet() {
      known = greet();
      known.catch(() => (known = undefined));
      return known;
    },
    version() {
      return known ?? this.greet();
    },
    tools: () => info(({ usable_tools: names }) => (Array.isArray(names) ? names.filter((name) => typeof name === "string") : [])),
  };
}

/** Whether a request has failed because nobody has answered in time. */
const isSilence = (error: unknown): boolean => error instanceof DOMException && error.name === "TimeoutError";
