// The MCP servers of one open conversation. Loaded when an agent that has servers, or a filter of its tools, is opened.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { signalOf } from "../input/arguments.js";
import { ask, call, invalidOptions, optionsOf, textOf } from "../input/errors.js";
import type { MCPServerState } from "../events/events.js";
import { checking } from "../input/schema.js";
import { isKey, secretsOf } from "../secrets/keys.js";
import { spellings } from "../secrets/spellings.js";
import type { CoreTool, Tool } from "../tool/types.js";
import { type Filter, filterOf } from "./filter.js";
import { ToolNames } from "./names.js";
import { readServers } from "./options.js";
import { checkedPart } from "./schemas.js";
import { Server } from "./server.js";
import { placeOf, readStored, storedTools, writtenTools } from "./stored.js";
import type { MCPServers, ServerOptions, ServerPlace, ServerTool } from "./types.js";

/** @throws ThreadkeepError `invalid_options` */
export async function openServers(place: ServerPlace): Promise<OpenServers> {
  const options = readServers(place.agent.mcpServers);
  const passes = filterOf(place.agent.filterToolsRegex);
  const servers = new OpenServers(place, options, passes);
  if (options.length > 0) await servers.readStored();
  return servers;
}

export class OpenServers implements MCPServers {
  readonly #place: ServerPlace;
  readonly #servers: Server[];
  readonly #names: ToolNames;
  readonly #passes: Filter;
  /** The tools of each server by the names that the model uses. */
  #tools = new Map<Server, Array<{ name: string; tool: ServerTool; note?: string }>>();
  /** Updates of the tools in the wasm, one after the other. */
  #updates: Promise<void> = Promise.resolve();
  #isOpen = false;
  #isWriter = false;
  #written: string | undefined;
  #isDirty = false;

  constructor(place: ServerPlace, options: ServerOptions[], passes: Filter) {
    this.#place = place;
    this.#passes = passes;
    this.#names = new ToolNames(
      place.agent.tools.map(({ name }) => name),
      options.length > 1,
    );
    const events = { onChange: (server: Server) => this.#changed(server), hide: (texts: string[]) => this.#hide(texts) };
    this.#servers = options.map((options) => new Server(options, place.cipher, events));
  }

  /** Whether the agent has the tool of this name, as its filter decides. */
  has(name: string): boolean {
    return this.#passes(name);
  }

  /** Takes the tools that were listed in an earlier page. */
  async readStored(): Promise<void> {
    const { store, id } = this.#place;
    const stored = await readStored(
      store,
      id,
      this.#servers.map(({ options }) => options),
    );
    for (const server of this.#servers) {
      const known = stored.get(server.options.name);
      if (!known) continue;
      for (const { tool, calledAs } of known.tools) this.#names.nameOf(server.options.name, tool.name, calledAs);
      server.tools = known.tools.map(({ tool }) => tool);
      server.isKnown = true;
      this.#take(server);
    }
  }

  /** The settings that the wasm gets with the agent. */
  async coreSettings(): Promise<{ tools: CoreTool[]; listed: () => Promise<void>; config: string }> {
    return { tools: await this.#coreTools(), listed: () => this.#listed(), config: JSON.stringify(this.#config()) };
  }

  /** Begins to connect, now that the conversation is open. A follower connects when a tool is called. */
  begin(core: CoreConversation): void {
    this.#isOpen = true;
    this.#isWriter = core.access() === "writer";
    for (const {
      options: { remote },
    } of this.#servers) {
      if (!remote) continue;
      this.#hide([...secretsOf(remote.headers), ...secretsOf(Object.fromEntries(remote.url.searchParams))]);
      if (remote.token) {
        const token = remote.token;
        remote.token = async () => {
          const value = await token();
          if (typeof value !== "string") throw invalidOptions("the token of an MCP server must be a string");
          this.#hide([value]);
          return value;
        };
      }
      if (remote.oauth?.clientSecret !== undefined) this.#hide([remote.oauth.clientSecret]);
    }
    if (this.#isWriter) for (const server of this.#servers) void server.connect();
  }

  /** An event is stored: the tools are stored as well, if the conversation did not exist when they were listed. */
  committed(): void {
    if (this.#isDirty) this.#queueUpdate();
  }

  get servers(): readonly MCPServerState[] {
    return this.#servers.map((server) => this.#stateOf(server));
  }

  get warnings(): Array<{ code: "mcp_servers"; message: string }> {
    return this.#servers.flatMap((server) =>
      this.#notesOf(server).map((note) => ({ code: "mcp_servers" as const, message: `MCP server ${server.options.name}: ${note}` })),
    );
  }

  async reconnect(name: string): Promise<MCPServerState> {
    const server = this.#named(name);
    await server.reconnect();
    await this.#updates;
    return this.#stateOf(server);
  }

  async login(name: string, options: { redirect?: boolean | undefined; signal?: AbortSignal | undefined } = {}): Promise<MCPServerState> {
    const { redirect = false, signal } = optionsOf("login()", options, "redirect signal");
    const server = this.#named(name);
    await server.login(redirect === true, signalOf(signal));
    await this.#updates;
    return this.#stateOf(server);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #named(name: string): Server {
    const server = this.#servers.find(({ options }) => options.name === name);
    if (server) return server;
    throw invalidOptions(
      `there is no MCP server ${textOf(name).slice(0, 80)}; the agent has ${this.#servers.map(({ options }) => options.name).join(", ")}`,
    );
  }

  #stateOf(server: Server): MCPServerState {
    const tools = (this.#tools.get(server) ?? []).map(({ name, tool }) => ({
      name,
      ...(tool.title !== undefined && { title: tool.title }),
      description: tool.description,
    }));
    const error = server.error === undefined ? {} : { error: this.#masked(server.error) };
    return { name: server.options.name, state: server.state, ...error, tools, notes: this.#notesOf(server) };
  }

  #notesOf(server: Server): string[] {
    const renamed = (this.#tools.get(server) ?? []).flatMap(({ note }) => note ?? []);
    return [...server.notes, ...renamed];
  }

  #masked(text: string): string {
    return this.#isOpen ? call(() => this.#place.core.masked(text)) : text;
  }

  #hide(texts: string[]): void {
    const secret = texts.filter(isKey).flatMap(spellings);
    if (secret.length > 0) this.#place.core.hide(secret);
  }

  #changed(server: Server): Promise<void> {
    this.#queueUpdate(server);
    return this.#updates.then(() => this.#place.emit({ kind: "MCPServerEvent", ...this.#stateOf(server) }));
  }

  #queueUpdate(server?: Server): void {
    this.#isDirty = false;
    this.#updates = this.#updates.then(() => this.#update(server)).catch(() => {});
  }

  /** Gives the tools of a server their names. */
  #take(server: Server): void {
    const named = server.tools.map((tool) => ({ tool, ...this.#names.nameOf(server.options.name, tool.name) }));
    this.#tools.set(
      server,
      named.filter(({ name }) => this.#passes(name)),
    );
  }

  /** Passes the tools on to the wasm, and stores them. */
  async #update(server?: Server): Promise<void> {
    const core = this.#place.core;
    if (server) this.#take(server);
    const tools = await this.#coreTools();
    call(() => core.setRemoteTools(tools));
    const known = this.#servers.filter(({ isKnown }) => isKnown);
    const written = writtenTools(
      known.map((server) => ({
        options: server.options,
        tools: server.tools.map((tool) => ({ ...tool, called_as: this.#names.nameOf(server.options.name, tool.name).name })),
      })),
    );
    if (!this.#isWriter || known.length === 0 || written === this.#written) return;
    // Otherwise a conversation without any message would be created.
    this.#isDirty = core.length() === 0;
    if (this.#isDirty) return;
    await ask(core, "writeFiles", [{ path: storedTools, content: new TextEncoder().encode(written) }]);
    this.#written = written;
  }

  async #listed(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.listed()));
    await this.#updates;
  }

  async #coreTools(): Promise<CoreTool[]> {
    const tools = [...this.#tools].flatMap(([server, tools]) => tools.map(({ name, tool }) => toolOf(server, name, tool)));
    const core = await this.#place.toCore(tools);
    return core.map((tool, place) => ({ ...tool, check: checkOf(tools[place]!) }));
  }

  /** The servers as the SDK stores them; those in the page have no URL for Python. */
  #config(): Record<string, unknown> {
    const remote = this.#servers.filter(({ options }) => options.remote);
    return Object.fromEntries(remote.map(({ options }) => [options.name, storedServer(options)]));
  }
}

/** A tool of a server as a tool of the host. */
function toolOf(server: Server, name: string, tool: ServerTool): Tool {
  // A call of a server outside of the page reaches out of it, even if the server denies that.
  const annotations = server.options.remote ? { ...tool.annotations, openWorldHint: true } : tool.annotations;
  return {
    name,
    description: tool.description,
    parameters: tool.inputSchema,
    annotations,
    execute: (args, context) => server.call(tool, name, withoutNulls(args as object), context),
  };
}

/** The check of arguments. Where it fails because of the schema, the server checks them alone. */
function checkOf({ parameters }: Tool): (argumentsJson: string) => string | null {
  const check = checking(checkedPart(parameters) as Tool["parameters"]);
  return (argumentsJson) => {
    try {
      return check(JSON.stringify(withoutNulls(JSON.parse(argumentsJson))));
    } catch {
      return null;
    }
  };
}

/** As in the SDK, an argument that is null is left out: models write null for optional arguments, and servers refuse it. */
function withoutNulls(args: object): object {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** The SDK's text for a secret that is not stored. */
const redacted = "**********";

function storedServer(options: ServerOptions): object {
  const { transport, headers, token, oauth } = options.remote!;
  const names = Object.keys(headers);
  return {
    url: placeOf(options),
    ...(transport && { transport }),
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, redacted])) }),
    ...(token && { auth: { strategy: "bearer", value: redacted } }),
    ...(oauth && { auth: { strategy: "oauth2" } }),
  };
}
