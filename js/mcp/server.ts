// One server of a conversation: connects in the background, remembers the tools, and makes calls.
import type { MCPServerState } from "../events/events.js";
import { ThreadkeepError, textOf } from "../input/errors.js";
import type { ToolContext } from "../tool/types.js";
import { part } from "../wasm/wasm.js";
import { connect } from "./connection.js";
import { CallFailure } from "./failure.js";
import type { OAuthLogin } from "./oauth.js";
import { type ToolResult, contentOf, failure } from "./results.js";
import { isStricter, note, usableTools } from "./tools.js";
import type { Connection, ServerOptions, ServerTool } from "./types.js";

/** How many milliseconds pass at least between two lists, because a server may report changes without end. */
const listInterval = 1_000;
/** How many milliseconds a request to the model waits for a list of tools. */
const patience = 5_000;
/** How many milliseconds a server is left alone after a failure, at least and at most. */
const [shortestPause, longestPause] = [1_000, 60_000];

export interface ServerEvents {
  /** The tools or the state have changed. Resolves when the agent has the tools. */
  onChange(server: Server): Promise<void>;
  /** Hides texts in everything that is stored or reported from now on. */
  hide(texts: string[]): void;
}

export class Server {
  readonly options: ServerOptions;
  state: MCPServerState["state"] = "closed";
  error: string | undefined;
  /** The tools as last listed, in this page or an earlier one. */
  tools: ServerTool[] = [];
  notes: string[] = [];
  /** Whether the server has ever listed its tools. */
  isKnown = false;
  readonly #events: ServerEvents;
  readonly #passphrase: unknown;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  #login: Promise<OAuthLogin> | undefined;
  #listing: Promise<void> | undefined;
  #hasNews = false;
  #listedAt = 0;
  #failures = 0;
  #retryAt = 0;

  constructor(options: ServerOptions, passphrase: unknown, events: ServerEvents) {
    this.options = options;
    this.#passphrase = passphrase;
    this.#events = events;
  }

  /** Connects and lists the tools, unless this is done. Never rejects: the state says how it ended. */
  connect(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** The wait before a request to the model: for a first list, or one that has changed. */
  async listed(): Promise<void> {
    if (this.state === "failed" && Date.now() >= this.#retryAt) void this.connect();
    const wait = this.isKnown ? this.#listing : (this.#connecting ?? this.#listing);
    if (wait) await within(patience, wait);
  }

  /** Calls a tool, which the model knows as `calledAs`. Never rejects, except if the call was cancelled. */
  async call(tool: ServerTool, calledAs: string, args: object, context: ToolContext): Promise<ToolResult> {
    for (let attempt = 0; ; attempt += 1) {
      if (!this.#connection) await untilAborted(this.connect(), context.signal);
      const connection = this.#connection;
      if (!connection) return failure(calledAs, `the server ${this.options.name} is not connected: ${this.error}`);
      const now = this.tools.find(({ name }) => name === tool.name);
      if (!now) return failure(calledAs, `the server ${this.options.name} does not have this tool any more`);
      // The approval, and the repetition after a crash, were decided by the old definition.
      if (isStricter(now.annotations, tool.annotations)) {
        return failure(calledAs, "the server has changed the definition of this tool since; the call was not made, so make it again");
      }
      try {
        const { signal, idempotencyKey } = context;
        const call = connection.call(tool.name, args, { signal, idempotencyKey, onProgress: (text) => context.progress(text) });
        return contentOf(calledAs, await untilAborted(call, signal));
      } catch (error) {
        if (context.signal.aborted) throw error;
        const kind = error instanceof CallFailure ? error.kind : "failed";
        if (kind !== "failed") this.#drop(connection, error);
        // The server has not made this call, because it does not know the session.
        if (kind === "session" && attempt === 0) continue;
        return failure(calledAs, note(textOf(error)));
      }
    }
  }

  /** See `MCPServers.login`. Begins before anything is awaited, if the code is loaded. */
  login(redirect: boolean, signal: AbortSignal | undefined): Promise<void> {
    const login = this.#loadedLogin;
    if (!login) {
      return Promise.reject(
        new ThreadkeepError(
          "invalid_state",
          `MCP server ${this.options.name} has no login in its options, or was not connected yet: give it auth: { oauth: {} }`,
        ),
      );
    }
    return login.login(redirect, signal).then(() => this.reconnect());
  }

  async reconnect(): Promise<void> {
    await this.#connecting;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(() => {});
    await this.connect();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    this.state = "closed";
    await connection?.close();
  }

  #loadedLogin: OAuthLogin | undefined;

  async #connect(): Promise<void> {
    if (this.#connection || this.#closing.signal.aborted) return;
    this.#set("connecting");
    const { connectTimeout } = this.options.limits;
    const late = AbortSignal.timeout(connectTimeout);
    const signal = AbortSignal.any([late, this.#closing.signal]);
    let connection: Connection | undefined;
    try {
      connection = await untilAborted(this.#open(signal), signal);
      this.#connection = connection;
      await untilAborted(this.#list(connection, signal), signal);
      this.#failures = 0;
      this.#set("connected");
    } catch (error) {
      const why = late.aborted ? `it did not answer within ${connectTimeout / 1000} seconds` : textOf(error);
      this.#drop(connection, error, why);
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const oauth = this.options.remote?.oauth;
    this.#login ??= oauth && this.#loadLogin();
    this.#login?.catch(() => (this.#login = undefined));
    const login = await this.#login;
    const connection: Connection = await connect(
      this.options,
      login,
      {
        onListChanged: () => this.#listChanged(),
        onLost: (why) => this.#connection === connection && this.#drop(connection, undefined, why),
      },
      signal,
    );
    // Nobody waits for a connection that came too late.
    if (signal.aborted) void connection.close().catch(() => {});
    return connection;
  }

  async #loadLogin(): Promise<OAuthLogin> {
    const { OAuthLogin } = await part(import("./oauth.js"));
    const { remote } = this.options;
    const login = new OAuthLogin(remote!, remote!.oauth!, this.#passphrase, this.#events.hide);
    this.#loadedLogin = login;
    await login.resume();
    return login;
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#listedAt = Date.now();
    const { tools, notes } = usableTools(await connection.list(signal), this.options.limits.maxTools);
    this.tools = tools;
    this.notes = notes;
    this.isKnown = true;
    await this.#events.onChange(this);
  }

  /** Lists again, as often as there is news, but not all the time. */
  #listChanged(): void {
    this.#hasNews = true;
    this.#listing ??= this.#listNews().finally(() => (this.#listing = undefined));
  }

  async #listNews(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#hasNews && this.#connection) {
      const connection = this.#connection;
      await pause(this.#listedAt + listInterval - Date.now(), signal);
      this.#hasNews = false;
      const limit = AbortSignal.any([AbortSignal.timeout(this.options.limits.connectTimeout), signal]);
      try {
        await untilAborted(this.#list(connection, limit), limit);
      } catch (error) {
        return this.#drop(connection, error);
      }
    }
  }

  /** Gives up a connection. The next request or call makes another one. */
  #drop(connection: Connection | undefined, error: unknown, why = textOf(error)): void {
    if (connection && this.#connection !== connection) return;
    this.#connection = undefined;
    void connection?.close().catch(() => {});
    this.#failures += 1;
    this.#retryAt = Date.now() + Math.min(shortestPause * 2 ** (this.#failures - 1), longestPause);
    const needsLogin = error instanceof CallFailure && error.kind === "login";
    const advice = needsLogin && this.options.remote?.oauth ? "; the user has to log in" : "";
    this.#set(needsLogin ? "login" : "failed", note(why) + advice);
  }

  #set(state: MCPServerState["state"], error?: string): void {
    if (this.#closing.signal.aborted) return;
    this.state = state;
    this.error = error;
    void this.#events.onChange(this);
  }
}

/** The result of a promise, or the reason of a signal that is aborted before. */
function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort!: () => void;
  const aborted = new Promise<never>((_, reject) => (onAbort = () => reject(signal.reason)));
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  return Promise.race([result, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}

async function within(milliseconds: number, wait: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([wait, pause(milliseconds, over.signal)]);
  over.abort();
}

/** Resolves after this time, or when the signal is aborted. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, milliseconds));
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
