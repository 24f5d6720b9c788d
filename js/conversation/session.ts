// One handle on a conversation, from opening to closing: it makes the parts, connects them with the conversation of the wasm, and
// ends them. The conversations of sub-agents get from it what they share with the one that starts them.
import { CoreConversation } from "../../pkg/threadkeep.js";
import type { Agent } from "../agent/agent.js";
import { coreCondensing } from "../agent/condenser.js";
import { coreCritic } from "../agent/critics.js";
import { coreContext } from "../agent/skills.js";
import { Analyzers } from "../control/control.js";
import type { ConversationEvent, ConversationState, LiveEvent, StreamingDeltaEvent } from "../events/events.js";
import type { ToolCallDelta } from "../events/types.js";
import { ask, call, settle } from "../input/errors.js";
import { coreLLM, type LLM } from "../llm/llm.js";
import { Network, WAITED } from "../llm/network.js";
import type { OpenServers } from "../mcp/index.js";
import { openServers } from "../mcp/mcp.js";
import type { ServerPlace } from "../mcp/types.js";
import type { OpenPlugins } from "../plugins/plugins/open.js";
import type { ResolvedPlugin } from "../plugins/types.js";
import { Secrets } from "../secrets/secrets.js";
import { opened as noteOpened, record, recordChange, withTimeout } from "../store/inventory.js";
import { coreStore, spansConversations, type Store } from "../store/store.js";
import type { Child, ChildOptions, Parent, Tasks } from "../subagents/types.js";
import { closingTimeout, ToolCalls } from "../tool/calls.js";
import type { BuiltInDefinition, CoreTool, Tool } from "../tool/types.js";
import { whenIdle } from "../wasm/idle.js";
import { load, loadChunk, part } from "../wasm/wasm.js";
import { LazyHome, workingDirOf, workspaceOn } from "../workspace/workspace.js";
import { eventLog } from "./event-log.js";
import { listenersOf } from "./listeners.js";
import type { readOptions } from "./options.js";
import type { Place } from "./home/page.js";
import { Role } from "./role.js";
import type { AgentServer } from "../server/server.js";
import type { PageCall } from "./role/pages.js";
import type { ConversationOptions, ConversationWarning, Listeners, RunResult } from "./types.js";

/** The checked options of a conversation; of a sub-agent's with the session that starts it. @internal */
export interface Given extends ReturnType<typeof readOptions> {
  above?: { readonly session: ConversationSession; readonly ancestors: readonly string[] };
  /** The plugins, which are in `agent` and `hooks` already. */
  opened?: OpenPlugins;
}

/** @internal */
export class ConversationSession implements Parent, ServerPlace {
  readonly id: string;
  readonly store: Store;
  readonly agent: Agent;
  readonly listeners: Listeners;
  readonly emit: (event: ConversationEvent | LiveEvent) => void;
  readonly network: Network;
  /** Notes that do not come from the wasm. */
  readonly warnings: ConversationWarning[] = [];
  readonly analyzers: Analyzers;
  /** The current model. */
  llm: LLM;
  secrets!: Secrets;
  home!: LazyHome;
  tools!: ToolCalls;
  mcp: OpenServers | undefined;
  tasks: Tasks | undefined;
  approving: Promise<unknown> | undefined;
  /** The run that is under way. */
  underWay: Promise<RunResult> | undefined;
  /** Whether the last writer has died during a run, and none has begun since. */
  wasCutOff = false;
  /** Whether a summary is being written here. */
  isCondensing = false;
  readonly role: Role;
  /** The conversation in a worker. */
  place: Place | undefined;
  readonly #given: Given;
  readonly #open: (given: Given) => Promise<Child>;
  #core: CoreConversation | undefined;
  /** The models of the condenser. */
  #summarizers: readonly LLM[] = [];
  /** Whether lists show a commit of opening. */
  #isListed = false;
  /** Whether this handle writes a conversation of which nothing is stored yet. */
  #isNew = false;
  #isClosed = false;
  #freed: Promise<void> | undefined;
  #shownState: { text: string; value: ConversationState } | undefined;

  /** Opens the conversation, or creates it. `open` opens those of its sub-agents. */
  static async open(given: Given, open: (given: Given) => Promise<Child>): Promise<ConversationSession> {
    // It comes while the page does what needs no wasm; a failure is that of the opening.
    load().catch(() => {});
    const session = new ConversationSession(given, open);
    let core: CoreConversation;
    try {
      // First, so that the worker writes, and not this handle.
      if (given.at !== undefined) await session.#openAt(given.at);
      core = await session.#start();
      await session.#begin(core);
    } catch (error) {
      if (session.#core) await ask(session.#core, "close");
      session.role.close();
      void session.place?.leave();
      throw error;
    }
    session.mcp?.begin(core);
    session.role.greet();
    // A failure is left to the one that needs the part.
    void whenIdle()
      .then(() => part(import("./ahead.js")))
      .then(({ loadAhead }) => loadAhead(given, session.state()))
      .catch(() => {});
    return session;
  }

  private constructor(given: Given, open: (given: Given) => Promise<Child>) {
    const { agent, id, store, waits, above } = given;
    const { listeners, emit } = listenersOf(given);
    const masked = (text: string): string => this.core.masked(text);
    const note = (waiting: unknown): void => void ask(this.core, "note", WAITED, JSON.stringify(waiting)).catch(() => {});
    this.#given = given;
    this.#open = open;
    this.id = id;
    this.store = store;
    this.agent = agent;
    this.llm = agent.llm;
    this.listeners = listeners;
    this.emit = emit;
    this.role = new Role(this, given.takesOver);
    this.analyzers = above?.session.analyzers ?? new Analyzers();
    this.network = new Network(id, waits, (event) => emit({ ...event, message: masked(event.message) }), note, masked);
  }

  /** The conversation of the wasm. The parts ask for it once it is there. */
  get core(): CoreConversation {
    return this.#core!;
  }

  /** The server that runs the conversation. */
  get server(): AgentServer | undefined {
    return this.#given.server;
  }

  /** The plugins of the conversation; a sub-agent's are those of the one that starts it. */
  get plugins(): OpenPlugins | undefined {
    return this.#given.above ? undefined : this.#given.opened;
  }

  get resolvedPlugins(): readonly ResolvedPlugin[] | null {
    return this.plugins?.resolved ?? this.shownState.agent_state.resolved_plugins ?? null;
  }

  get allWarnings(): ConversationWarning[] {
    const ofCore = call(() => this.core.warnings()) as ConversationWarning[];
    return [...ofCore, ...this.warnings, ...(this.mcp?.warnings ?? []), ...(this.plugins?.warnings ?? [])];
  }

  get cipher(): unknown {
    return this.#given.cipher;
  }

  get attachments(): ConversationOptions["attachments"] {
    return this.#given.attachments;
  }

  /** The stored state, read anew. */
  state(): ConversationState {
    return JSON.parse(this.core.state());
  }

  /** The state without the library's own fields: the same object until it changes. */
  get shownState(): ConversationState {
    const text = call(() => this.core.state());
    if (this.#shownState?.text !== text) {
      const { threadkeep_import: _, threadkeep_beginning: __, threadkeep_server: ___, ...stored } = JSON.parse(text);
      this.#shownState = { text, value: { stats: { usage_to_metrics: {} }, tags: {}, agent_state: {}, ...stored } };
    }
    return this.#shownState!.value;
  }

  /** The session whose files the calls of sub-agents change, in the transactions of their results. */
  get owner(): ConversationSession | undefined {
    const { above } = this.#given;
    if (above) return above.session.owner;
    return this.home.isTransactional && spansConversations(this.store) ? this : undefined;
  }

  /** Whether the workspace is the conversation's own, or that of the one whose sub-agent it is. */
  get ownsWorkspace(): boolean {
    return this.home.isTransactional || this.#given.above?.session.ownsWorkspace === true;
  }

  /** Runs a tool in a page. The handles of pages are on the user's conversation, not on those of sub-agents. */
  runInPage(call: PageCall): Promise<string> {
    const { above } = this.#given;
    return above ? above.session.runInPage(call) : this.role.runInPage(call);
  }

  /** Loads a part of the library, and waits for the network if a run needs it. */
  load<T>(load: () => Promise<T>): Promise<T> {
    return this.network.load(load);
  }

  toCore(tools: readonly Tool[]): Promise<CoreTool[]> {
    return this.tools.toCore(tools);
  }

  async startTasks(options: object): Promise<BuiltInDefinition> {
    const { define } = await part(import("../subagents/task.js"));
    return define(options, this, this.#given.opened?.agents);
  }

  /** Opens the conversation of a sub-agent. It gets everything from this one that is not named here, and no looser setting. */
  openChild({ agent, id, ancestors, confirmationPolicy, limits, onEvent }: ChildOptions): Promise<Child> {
    const { hooks } = this.#given;
    const given: Given = {
      ...this.#given,
      agent,
      id,
      isGiven: true,
      callbacks: [onEvent],
      tokenCallbacks: [onEvent],
      limits: { ...JSON.parse(this.core.limits()), ...limits },
      policy: confirmationPolicy,
      // Hooks of messages and sessions are about the user's conversation.
      hooks: hooks && { ...hooks, eventTypes: hooks.eventTypes.filter((name) => name.endsWith("ToolUse")) },
      securityAnalyzer: undefined,
      tags: undefined,
      deleteOnClose: false,
      // The conversation above decides who writes.
      takesOver: false,
      at: undefined,
      secrets: this.secrets.inherited().secrets,
      workspace: this.home.workspace,
      above: { session: this, ancestors },
    };
    return this.load(() => this.#open(given));
  }

  async #openAt(at: NonNullable<Given["at"]>): Promise<void> {
    const { openAt } = await part(import("./home/page.js"));
    const place = await openAt(at, this.id, this.store.name);
    if (typeof place === "string") this.warnings.push({ code: "home_unavailable", message: `${place}; it runs in this tab` });
    else this.place = place;
  }

  /** Makes the parts, and opens the conversation of the wasm with them. */
  async #start(): Promise<CoreConversation> {
    const { agent, id, store, above, securityAnalyzer, secrets, cipher, workspace } = this.#given;
    const { network } = this;
    const analyzer = securityAnalyzer === undefined ? undefined : await this.analyzers.take(securityAnalyzer);
    this.secrets = await Secrets.read(secrets, cipher, agent.llm.options);
    const workingDir = await workingDirOf(agent.tools, workspace, store, id);
    const files = workspace ?? (this.server && workspaceOn(this.server, () => (this.core.isStored() ? this.core.state() : undefined)));
    this.home = new LazyHome(files, this.server ? undefined : workingDir, this, above?.session.owner?.home);
    this.tools = new ToolCalls(agent.tools, this);
    this.mcp = await openServers(this);
    const [coreOfStore, tools, condensing, context, critic, finalAnswer] = await Promise.all([
      coreStore(store),
      this.tools.toCore(),
      coreCondensing(agent, (llm) => coreLLM(llm, network, this.secrets.onKey)),
      coreContext(agent),
      agent.critic === undefined ? undefined : coreCritic(agent.critic),
      agent.finalAnswer === undefined
        ? undefined
        : part(import("../agent/final-answer.js")).then(({ coreAnswer }) => coreAnswer(agent.finalAnswer!)),
    ]);
    const { mcp } = this;
    this.#summarizers = condensing?.llms ?? [];
    const options = {
      ...this.#settings(),
      ...(analyzer && { securityAnalyzer: analyzer }),
      ...this.#callbacks(),
      agent: {
        llm: coreLLM(agent.llm, network, this.secrets.onKey, this.secrets.keyToken),
        ...(agent.systemPrompt !== undefined && { systemPrompt: agent.systemPrompt }),
        toolConcurrencyLimit: agent.toolConcurrencyLimit,
        filterToolsRegex: agent.filterToolsRegex,
        tools: mcp ? tools.filter(({ name }) => mcp.has(name)) : tools,
        condensing,
        ...context,
        critic,
        finalAnswer,
        workingDir,
        mcp: await mcp?.coreSettings(),
      },
    };
    const owner = above?.session.owner;
    const open = (given: object = options) =>
      settle(owner ? owner.core.openBelow(given, coreOfStore) : CoreConversation.open(given, coreOfStore));
    this.#core = (await open().catch((error: { code?: unknown }) => {
      // Another handle has taken it over meanwhile. This one follows it then.
      if (!above && error.code === "locked_elsewhere") return open();
      if (above || error.code !== "store_quota") throw error;
      // Opening has to store something, which is left until there is room; everything can be read and exported.
      this.warnings.push({ code: "store_quota", message: "there is no room to go on: make some, and call takeOver()" });
      return open({ ...options, follows: true });
    })) as CoreConversation;
    if (above) this.#core.hide(above.session.secrets.inherited().hidden);
    return this.#core;
  }

  /** The options that are not the agent's, in the form that the wasm takes. */
  #settings(): object {
    const { id, limits, resume, tags, policy, hooks, above } = this.#given;
    return {
      conversationId: id,
      ...limits,
      resume,
      ...(this.place && { home: "worker" }),
      ...(this.server && { home: "server" }),
      ...(tags && { tags }),
      ...(policy && { confirmationPolicy: policy }),
      ...(hooks && { hooks }),
      ...(above && {
        ancestors: above.ancestors.join("\n"),
        securityAnalyzer: JSON.stringify(above.session.state().security_analyzer ?? null),
      }),
    };
  }

  /** The functions that the wasm calls while the conversation is open. */
  #callbacks(): object {
    return {
      onEvent: (json: string) => this.#onEvent(JSON.parse(json)),
      onDelta: {
        text: (message_id: string, content?: string, reasoning_content?: string) => {
          const event: StreamingDeltaEvent = { kind: "StreamingDeltaEvent", message_id };
          if (content !== undefined) event.content = content;
          if (reasoning_content !== undefined) event.reasoning_content = reasoning_content;
          this.emit(event);
        },
        call: (message_id: string, index: number, piece: string, name?: string, id?: string) => {
          const toolCall: ToolCallDelta = { index, function: { arguments: piece } };
          if (id !== undefined) toolCall.id = id;
          if (name !== undefined) toolCall.function.name = name;
          this.emit({ kind: "StreamingDeltaEvent", message_id, tool_calls: [toolCall] });
        },
      },
      onCommit: (json: string) => this.#onCommit(JSON.parse(json)),
      onDisplaced: () => this.role.displaced(),
      load: (chunk: string) => this.load(() => loadChunk(chunk)),
      readFile: (event: string, known: string) =>
        this.load(() => part(import("./send/given-file.js"))).then(({ readGiven }) => readGiven(this.home.workspace, event, known)),
      analyze: (action: string) => this.analyzers.securityRisk(JSON.stringify(this.state().security_analyzer), action),
    };
  }

  #onEvent(event: ConversationEvent): void {
    if (event.kind === "ObservationEvent") {
      this.home.committed(event.action_id);
      this.#given.above?.session.owner?.tell(false);
    }
    this.emit(event);
    this.mcp?.committed();
  }

  #onCommit(live: LiveEvent[]): void {
    if (this.#core) this.home.moved(this.#core.movedFiles().split("\n"));
    for (const event of live) {
      if (event.kind === "CondensingEvent") this.isCondensing = !event.is_over;
      this.emit(event);
    }
    const isFirst = this.#isNew && this.core.isStored();
    if (isFirst) {
      this.#isNew = false;
      record(this.store, { stored: [this.id] });
      this.plugins?.store();
    }
    const isShown = isFirst || live.some((event) => "key" in event && (event.key === "execution_status" || event.key === "tags"));
    this.#isListed ||= isShown;
    this.tell(isShown);
  }

  /** Tells followers and lists of a change, if this handle writes. */
  tell(isListed: boolean): void {
    this.role.tell(isListed);
  }

  /** Takes note of a run; one that is refused because of another is not under way. */
  began(run: Promise<RunResult>): void {
    if (this.underWay) return;
    this.underWay = run;
    this.wasCutOff = false;
    const over = () => (this.underWay = undefined);
    run.then(over, over);
  }

  /** The result of a run that has ended elsewhere, as far as it is known here. */
  async result(): Promise<RunResult> {
    const status = call(() => this.core.executionStatus());
    const none = { reasoning_tokens: 0, completion_tokens: 0, prompt_tokens: 0, cache_write_tokens: 0, cache_read_tokens: 0 };
    const finalResponse = await ask(this.core, "finalResponse");
    const finishReason = await ask(this.core, "finishReason");
    return { status, finalResponse, finishReason, steps: 0, tokenUsage: none, cost: 0, durationMs: 0 };
  }

  /** The event with this id. */
  async stored(id: string): Promise<ConversationEvent | undefined> {
    const log = eventLog(this.core);
    return log.at(await log.getIndex(id));
  }

  /** Takes note that this handle writes from now on, or no longer. */
  changedRole(isWriter: boolean): void {
    this.#isNew = isWriter && !this.core.isStored();
    this.wasCutOff = isWriter && this.#hasWarning("interrupted");
    if (isWriter) {
      this.mcp?.begin(this.core);
      this.plugins?.store();
    } else this.network.stop();
  }

  #hasWarning(code: string): boolean {
    return (call(() => this.core.warnings()) as ConversationWarning[]).some((warning) => warning.code === code);
  }

  /** The steps after the conversation of the wasm is open: secrets, notes for the host, and writing or following. */
  async #begin(core: CoreConversation): Promise<void> {
    const { store, id, warnings } = this;
    const { isGiven, agent } = this.#given;
    const isWriter = core.access() === "writer";
    if (isWriter) {
      this.#isNew = !core.isStored();
      this.wasCutOff = this.#hasWarning("interrupted");
    }
    await this.role.begin();
    const { options } = agent.llm;
    const missing = await this.secrets.open(core, { ...options, fallbacks: [...(options.fallbacks ?? []), ...this.#summarizers] });
    const { agent_state, security_analyzer } = this.state();
    const lost = await noteOpened(store, id, isGiven, core.found());
    if (lost) warnings.push({ code: "store_lost", message: lost });
    if (missing) warnings.push({ code: "secrets_unavailable", message: missing });
    const waited = agent_state?.[WAITED];
    if (waited)
      warnings.push({
        code: "interrupted",
        message: `the run was waiting for the network when it ended (${waited.message}); call run() to continue`,
      });
    const complaint = await this.analyzers.complaint(security_analyzer);
    if (complaint) warnings.push({ code: "settings_unavailable", message: complaint });
    const { workspace } = this.home;
    const secretOf = (name: string) => this.secrets.value(name, new AbortController().signal);
    this.plugins?.begin({ core, secretOf, files: workspace, workingDir: workspace.workingDir });
    this.tell(this.#isListed);
  }

  /** Ends what the wasm does, and frees the lock: of a conversation that was opened for that, once it is deleted. */
  free(): Promise<void> {
    return (this.#freed ??= this.#free());
  }

  async #free(): Promise<void> {
    if (this.#given.deleteOnClose && this.core.access() === "writer") return this.#delete();
    if (this.plugins) await this.plugins.stored;
    await ask(this.core, "close");
  }

  async #delete(): Promise<void> {
    await ask(this.core, "end");
    await this.tasks?.close();
    const deleted = ask(this.core, "delete", await coreStore(this.store)).then(() => recordChange(this.store, { removed: this.id }));
    await withTimeout(deleted, closingTimeout);
  }

  /** Ends the parts, once the conversation of the wasm is closed. */
  async close(): Promise<void> {
    await this.tasks?.close();
    this.listeners.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.role.close();
    this.plugins?.close();
    try {
      await Promise.all([this.tools.close(), this.mcp && withTimeout(this.mcp.close(), closingTimeout)]);
    } finally {
      await this.place?.leave();
    }
  }
}
