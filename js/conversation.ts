// Conversations: the SDK's verbs, the JavaScript way. Thin: what they do is decided in the wasm.
/// <reference lib="esnext.disposable" preserve="true" />
import { CoreConversation, deleteConversation, listConversations } from "../pkg/threadkeep.js";
import type { Agent } from "./agent.js";
import { arrayOf, checkId, isA, jsonOf, signalOf } from "./arguments.js";
import { type ImportedConversation, type TransferOptions, exportZip, exportZipStream, importZip } from "./archive.js";
import { Analyzers, type ConfirmationPolicy, actionIds, storedPolicy } from "./control.js";
import { type ConversationOptions, readOptions } from "./conversation-options.js";
import { ThreadkeepError, ask, call, invalidOptions, lastRead, optionsOf, reading, settle, textsOf, words } from "./errors.js";
import { type EventLog, eventLog } from "./event-log.js";
import type {
  ActionEvent, Content, ConversationEvent, ConversationState, ConversationStats, ExecutionStatus, JSONObject, JSONValue, LiveEvent, LLMMessage, MessageEvent,
  Observation, SecurityRisk, StreamingDeltaEvent, WaitingEvent,
} from "./events.js";
import { inTime, noted, opened as noteOpened } from "./inventory.js";
import { LLM, coreLLM } from "./llm.js";
import { type Image, withImages } from "./images.js";
import { Network, WAITED } from "./network.js";
import { type ConversationInfo, type Listing, toInfo } from "./listing.js";
import type { AnthropicMessages, ChatMessage, ResponsesMessages, Session, TrajectoryEvent } from "./messages.js";
import { importJSON, written } from "./interchange.js";
import { Run, type RunOptions, type RunResult } from "./run.js";
import type { SecurityAnalyzer } from "./security.js";
import { type Store, coreStore, indexedDBStore } from "./store.js";
import { Secrets } from "./secrets.js";
import type { HeldSecret } from "./secrets/index.js";
import type { SecretValue } from "./secrets/source.js";
import { ToolCalls, longestClosing } from "./tool-calls.js";
import { closeInTurn, openInTurn } from "./turns.js";
import type { CoreTool } from "./tool.js";

/** Something about an opened conversation that the host should know, and perhaps show. */
export interface ConversationWarning {
  code: "quarantined" | "head_moved" | "interrupted" | "unreadable" | "history_broken" | "tools_unavailable" | "settings_unavailable" | "secrets_unavailable" | "store_lost";
  message: string;
}

/**
 * A conversation with an agent, kept in a store as it happens.
 *
 * What a promise of this class reports has been committed: it survives a reload and a crash, and where it says
 * durable, a power cut. Opening never runs anything.
 */
export class Conversation implements AsyncDisposable {
  readonly id: string;
  /** A follower reads; another tab or handle writes. */
  readonly access: "writer" | "follower";
  readonly events: EventLog;
  readonly #core: CoreConversation;
  readonly #store: Store;
  readonly #listeners: Set<(event: ConversationEvent | LiveEvent) => void>;
  readonly #analyzers: Analyzers;
  readonly #tools: ToolCalls;
  readonly #secrets: Secrets;
  readonly #network: Network;
  readonly #deleteOnClose: boolean;
  /** Those that the wasm does not know of. */
  readonly #warnings: ConversationWarning[] = [];
  #llm: LLM;
  #isClosed = false;
  #state: { text: string; value: ConversationState } | undefined;

  private constructor(id: string, store: Store, core: CoreConversation, own: Own) {
    this.id = id;
    this.#store = store;
    this.#core = core;
    this.#listeners = own.listeners;
    this.#analyzers = own.analyzers;
    this.#tools = own.tools;
    this.#secrets = own.secrets;
    this.#network = own.network;
    this.#deleteOnClose = own.deleteOnClose;
    this.#llm = own.llm;
    this.access = core.access() as "writer" | "follower";
    this.events = eventLog(core);
  }

  /**
   * Opens a conversation, or creates it. What a crash left behind is made sound: see `warnings` and
   * `pendingActions()`. Where this page is still opening or closing another handle on it, that comes first.
   * @throws ThreadkeepError `invalid_options`, `id_mismatch`, `store_*`
   */
  static async open(options: ConversationOptions): Promise<Conversation> {
    const given = readOptions(options);
    return openInTurn(given.store, given.id, () => Conversation.#open(given), (opened) => lastRead(opened.#core));
  }

  static async #open(given: ReturnType<typeof readOptions>): Promise<Conversation> {
    const { agent, id, store, policy, hooks, tags } = given;
    const analyzers = new Analyzers();
    const analyzer = given.securityAnalyzer === undefined ? undefined : await analyzers.take(given.securityAnalyzer);
    const listeners = new Set<(event: ConversationEvent | LiveEvent) => void>();
    for (const callback of given.callbacks) listeners.add((event) => isStored(event) && callback(event));
    for (const callback of given.tokenCallbacks) listeners.add((event) => isStored(event) || callback(event));
    const tell = (event: ConversationEvent | LiveEvent) => {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          // A subscriber's mistake must not stop the agent; it is reported where uncaught errors are.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    };
    const secrets = await Secrets.read(given.secrets, given.cipher, agent.llm.options);
    const tools = new ToolCalls(agent.tools, tell, secrets);
    const network = new Network(
      given.waits,
      (event) => tell({ ...event, message: opened.masked(event.message) }),
      (waiting) => void ask(opened, "setAgentState", JSON.stringify({ [WAITED]: waiting })).catch(() => {}),
    );
    const [core, coreTools] = await Promise.all([coreStore(store), tools.toCore()]);
    const opened: CoreConversation = (await settle(CoreConversation.open(
      {
        conversationId: id,
        ...given.limits,
        ...(tags && { tags }),
        ...(policy && { confirmationPolicy: policy }),
        ...(analyzer && { securityAnalyzer: analyzer }),
        ...(hooks && { hooks }),
        agent: coreAgent(agent, coreTools, network, secrets),
        onEvent: (json: string) => tell(JSON.parse(json)),
        onDelta: (content?: string, reasoning_content?: string) => {
          const event: StreamingDeltaEvent = { kind: "StreamingDeltaEvent" };
          if (content !== undefined) event.content = content;
          if (reasoning_content !== undefined) event.reasoning_content = reasoning_content;
          tell(event);
        },
        analyze: async (action: string) => analyzers.securityRisk(JSON.stringify(JSON.parse(opened.state()).security_analyzer), action),
      },
      core,
    ))) as CoreConversation;
    const conversation = new Conversation(id, store, opened, { listeners, analyzers, tools, secrets, network, deleteOnClose: given.deleteOnClose, llm: agent.llm });
    try {
      const message = await secrets.open(opened, agent.llm.options);
      const warnings = conversation.#warnings;
      const lost = await noteOpened(store, id, given.isGiven, opened.found());
      if (lost) warnings.push({ code: "store_lost", message: lost });
      if (message) warnings.push({ code: "secrets_unavailable", message });
      const waited = conversation.state.agent_state?.[WAITED] as { message: string } | undefined;
      if (waited) warnings.push({ code: "interrupted", message: `the run was waiting for the network when it ended (${waited.message}); run() goes on` });
      const complaint = await analyzers.complaint(conversation.state.security_analyzer);
      if (complaint) warnings.push({ code: "settings_unavailable", message: complaint });
    } catch (error) {
      await ask(opened, "close");
      throw error;
    }
    return conversation;
  }

  /** Every conversation of a store, newest first, without reading events. */
  static async list(store: Store = indexedDBStore()): Promise<ConversationInfo[]> {
    const listings = JSON.parse((await settle(listConversations(await coreStore(store)))) as string) as Listing[];
    return listings.map(toInfo);
  }

  /**
   * Imports every conversation of a zip archive: of `exportZip()`, of an agent server, or of a zipped directory of
   * the Python SDK. Either all of it is imported or nothing.
   * @throws ThreadkeepError `archive_invalid` naming the entry, `invalid_state` where a stored conversation differs,
   * `aborted` where `signal` stopped it
   */
  static async importZip(
    zip: Blob | ArrayBuffer | Uint8Array,
    options: { store?: Store | undefined } & TransferOptions = {},
  ): Promise<ImportedConversation[]> {
    const { store = indexedDBStore(), ...watching } = optionsOf("importZip()", options, "store onProgress signal");
    const imported = await importZip(zip, store, watching);
    noted(store, { kept: imported.map(({ id }) => id) });
    return imported;
  }

  /**
   * Imports a conversation that another program wrote down, as a new one: a session, a list of chat messages with or
   * without tool calls, or an OpenHands V0 trajectory, each as JSON text, as a Blob of it, or as the value. Every event
   * is typed, and what has no place in a conversation is named in `warnings`.
   * @throws ThreadkeepError `archive_invalid` naming the message or event
   */
  static async importJSON(json: unknown, options: { store?: Store | undefined } = {}): Promise<ImportedConversation> {
    const { store = indexedDBStore() } = optionsOf("importJSON()", options, "store");
    const imported = await importJSON(json, store);
    noted(store, { kept: [imported.id] });
    return imported;
  }

  /** Removes a conversation; nothing happens if there is none. @throws ThreadkeepError `locked_elsewhere` while it is open. */
  static async delete(id: string, store: Store = indexedDBStore()): Promise<void> {
    await settle(deleteConversation(checkId(id), await coreStore(store)));
    noted(store, { removed: checkId(id) });
  }

  /** `base_state.json`, as last committed. What a damaged file lacks of `stats`, `tags` and `agent_state` is empty. */
  get state(): ConversationState {
    const text = call(() => this.#core.state());
    if (this.#state?.text !== text) {
      // Where an import stands here is no part of what it is.
      const { threadkeep_import: _, ...stored } = JSON.parse(text);
      this.#state = { text, value: { stats: { usage_to_metrics: {} }, tags: {}, agent_state: {}, ...stored } };
    }
    return this.#state!.value;
  }

  /**
   * What was set aside on opening, what of the stored agent cannot work here, and what is wrong with the history, which
   * is known once something has read it: `run()`, `sendMessage()`, `pendingActions()` or `finalResponse()`.
   */
  get warnings(): readonly ConversationWarning[] {
    return [...(call(() => this.#core.warnings()) as ConversationWarning[]), ...this.#warnings];
  }

  /** What was spent, by `usageId`. */
  get stats(): ConversationStats {
    return this.state.stats;
  }

  get executionStatus(): ExecutionStatus {
    return call(() => this.#core.executionStatus()) as ExecutionStatus;
  }

  /**
   * Appends a user message and resolves once it is durable. Calls that a crash left are answered first, so the next
   * `run()` always works. During a run it is durable at once, stands in the log behind the answer that is under way and
   * the results of its calls, and is read by the same run; until then the event that this resolves to has no parent.
   *
   * A message decides nothing about calls that wait for the user: while there are any it is refused, unless `pending`
   * says what becomes of them. `"reject"` answers them, so they will not run; `"keep"` stores the message, durably,
   * and puts it behind their results once they are approved or rejected.
   *
   * An image is a Blob, or has URLs. A Blob is stored as a data URL: as it is if every provider takes it so, else as a
   * smaller PNG or JPEG.
   * @throws ThreadkeepError `invalid_options`, also for images to a model that is known not to see, `locked_elsewhere`, `store_*`, `invalid_state` after `close()` and while
   * calls wait
   */
  async sendMessage(message: string | ReadonlyArray<Content | Image>, options: { sender?: string | undefined; pending?: "reject" | "keep" | undefined } = {}): Promise<MessageEvent> {
    const { sender, pending } = optionsOf("sendMessage()", options, "sender pending");
    if (sender !== undefined && typeof sender !== "string") throw invalidOptions("sender must be a string");
    if (pending !== undefined && pending !== "reject" && pending !== "keep") throw invalidOptions('pending must be "reject" or "keep"');
    const read = reading("the message", () => {
      const content: unknown = typeof message === "string" ? [{ type: "text", text: message }] : message;
      if (!Array.isArray(content)) throw invalidOptions("a message is a string or an array of text and image parts");
      return withImages(content, this.#llm);
    });
    // Nothing else that is called comes before a message that has no image to be read.
    const given = read instanceof Promise ? await read : read;
    const json = reading("the message", () => JSON.stringify(given));
    return JSON.parse(await ask(this.#core, "sendMessage", json, sender, pending));
  }

  /**
   * Lets the agent work until it is done, has to wait, or is stopped. Running a conversation that waits for
   * confirmation approves what waits; with `approve`, only the actions of these ids are approved and run, and it waits
   * again while others are left. An aborted `signal` stops like `interrupt()` and rejects with code `aborted`.
   */
  run(options: RunOptions = {}): Run {
    return new Run(this.#run(options), (listener) => this.subscribe(listener));
  }

  async #run(options: RunOptions): Promise<RunResult> {
    const given = optionsOf("run()", options, "signal approve");
    const approved = actionIds("approve", given.approve);
    const signal = signalOf(given.signal);
    if (signal?.aborted) throw aborted(signal);
    const interrupt = () => void this.interrupt().catch(() => {});
    signal?.addEventListener("abort", interrupt);
    this.#network.begin(this.state.agent_state?.[WAITED]);
    try {
      const [status, finalResponse] = await ask(this.#core, "run", approved);
      if (signal?.aborted && status === "paused") throw aborted(signal);
      return { status: status as ExecutionStatus, finalResponse };
    } finally {
      this.#network.over();
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /**
   * Stops after what is under way, and lasts over a reload: tools that run end first; an answer of the model is kept,
   * and its calls wait for the next `run()`. Resolves once it is durable.
   */
  async pause(): Promise<void> {
    await ask(this.#core, "pause");
    this.#network.stop();
  }

  /** What the run waits for that is under way, if it waits: the network, or a server that asked for a pause. */
  get waiting(): WaitingEvent | null {
    return this.#network.now;
  }

  /** Ends the wait that is under way: the model is asked at once, or the server tried at once. */
  retryNow(): void {
    this.#network.retry();
  }

  /** Stops now: the request is aborted, running tools are told and no longer waited for, their calls are answered. */
  async interrupt(): Promise<void> {
    await ask(this.#core, "interrupt");
  }

  /** The calls that wait for a result: not approved yet, or left by a crash. Python's `get_unmatched_actions`. */
  async pendingActions(): Promise<ActionEvent[]> {
    return (await ask(this.#core, "pendingActions")).map((json) => JSON.parse(json));
  }

  /**
   * What a security analyzer said of the calls that wait, by the ids of their actions. What the model says of its own
   * call is in the action itself.
   */
  get securityRisks(): Record<string, SecurityRisk> {
    return (this.state.agent_state["security_risks"] ?? {}) as Record<string, SecurityRisk>;
  }

  /**
   * Answers calls that wait with a rejection, which the model reads at the next run: those of `actionIds`, or all.
   * @throws ThreadkeepError `not_found` for an action that does not wait, `invalid_state` while tools run
   */
  async rejectPendingActions(reason?: string, options: { actionIds?: readonly string[] | undefined } = {}): Promise<void> {
    if (reason !== undefined && typeof reason !== "string") throw invalidOptions("the reason must be a string");
    const { actionIds: ids } = optionsOf("rejectPendingActions()", options, "actionIds");
    await ask(this.#core, "rejectPendingActions", reason, actionIds("actionIds", ids));
  }

  /**
   * Gives a call that waits for the user other arguments. It goes on waiting, and so do the others of its answer, all
   * of them under new ids: see `pendingActions()`. The log keeps both, the model and Python see what is run, and the
   * model is told that the user changed it. Resolves to the action that waits in its place.
   * @throws ThreadkeepError `invalid_options` for arguments that the tool does not accept, `not_found` for an action
   * that does not wait for the user, `invalid_state` during a run
   */
  async editAction(actionId: string, args: JSONValue | JSONObject): Promise<ActionEvent> {
    const json = jsonOf("the arguments", args);
    return JSON.parse(await ask(this.#core, "editAction", words(actionId), json));
  }

  /** The tools whose calls never wait in this conversation, whatever the policy says. */
  get allowedTools(): readonly string[] {
    return (this.state.agent_state["allowed_tools"] ?? []) as string[];
  }

  /**
   * "Always allow this tool here": from the next answer on, calls of these tools, and of no others, need no consent.
   * Lasts as long as the conversation. Python knows no such list, and asks.
   */
  async setAllowedTools(names: readonly string[]): Promise<void> {
    await ask(this.#core, "setAllowedTools", arrayOf("allowedTools", "names of tools", names, (name) => typeof name === "string"));
  }

  /** Counts from the next answer on; calls that wait go on waiting. Of an imported conversation it is the last word. */
  async setConfirmationPolicy(policy: ConfirmationPolicy): Promise<void> {
    await ask(this.#core, "setConfirmationPolicy", storedPolicy(policy));
  }

  /** Counts from the next answer on. With `null` every risk is unknown. */
  async setSecurityAnalyzer(analyzer: SecurityAnalyzer | null): Promise<void> {
    await ask(this.#core, "setSecurityAnalyzer", await this.#analyzers.take(analyzer));
  }

  /**
   * Lets another model answer, from the next request on, and stores which; an answer that is under way is still the
   * old one's. The history stays; what of it only the old model can read is left out of requests.
   */
  async switchLLM(llm: LLM): Promise<void> {
    if (!isA(llm, LLM)) throw invalidOptions("switchLLM() takes an LLM");
    await this.#secrets.switchLLM(this.#core, llm, this.#network);
    this.#llm = llm;
  }

  /**
   * Sets values of `state.agent_state`, which travels with the conversation, and removes those that are `null`.
   * @throws ThreadkeepError `invalid_options` for a name under which the library itself remembers something
   */
  async setAgentState(values: { [name: string]: JSONValue | JSONObject }): Promise<void> {
    await ask(this.#core, "setAgentState", jsonOf("agentState", values));
  }

  /**
   * Runs a tool of the agent without the model: nothing is asked, nothing is written into the log. A tool that throws
   * gives an observation with `is_error`.
   * @throws ThreadkeepError `not_found`, `invalid_options` for arguments that the tool does not accept, `aborted`
   */
  async executeTool(name: string, args: JSONValue | JSONObject = {}, options: { signal?: AbortSignal | undefined } = {}): Promise<Observation> {
    const json = jsonOf("the arguments", args);
    const signal = signalOf(optionsOf("executeTool()", options, "signal").signal);
    return JSON.parse(await this.#tools.withSignal(signal, (id) => ask(this.#core, "executeTool", words(name), json, id)));
  }

  /**
   * Sets secrets that tools ask for by name, besides those that are there; `null` takes one away. Resolves once their
   * names are durable, and their values where the conversation has a passphrase (`cipher`): otherwise values are kept in
   * memory only. A value is hidden wherever it turns up from then on; one of fewer than four characters cannot be.
   * @throws ThreadkeepError `invalid_options` naming the secret, `locked_elsewhere`, `invalid_state` after `close()`, `store_*`
   */
  async updateSecrets(secrets: Record<string, SecretValue | null>): Promise<void> {
    await this.#secrets.update(this.#core, secrets);
  }

  /** Secrets that came with an import, and where tools that ask for them would make this page fetch them from. */
  get heldSecrets(): readonly HeldSecret[] {
    return this.#secrets.held;
  }

  /**
   * Lets tools fetch the secrets that came with an import, from now on and after a reload. Until then one that asks for
   * such a secret gets an error. Show the user `heldSecrets` first: whoever made the file has chosen these addresses.
   */
  async allowSecrets(): Promise<void> {
    await this.#secrets.allow(this.#core);
  }

  /** Replaces all tags; `title` is shown in lists. */
  async setTags(tags: Record<string, string>): Promise<void> {
    await ask(this.#core, "setTags", textsOf("tags", tags));
  }

  /** The message of the last `finish`, or the model's last text. */
  async finalResponse(): Promise<string | null> {
    return ask(this.#core, "finalResponse");
  }

  /** The conversation as it is now, as a zip archive that the Python SDK opens once it is unpacked. */
  async exportZip(options: TransferOptions = {}): Promise<Blob> {
    return exportZip(this.#store, this.id, optionsOf("exportZip()", options, "onProgress signal"));
  }

  /** As `exportZip()`, piece by piece; memory is bounded by the largest event. */
  exportZipStream(options: TransferOptions = {}): ReadableStream<Uint8Array> {
    return exportZipStream(this.#store, this.id, optionsOf("exportZipStream()", options, "onProgress signal"));
  }

  /**
   * The messages of the active branch, none forgotten: `"message"` as the SDK's `events_to_messages` makes them,
   * `"chat"` as its `Message.to_chat_dict` writes them for Chat Completions, `"responses"` and `"anthropic"` as the stored
   * model would be sent them in these APIs.
   */
  toMessages(format?: "message"): Promise<LLMMessage[]>;
  toMessages(format: "chat"): Promise<ChatMessage[]>;
  toMessages(format: "responses"): Promise<ResponsesMessages>;
  toMessages(format: "anthropic"): Promise<AnthropicMessages>;
  async toMessages(format: string = "message"): Promise<unknown> {
    if (!["message", "chat", "responses", "anthropic"].includes(format)) throw invalidOptions(`there are no messages of the format ${words(format)}`);
    return this.#written(format);
  }

  /** The active branch as plain messages with an id and a date. `importJSON()` makes a conversation of it again. */
  async exportSession(): Promise<Session> {
    return this.#written("session");
  }

  /** The active branch as OpenHands V0 has it in `trajectory.json`. Images in results have no place in it. */
  async exportTrajectory(): Promise<TrajectoryEvent[]> {
    return this.#written("trajectory");
  }

  #written<T>(form: string): Promise<T> {
    return written(this.#store, this.id, form, this.state.agent?.llm);
  }

  /** Calls `listener` with every event once it is durable, and with what is only live. Returns the unsubscriber. */
  subscribe(listener: (event: ConversationEvent | LiveEvent) => void): () => void {
    if (typeof listener !== "function") throw invalidOptions("subscribe() takes a function");
    // A listener that is subscribed twice is called twice, and each unsubscriber ends its own.
    const own = (event: ConversationEvent | LiveEvent) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /**
   * Stops a run, closes the agent's tools, and lets go of the conversation, so that another tab can write it. What was
   * committed stays, unless it was opened with `deleteOnClose`. What else is under way rejects with `invalid_state`, and
   * nothing of the host's is waited for longer than fifteen seconds.
   */
  async close(): Promise<void> {
    const free = ask(this.#core, "close");
    const closed = this.#close(free);
    // A tool may take its time, and keeps nobody from the conversation.
    closeInTurn(this.#store, this.id, this.#deleteOnClose ? closed : free);
    await closed;
  }

  async #close(free: Promise<unknown>): Promise<void> {
    await free;
    this.#listeners.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#tools.close();
    if (this.#deleteOnClose && this.access === "writer") await inTime(Conversation.delete(this.id, this.#store), longestClosing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The events on which a listener for stored events is called. */
function isStored(event: ConversationEvent | LiveEvent): event is ConversationEvent {
  return "id" in event;
}

/** What belongs to one handle. */
interface Own {
  listeners: Set<(event: ConversationEvent | LiveEvent) => void>;
  analyzers: Analyzers;
  tools: ToolCalls;
  secrets: Secrets;
  network: Network;
  deleteOnClose: boolean;
  llm: LLM;
}

function coreAgent({ llm, systemPrompt, toolConcurrencyLimit }: Agent, tools: CoreTool[], network: Network, { heard, keyToken }: Secrets): object {
  return {
    llm: coreLLM(llm, network, heard, keyToken),
    ...(systemPrompt !== undefined && { systemPrompt }),
    toolConcurrencyLimit,
    tools,
  };
}

function aborted(signal: AbortSignal): ThreadkeepError {
  return new ThreadkeepError("aborted", "the run was stopped by its signal; run() goes on", { cause: signal.reason });
}
