// The plugins of a conversation that is opened: loads them, asks the host about them, and adds them to its agent. Nothing of them takes
// the place of what the host has given, except skills, and nothing loosens a rule of the host.
import { Agent } from "../../agent/agent.js";
import type { Skill } from "../../agent/types.js";
import type { CoreHooks } from "../../control/types.js";
import { arrayOf, isA, isFunction } from "../../input/arguments.js";
import { bytesOf } from "../../input/bytes.js";
import { ThreadkeepError, ask, fieldOf, invalidOptions, optionsOf, reading, textOf } from "../../input/errors.js";
import type { MCPServer } from "../../mcp/types.js";
import type { Store } from "../../store/store.js";
import type { AllowPlugins, Plugin, PluginAgent, PluginFiles, PluginOptions, PluginSource, ResolvedPlugin } from "../types.js";
import { type OnMissing, PluginHooksRunner } from "./hooks.js";
import { type Loaded, loaded, loadedOf, merged, readContents, resolvedAs } from "./load.js";
import { type SecretOf, serverOf } from "./servers.js";
import type { HookPlace } from "./shell.js";
import { withSkill } from "./skills.js";
import { type StoredPlugin, readStored, storedPlugins, writtenPlugins } from "./stored.js";

/** The options of a conversation that plugins are added to. */
export interface Opening {
  agent: Agent;
  id: string;
  /** Whether the conversation may already exist. */
  isGiven: boolean;
  store: Store;
  hooks: CoreHooks | undefined;
  /** The agent server that runs it. */
  server: unknown;
  ofPlugins: PluginOptions | undefined;
}

/** The parts of an open conversation that its plugins need. */
export interface PluginPlace extends HookPlace {
  secretOf: SecretOf;
}

/** The options with the agent and the hooks that the plugins make of them. @throws ThreadkeepError those of `loadPlugin()` */
export async function withPlugins<Given extends Opening>(given: Given): Promise<Given & { opened?: OpenPlugins }> {
  const options = checked(given.ofPlugins ?? {});
  if (options.plugins === undefined) return given;
  if (given.server !== undefined) throw new ThreadkeepError("unsupported", "plugins are of this page: an agent server loads its own");
  const opened = await OpenPlugins.open(given, options);
  return { ...given, agent: opened.agent, hooks: opened.hooks, opened };
}

/** @throws ThreadkeepError `invalid_options` */
function checked({ plugins, allowPlugins, onMissing = "block" }: PluginOptions) {
  if (allowPlugins !== undefined && !isFunction(allowPlugins)) throw invalidOptions("allowPlugins must be a function");
  if (onMissing !== "block" && onMissing !== "skip") throw invalidOptions('onMissing must be "block" or "skip"');
  return { plugins: plugins === undefined ? undefined : arrayOf("plugins", "plugins", plugins, () => true), allowPlugins, onMissing };
}

export class OpenPlugins {
  agent: Agent;
  hooks: CoreHooks | undefined;
  /** Those that are used. */
  plugins: readonly Plugin[] = [];
  agents: readonly PluginAgent[] = [];
  readonly warnings: Array<{ code: "plugins"; message: string }> = [];
  readonly #runner: { current: PluginHooksRunner | undefined } = { current: undefined };
  readonly #given: Opening;
  #used: readonly Loaded[] = [];
  /** Resolves once the plugins are stored as far as they can be. */
  stored: Promise<void> = Promise.resolve();
  /** Whether the files of these plugins are stored with the conversation. */
  #isStored = false;
  #place: PluginPlace | undefined;

  private constructor(given: Opening) {
    this.#given = given;
    this.agent = given.agent;
    this.hooks = given.hooks;
  }

  static async open(given: Opening, { plugins = [], allowPlugins, onMissing }: ReturnType<typeof checked>): Promise<OpenPlugins> {
    const opened = new OpenPlugins(given);
    const listing = given.isGiven ? await given.store.load(given.id) : undefined;
    const stored = listing ? await readStored(given.store, given.id, listing.createdAt) : [];
    const resolved = resolvedIn(listing?.baseState);
    const found: Array<{ each: Loaded; isWhole: boolean }> = [];
    for (const plugin of plugins) {
      const each = await opened.#load(plugin, stored, resolved);
      const isWhole = await opened.#isAllowed(each, stored, allowPlugins);
      if (isWhole !== undefined) found.push({ each, isWhole });
    }
    await opened.#add(found, given, onMissing);
    const used = opened.#used;
    opened.#isStored = used.length === stored.length && used.every((each, place) => isSame(each, stored[place]!));
    return opened;
  }

  get resolved(): ResolvedPlugin[] {
    return this.plugins.map(({ resolved }) => resolved);
  }

  /** Connects the plugins with the conversation, now that it is open. */
  begin(place: PluginPlace): void {
    this.#place = place;
    if (this.#runner.current) this.#runner.current.place = async () => place;
    this.store();
  }

  /** Stores the plugins with the conversation, if this handle writes it. */
  store(): void {
    this.stored = this.stored
      .then(() => this.#store())
      .catch((error: unknown) => this.#note(`they are not stored with the conversation: ${textOf(error)}`));
  }

  async #store(): Promise<void> {
    const core = this.#place?.core;
    if (core?.access() !== "writer" || !core.isStored()) return;
    const { store, id } = this.#given;
    const createdAt = this.#isStored ? undefined : (await store.load(id))?.createdAt;
    if (createdAt !== undefined)
      await ask(core, "writeFiles", [{ path: storedPlugins, content: bytesOf(writtenPlugins(createdAt, this.#used)) }]);
    this.#isStored = true;
    const known = JSON.parse(core.state()).agent_state?.resolved_plugins;
    if (JSON.stringify(known) !== JSON.stringify(this.resolved))
      await ask(core, "setAgentState", JSON.stringify({ resolved_plugins: this.resolved }));
  }

  close(): void {
    this.#runner.current?.close();
  }

  #note(message: string): void {
    if (!this.warnings.some((known) => known.message === message)) this.warnings.push({ code: "plugins", message });
  }

  /** A plugin that this conversation had before is as it was: at the stored commit, or where its source cannot be reached. */
  async #load(given: unknown, stored: readonly StoredPlugin[], resolved: string): Promise<Loaded> {
    const plugin = loadedOf(given as Plugin);
    if (plugin) return plugin;
    const isSource = reading("plugins", () => fieldOf(given, "source") !== undefined && !isA(given, URL) && typeof given !== "string");
    const { source, ...rest } = isSource
      ? optionsOf("a plugin", given as PluginSource, "source ref repoPath")
      : { source: given as PluginFiles };
    const same = await this.#sameOf(source, rest, stored);
    if (same?.resolved.resolved_ref) return readContents(same.contents, same.name, same.resolved);
    try {
      return await loaded(source, rest, resolved);
    } catch (error) {
      if (!same || fieldOf(error, "code") !== "network") throw error;
      this.#note(`${same.name} is used as it was stored: ${textOf(error)}`);
      return readContents(same.contents, same.name, same.resolved);
    }
  }

  async #sameOf(
    source: PluginFiles,
    rest: Omit<PluginSource, "source">,
    stored: readonly StoredPlugin[],
  ): Promise<StoredPlugin | undefined> {
    if (typeof source !== "string" && !isA(source, URL)) return undefined;
    for (const each of stored) {
      const resolved = await resolvedAs(source, rest, each.resolved?.resolved_ref ?? null);
      if (JSON.stringify(resolved) === JSON.stringify(each.resolved)) return each;
    }
    return undefined;
  }

  /** Whether the whole plugin is used, or only its texts; `undefined` if nothing of it is. */
  async #isAllowed(each: Loaded, stored: readonly StoredPlugin[], allow: AllowPlugins | undefined): Promise<boolean | undefined> {
    const { plugin } = each;
    for (const complaint of plugin.complaints) this.#note(`${plugin.name}: ${complaint}`);
    if (allow === undefined) {
      const acts = Object.keys(plugin.mcpConfig).length > 0 || Object.values(plugin.hooks ?? {}).some((list) => list.length > 0);
      if (acts) this.#note(`${plugin.name}: its hooks and servers are not used, because allowPlugins has not allowed them`);
      return false;
    }
    const isNew = !stored.some((known) => isSame(each, known));
    let answer: unknown;
    try {
      answer = await allow(plugin, { isNew });
    } catch (cause) {
      throw new ThreadkeepError("invalid_state", `allowPlugins failed for ${plugin.name}, so the conversation was not opened`, { cause });
    }
    if (answer === true) return true;
    this.#note(`${plugin.name} is not used, because allowPlugins has not allowed it`);
    return undefined;
  }

  async #add(found: ReadonlyArray<{ each: Loaded; isWhole: boolean }>, { agent, hooks }: Opening, onMissing: OnMissing): Promise<void> {
    this.#used = found.map(({ each }) => each);
    this.plugins = this.#used.map(({ plugin }) => plugin);
    const own = agent.agentContext?.skills ?? [];
    const servers = Object.keys(agent.mcpServers ?? {});
    // Agents that the host gives to the tool `task` are compared when that is made.
    const given = { skills: own.map(({ name }) => name), servers, agents: [] };
    const whole = await merged(
      given,
      found.map(({ each, isWhole }) => (isWhole ? each.json : withoutServers(each.json))),
    );
    for (const complaint of whole.complaints) this.#note(complaint);
    this.agents = whole.agents;
    if (whole.agents.length > 0 && !agent.tools.some(({ name }) => name === "task"))
      this.#note(`the agents ${whole.agents.map(({ name }) => name).join(", ")} need an agent with taskTool()`);
    const ofHost = new Map(own.map((skill) => [skill.name, skill]));
    const skills: Skill[] = whole.skills.map((skill) => (typeof skill === "string" ? ofHost.get(skill)! : withSkill(skill as never)));
    const added: Record<string, MCPServer> = {};
    for (const [name, server] of Object.entries(whole.servers)) {
      const usable = await serverOf(name, server, (secret) => this.#place?.secretOf(secret) ?? Promise.resolve(null));
      if (typeof usable === "string") this.#note(`the server ${name} is not used: ${usable}`);
      else if (usable) added[name] = usable;
    }
    const hasServers = Object.keys(added).length > 0;
    this.agent = new Agent({
      ...agent,
      tools: [...agent.tools],
      ...((skills.length > 0 || agent.agentContext) && { agentContext: { ...agent.agentContext, skills } }),
      ...(hasServers && { mcpServers: { ...agent.mcpServers, ...added } }),
    });
    const hooked = found.filter(({ each, isWhole }) => isWhole && each.plugin.hooks).map(({ each }) => each);
    if (hooked.length === 0) return;
    this.#runner.current = new PluginHooksRunner(hooked, hooks, onMissing, (sentence) => this.#note(sentence));
    this.hooks = this.#runner.current;
  }
}

/** The conversation's plugins as Python or an earlier page has stored them, as JSON. */
function resolvedIn(baseState = "{}"): string {
  try {
    const stored = JSON.parse(baseState).agent_state?.resolved_plugins;
    return JSON.stringify(Array.isArray(stored) ? stored : []);
  } catch {
    return "[]";
  }
}

function withoutServers(json: string): string {
  return JSON.stringify({ ...JSON.parse(json), mcp_config: {}, hooks: undefined });
}

function isSame({ plugin, contents }: Loaded, known: StoredPlugin): boolean {
  const isSameFile = ([path, bytes]: [string, Uint8Array]) => {
    const other = known.contents.get(path);
    return other?.length === bytes.length && other.every((byte, at) => byte === bytes[at]);
  };
  const isResolvedAlike = JSON.stringify(known.resolved) === JSON.stringify(plugin.resolved);
  return isResolvedAlike && known.contents.size === contents.size && [...contents].every(isSameFile);
}
