// Requests to an agent server, and what their failures mean.
import { invalidOptions, optionsOf, textOf, ThreadkeepError } from "../input/errors.js";
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

/** So many milliseconds a server has to answer. */
const answersWithin = 60_000;

/** The content of a request, and its limits. */
interface Said {
  /** It is sent as JSON, or as it is if it is a form. */
  body?: unknown;
  /** Whether it only reads, so that it may be made twice. Default: that of `GET`. */
  reads?: boolean;
  /** So many milliseconds it may take. */
  within?: number;
}

export interface Requests {
  /** Sends a request below `/api/conversations`. Resolves to the text of the answer. @throws ThreadkeepError */
  send(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<string>;
  /** Sends any request. Resolves to the bytes of the answer. @throws ThreadkeepError */
  request(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, said?: Said): Promise<Uint8Array>;
  /** The version of the server, such as `[1, 58]`. @throws ThreadkeepError */
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
    try {
      // After a failure a server resets the connection that the browser keeps; what only reads is asked once more.
      const answer = attempt(method, path, body, within);
      response = await (reads ? answer.catch(() => attempt(method, path, body, within)) : answer);
      content = new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      throw unreachable(server, error);
    }
    if (!response.ok) throw refused(server, response.status, decoded(content));
    return content;
  };
  const info = async () => JSON.parse(decoded(await request("GET", "/server_info"))) as { version?: unknown; usable_tools?: string[] };
  const readVersion = async () => {
    const { version } = await info();
    const [major = 0, minor = 0] = String(version).split(".").map(Number);
    return [major || 0, minor || 0] as const;
  };
  return {
    send: async (method, path, body) => decoded(await request(method, `/api/conversations${path}`, { body })),
    request,
    version() {
      known ??= readVersion();
      known.catch(() => (known = undefined));
      return known;
    },
    tools: async () => (await info()).usable_tools ?? [],
  };
}

/** The text of an answer. */
export const decoded = (content: Uint8Array): string => new TextDecoder().decode(content);

function unreachable({ host }: AgentServerOptions, error: unknown): ThreadkeepError {
  const isMixed = globalThis.location?.protocol === "https:" && /^http:\/\/(?!localhost\b|127\.)/.test(host);
  const why = isMixed
    ? "a page that was loaded over https may not use a server over http: give the server a certificate"
    : "it does not run, or it does not allow pages of this origin: start it with this origin in OH_ALLOW_CORS_ORIGINS";
  return new ThreadkeepError("network", `the agent server ${host} cannot be reached (${textOf(error)}): ${why}`, { cause: error });
}

function refused({ host }: AgentServerOptions, status: number, text: string): ThreadkeepError {
  const said = detailOf(text);
  const of = (code: ConstructorParameters<typeof ThreadkeepError>[0], message: string) => new ThreadkeepError(code, message, { status });
  if (status === 401)
    return of("server_auth", `the agent server ${host} refuses the key; give agentServer() the one that it was started with`);
  if (status === 404) return of("not_found", `the agent server ${host} does not have this: ${said}`);
  if (status === 409) return of("invalid_state", `the agent server refuses this now: ${said}`);
  if (status === 400 || status === 422) return of("invalid_options", `the agent server does not understand this: ${said}`);
  return of("network", `the agent server ${host} has failed with ${status}: ${said}`);
}

/** The reason that a server gives, without what it may repeat of the request. */
function detailOf(text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text).detail;
  } catch {
    // A proxy may answer with a page.
  }
  if (Array.isArray(said)) said = said.map((each: { loc?: unknown[]; msg?: unknown }) => `${each.loc?.join(".")}: ${each.msg}`).join("; ");
  return typeof said === "string" && said !== "" ? said.slice(0, 300) : "it gives no reason";
}
