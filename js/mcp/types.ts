// MCP servers, as a host gives them, and what their connections are.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { MCPServerEvent, MCPServerState } from "../events/events.js";
import type { Store } from "../store/store.js";
import type { CoreTool, Tool } from "../tool/types.js";

/** An MCP server: at a URL, behind a `MessagePort`, or the tools of a page (WebMCP). */
export type MCPServer = MCPRemoteServer | MCPPortServer | MCPPageServer;

interface MCPServerLimits {
  /** How many seconds a call may take. Default 300. */
  timeout?: number | undefined;
  /** How many seconds connecting and listing the tools may take. Default 30. Opening a conversation waits for neither. */
  connectTimeout?: number | undefined;
  /** The most tools to take from this server. Default 128. */
  maxTools?: number | undefined;
}

export interface MCPRemoteServer extends MCPServerLimits {
  url: string | URL;
  /** Default: streamable HTTP, and SSE if the server does not speak that. */
  transport?: "http" | "sse" | undefined;
  /** Headers of every request. Their values are secrets: they are stored redacted, and hidden in events and errors. */
  headers?: Readonly<Record<string, string>> | undefined;
  auth?: MCPAuth | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** A server in this page, in a frame, or in a worker. The port carries the JSON-RPC messages of the protocol as objects. */
export interface MCPPortServer extends MCPServerLimits {
  port: MessagePort;
}

/** The tools that a page has registered. `true` is `document.modelContext`, where the browser has it. */
export interface MCPPageServer extends MCPServerLimits {
  modelContext: true | object;
}

/** A bearer token, or a function that returns one for each connection; or a login with OAuth. */
export type MCPAuth = { token: string | (() => string | Promise<string>) } | { oauth: MCPOAuthOptions };

export interface MCPOAuthOptions {
  /** The page that the login returns to. It calls `finishMCPLogin()`, or for `login({ redirect: true })` is the app itself. Default: the URL of this page. */
  redirectUrl?: string | URL | undefined;
  scopes?: string | readonly string[] | undefined;
  /** Without an id the client registers itself, if the server allows that. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** The name that the login page shows. Default: the host name of the page. */
  clientName?: string | undefined;
  /** Takes the user to this URL in a way of the host, and returns the URL that the login returns to. Used in place of a window. */
  authorize?: ((url: URL) => string | Promise<string>) | undefined;
  /**
   * Where tokens are stored, encrypted under the passphrase (`cipher`) of the conversation. Without a passphrase they are
   * held in memory. Default: an IndexedDB database of this origin.
   */
  storage?: MCPTokenStorage | undefined;
}

/** A storage for encrypted tokens, by a name that contains the URL of the server. */
export interface MCPTokenStorage {
  read(name: string): Promise<string | undefined>;
  /** Sets a text, or removes it if it is `undefined`. */
  write(name: string, text: string | undefined): Promise<void>;
}

/** The MCP servers of an open conversation. */
export interface MCPServers {
  /** The servers in the order of the agent's `mcpServers`. */
  readonly servers: readonly MCPServerState[];
  /** Connects again, for example after the host has repaired something. Resolves to the state after that. */
  reconnect(name: string): Promise<MCPServerState>;
  /**
   * Lets the user log in. Call it in the handler of a click: it opens a window, and resolves when the server is connected.
   * With `redirect` this page itself goes to the login; open the conversation again when it returns.
   * @throws ThreadkeepError `invalid_options`, `invalid_state` if the window was blocked, `aborted` by the signal and after
   * ten minutes, `network`
   */
  login(name: string, options?: { redirect?: boolean | undefined; signal?: AbortSignal | undefined }): Promise<MCPServerState>;
}

/** The parts of a conversation that its servers need. @internal */
export interface ServerPlace {
  agent: { readonly tools: readonly Tool[]; readonly mcpServers?: Readonly<Record<string, MCPServer>>; readonly filterToolsRegex?: string };
  id: string;
  store: Store;
  readonly cipher: unknown;
  emit(event: MCPServerEvent): void;
  readonly core: CoreConversation;
  toCore(tools: readonly Tool[]): Promise<CoreTool[]>;
}

export interface Connection {
  /** The tools, unchecked. */
  list(signal: AbortSignal): Promise<unknown[]>;
  /** The result of a call, unchecked. @throws CallFailure if it is known what became of the call */
  call(tool: string, args: object, options: CallOptions): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Sent to the server, which can recognise a repeated call by it. */
  idempotencyKey: string;
  onProgress(text: string): void;
}

export interface ConnectionEvents {
  onListChanged(): void;
  /** The connection is lost; a new one has to be made. */
  onLost(why: string): void;
}

export interface Limits {
  /** Milliseconds. */
  timeout: number;
  connectTimeout: number;
  maxTools: number;
}

export interface Remote {
  url: URL;
  transport: "http" | "sse" | undefined;
  headers: Record<string, string>;
  token: (() => string | Promise<string>) | undefined;
  oauth: MCPOAuthOptions | undefined;
  fetch: typeof globalThis.fetch | undefined;
}

export interface ServerOptions {
  name: string;
  limits: Limits;
  remote?: Remote;
  port?: MessagePort;
  /** `undefined` where the browser has no tools of pages. */
  page?: { tools: PageTools | undefined };
}

/** The part of `ModelContext` that lists and calls tools. */
export interface PageTools extends Partial<EventTarget> {
  getTools?(): unknown;
  listTools?(): unknown;
  executeTool(tool: unknown, argumentsJson: string, options?: { signal?: AbortSignal }): unknown;
  registerToolsChangedCallback?(callback: () => void): void;
}

/** A tool of a server. */
export interface ServerTool {
  /** The name at the server. */
  name: string;
  title?: string;
  description: string;
  inputSchema: Tool["parameters"];
  annotations: Tool["annotations"];
}
