// MCP servers of an agent: their options and their state. The code behind is loaded when an agent with servers is opened.
import type { CoreConversation } from "../pkg/threadkeep.js";
import type { Agent } from "./agent.js";
import type { LiveEvent } from "./events.js";
import type { OpenServers } from "./mcp/index.js";
import type { Store } from "./store.js";
import type { Tool } from "./tool.js";
import type { CoreTool } from "./tool/core.js";
import { part } from "./wasm.js";

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

/** The state of a server. */
export interface MCPServerState {
  name: string;
  /**
   * `"login"`: the server asks for a login, see {@link MCPServers.login}. `"failed"`: it could not be reached; it is tried
   * again before the next request to the model and with the next call. `"closed"`: not connected, as in a follower.
   */
  state: "connecting" | "connected" | "login" | "failed" | "closed";
  /** Why it is in this state. */
  error?: string;
  /** The tools by the names that the model uses, as the server last listed them. */
  tools: ReadonlyArray<{ name: string; title?: string; description: string }>;
  /** Notes about tools that were renamed, changed or left out. */
  notes: readonly string[];
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

/** The state of a server has changed. Live only. */
export interface MCPServerEvent extends MCPServerState {
  kind: "MCPServerEvent";
}

/** The name of the channel on which a login window reports its end. @internal */
export const loginChannel = "threadkeep-mcp-login";

/** Ends a login in the window that `login()` has opened: the page at `redirectUrl` calls it. */
export function finishMCPLogin(): void {
  const channel = new BroadcastChannel(loginChannel);
  channel.postMessage(location.href);
  // A message that was posted is delivered, even if the window is closed at once.
  channel.close();
  close();
}

/** The parts of a conversation that its servers need. @internal */
export interface ServerPlace {
  agent: Agent;
  id: string;
  store: Store;
  cipher: unknown;
  emit(event: LiveEvent): void;
  core(): CoreConversation;
  toCore(tools: readonly Tool[]): Promise<CoreTool[]>;
}

/** The servers of the agent, and the filter of its tools, if it has either. @internal */
export async function openServers(place: ServerPlace): Promise<OpenServers | undefined> {
  const { mcpServers, filterToolsRegex } = place.agent;
  if (mcpServers === undefined && filterToolsRegex === undefined) return undefined;
  return (await part(import("./mcp/index.js"))).openServers(place);
}
