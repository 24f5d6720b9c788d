// The public class of a conversation, with the SDK's methods. It checks arguments; the decisions are made in the wasm.
/// <reference lib="esnext.disposable" preserve="true" />
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { checkId } from "../input/arguments.js";
import { exportZip, exportZipStream } from "../formats/archive.js";
import { progressOf } from "../agent/condenser.js";
import type { RunLimits } from "../agent/limits.js";
import type { ContextUsage, ConversationProgress } from "../agent/types.js";
import type { ConfirmationPolicy, SecurityAnalyzer } from "../control/types.js";
import { fork } from "./fork.js";
import { readOptions, withPlugins } from "./options.js";
import { ask, call, invalidOptions, lastRead, optionsOf } from "../input/errors.js";
import { type Branch, type Versions, activeBranch, branches, versions } from "./branches.js";
import { type EventLog, eventLog } from "./event-log.js";
import type {
  ActionEvent,
  ConversationAccess,
  ConversationEvent,
  ConversationState,
  ExecutionStatus,
  LiveEvent,
  MessageEvent,
  SecurityRisk,
  StreamingDeltaEvent,
  WaitingEvent,
} from "../events/events.js";
import { remove } from "../store/inventory.js";
import type { LLM } from "../llm/llm.js";
import type { Image } from "../llm/images.js";
import { type ConversationInfo, type ListOptions, list, onListChange } from "../store/listing.js";
import type { AnthropicMessages, ChatMessage, ResponsesMessages, Session, TrajectoryEvent } from "../events/messages.js";
import { formOfMessages, readable, written } from "../formats/interchange.js";
import { importJSON, importZip } from "./imports.js";
import { type MessageQueue, queueOf } from "./queue.js";
import { Run, type RunOptions } from "./run.js";
import { forTools } from "./side-calls.js";
import type { Content, ConversationStats, JSONObject, JSONValue, LLMMessage, Observation } from "../events/types.js";
import type { ExportOptions, Form, ImportedConversation, TextOptions, TransferOptions } from "../formats/types.js";
import type { MCPServers } from "../mcp/types.js";
import { type Store, exported, indexedDBStore } from "../store/store.js";
import type { SecretValue } from "../secrets/source.js";
import type { HeldSecret } from "../secrets/types.js";
import { closeInTurn, openInTurn } from "../store/turns.js";
import type { ArgumentsOf, Verb, Verbs } from "./verbs.js";
import { shownActions } from "./waiting-calls.js";
import { part } from "../wasm/wasm.js";
import type { VersionedWorkspace } from "../workspace/types.js";
import { ConversationSession, type Given } from "./session.js";
import type { AskOptions, ConversationOptions, ConversationWarning, FileContent, FilePreview, ForkOptions, TitleOptions } from "./types.js";

/**
 * A conversation with an agent, which is stored as it happens.
 *
 * When a promise of this class resolves, the change is committed: it survives a reload and a crash, and if the method
 * says "durable", also a power cut. Opening a conversation never runs anything.
 */
export class Conversation<Answer = any> implements AsyncDisposable {
  readonly id: string;
  readonly events: EventLog;
  /** The messages of the user that no model has read yet. */
  readonly queue: MessageQueue;
  /** The files that the agent works on: the conversation's own, those given to `open()`, or those of its agent server. */
  readonly workspace: VersionedWorkspace;
  readonly #core: CoreConversation;
  readonly #session: ConversationSession;

  private constructor(session: ConversationSession) {
    const { core, tools, home, secrets, network } = session;
    this.#session = session;
    this.#core = core;
    this.id = session.id;
    this.workspace = home.workspace;
    tools.conversation = forTools(this, core, network, (llm) => secrets.coreLLM(llm, network));
    this.events = eventLog(core);
    this.queue = queueOf((verb, ...args) => this.#do(verb, ...args));
  }

  /**
   * Opens a conversation, or begins a new one, which its first change stores. Repairs what a crash left: see `warnings` and
   * `pendingActions()`. If this page is still opening or closing another handle on it, it waits for that first.
   * @throws ThreadkeepError `invalid_options`, `id_mismatch`, `store_*`
   */
  static async open<Answer = any>(options: ConversationOptions<Answer>): Promise<Conversation<Answer>> {
    return withPlugins(readOptions(options), Conversation.#open);
  }

  static async #open(given: Given): Promise<Conversation> {
    return openInTurn(
      given.store,
      given.id,
      async () => new Conversation(await ConversationSession.open(given, Conversation.#open)),
      (opened) => lastRead(opened.#core),
    );
  }

  /**
   * `"writer"`: this handle writes the conversation, and its loop runs here. `"follower"`: another handle does, usually in another
   * tab; this one shows what is stored there as it happens, and passes on what is asked of it. More: the live event `access`.
   */
  get access(): ConversationAccess {
    return this.#session.role.access;
  }

  /** Where the loop runs: in this page, in another tab, in a worker, or on an agent server. The live event `home` says when that changes. */
  get home(): "here" | "tab" | "worker" | "server" {
    return this.#session.role.home;
  }

  /**
   * Makes this handle the writer, also if the other is frozen: nothing more of it is stored, its run is aborted, and it follows.
   * @throws ThreadkeepError `invalid_state` after `close()`, `store_*`
   */
  async takeOver(): Promise<void> {
    await this.#session.role.takeOver(true);
  }

  /** The conversations of a store, newest first, without those in the trash and those of sub-agents. */
  static async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    return list(options);
  }

  /**
   * Calls `listener` when a conversation of the store was created, imported or deleted, or has another status or other
   * tags (a title is a tag): in this page, and if the store has a name, also in other pages and workers of the origin.
   * Other pages are told without a guarantee, so read the list again when the page becomes visible. Returns a function
   * that ends this. @throws ThreadkeepError `invalid_options`
   */
  static onListChange(listener: (change: { id: string }) => void, options: { store?: Store | undefined } = {}): () => void {
    return onListChange(listener, options);
  }

  /**
   * Imports all conversations of a zip archive from `exportZip()`, from an agent server, or from a zipped directory of
   * the Python SDK. Imports either everything or nothing.
   * @throws ThreadkeepError `archive_invalid` naming the entry, `invalid_state` if a stored one differs, `aborted` by `signal`
   */
  static async importZip(
    zip: Blob | ArrayBuffer | Uint8Array,
    options: { store?: Store | undefined } & TransferOptions = {},
  ): Promise<ImportedConversation[]> {
    return importZip(zip, options);
  }

  /**
   * Imports the file of another program as a new conversation: a session, a list of chat messages with or without tool
   * calls, events of the SDK, an OpenHands V0 trajectory, or a chat of another program (`importFile()` takes several), each as JSON
   * text, as a Blob with the text, or as the parsed value. `warnings` name everything that has no place in a conversation.
   * @throws ThreadkeepError `archive_invalid` naming the message or event
   */
  static async importJSON(json: unknown, options: { store?: Store | undefined } = {}): Promise<ImportedConversation> {
    return importJSON(json, options);
  }

  /** Deletes a conversation; does nothing if it does not exist. @throws ThreadkeepError `locked_elsewhere` while it is open. */
  static async delete(id: string, options: { store?: Store | undefined } = {}): Promise<void> {
    const { store = indexedDBStore() } = optionsOf("delete()", options, "store");
    await remove(checkId(id), store);
  }

  /** `base_state.json`, as last committed. If a damaged file has no `stats`, `tags` or `agent_state`, they are empty. */
  get state(): ConversationState {
    return this.#session.shownState;
  }

  /**
   * Files moved to quarantine on opening, parts of the stored agent and of plugins that are not used, and damage in the history, which is
   * known only after something has read the history: `run()`, `sendMessage()`, `pendingActions()` or `finalResponse()`.
   */
  get warnings(): readonly ConversationWarning[] {
    return this.#session.allWarnings;
  }

  /** The part that was shown of an answer in which a page died, or which could not be stored: see `resume`. `null` without one. */
  get draft(): StreamingDeltaEvent | null {
    const draft = call(() => this.#core.draft());
    return draft ? { kind: "StreamingDeltaEvent", message_id: draft.id, content: draft.content } : null;
  }

  /** The MCP servers of the agent, with their state and tools; `null` if it has none. A change is an `MCPServerEvent`. */
  get mcp(): MCPServers | null {
    return this.#session.mcp ?? null;
  }

  /** The plugins that it was opened with, or that are stored with it, without credentials; `null` without any. */
  get resolvedPlugins() {
    return this.#session.resolvedPlugins;
  }

  /** `tags.title`, or else the beginning of the first message of the user, as in lists; `null` without both. */
  get title(): string | null {
    return call(() => this.#core.title()) ?? null;
  }

  /** Costs, tokens and latencies of the models, by `usageId`. */
  get stats(): ConversationStats {
    return this.state.stats;
  }

  get executionStatus(): ExecutionStatus {
    return this.#session.role.shown?.status ?? call(() => this.#core.executionStatus());
  }

  /**
   * Appends a user message, and resolves to its event once it is durable. Calls that a crash left without a result are
   * answered first, so the next `run()` always works. During a run the message is durable at once; it is placed in the
   * log after the current answer and the results of its calls, and read by the same run. Until then it is in `queue`, without a parent.
   * A message is not an approval: while calls wait for the user it is refused, unless `pending` says what happens to
   * them. `"reject"` rejects the calls; `"keep"` stores the message, durably, and places it after their results once
   * they are approved or rejected.
   * A Blob is an image, made smaller if a provider requires that. A file (`{ type: "file", file }`) is stored in the workspace: see `previewFiles()`.
   * @throws ThreadkeepError `invalid_options` (also for images if the model is known not to accept them), `locked_elsewhere`,
   * `store_*`, `too_large` for a file, those of the workspace, `invalid_state` after `close()` and while calls wait, `aborted` by `interrupt()` before a hook has answered
   */
  async sendMessage(
    message: string | ReadonlyArray<Content | Image | FileContent>,
    options: { sender?: string | undefined; pending?: "reject" | "keep" | undefined } = {},
  ): Promise<MessageEvent> {
    return this.#do("sendMessage", message, options);
  }

  /** The form in which the current model would get these files: as they are, if it reads their kind, or as text. Stores nothing. @throws ThreadkeepError those of `sendMessage()` */
  async previewFiles(files: readonly FileContent[]): Promise<FilePreview[]> {
    return (await part(import("./send/files.js"))).previewFiles({ session: this.#session, core: this.#core }, files);
  }

  /**
   * Moves to this event, so that the next message or run continues from there on a new branch; with `null`, to before the
   * first event, where a branch begins with a system prompt of its own. Resolves once this is durable. Nothing is deleted.
   * The status becomes `finished` if the event ends an answer of the agent, and `idle` otherwise. Its own files follow.
   * @throws ThreadkeepError `not_found`, `invalid_options` for an event between calls and their results, `invalid_state`
   * during a run and while calls wait
   */
  async navigateTo(eventId: string | null): Promise<void> {
    await this.#do("navigateTo", eventId);
  }

  /**
   * The events of the active branch, from the first to the one that the next event follows; with `limit` only the last ones.
   * An event that cannot be read is an `UnreadableEvent`.
   */
  async activeBranch(options: { limit?: number | undefined } = {}): Promise<ConversationEvent[]> {
    return activeBranch(this.#core, this.events, options);
  }

  /** The branches beside the active one, in the order of their last events, without those that have no message or call of their own. Reads each event once. */
  async branches(): Promise<Branch[]> {
    return branches(this.#core);
  }

  /** The messages of the active branch with several versions, the last first; with `after` those behind this event. @throws ThreadkeepError `not_found` */
  async versions(options: { after?: string | null | undefined } = {}): Promise<Versions[]> {
    return versions(this.#core, options);
  }

  /**
   * Answers the last message of the user again, like `run()`. The earlier answer stays in the log as a branch. If the page
   * dies before the new answer is stored, the next `run()` asks for it.
   * @throws ThreadkeepError `invalid_state` without a message, during a run and while calls wait; and those of `run()`
   */
  regenerate(options: { signal?: AbortSignal | undefined } = {}): Run {
    return new Run(this.#do("regenerate", options), (listener) => this.subscribe(listener));
  }

  /**
   * Sends a message in place of an earlier one of the user, on a new branch; the earlier one stays in the log with its
   * answers. Resolves to the new event once it is durable; `run()` answers it.
   * @throws ThreadkeepError `not_found`, `invalid_options` for an event that is not a message of the user, `invalid_state`
   * during a run and while calls wait; and those of `sendMessage()`
   */
  async editMessage(eventId: string, message: string | ReadonlyArray<Content | Image | FileContent>): Promise<MessageEvent> {
    return this.#do("editMessage", eventId, message);
  }

  /**
   * Runs the agent until it is done, has to wait, or is stopped. In a conversation that waits for confirmation this
   * approves all waiting calls; with `approve` only the actions with these ids are approved and run, and the conversation
   * waits again if others are left. An aborted `signal` stops the run like `interrupt()`; the run then rejects with `aborted`.
   */
  run(options: RunOptions = {}): Run {
    return new Run(this.#do("run", options), (listener) => this.subscribe(listener));
  }

  /**
   * Stops the run after the current work, also across a reload, and so its sub-agents: running tools end first; an answer is
   * stored, and its calls wait for the next `run()`. Resolves once the pause is durable.
   */
  async pause(): Promise<void> {
    await this.#do("pause");
  }

  /** The reason why the current run waits (no network, or a server that asked for a pause), or `null`. */
  get waiting(): WaitingEvent | null {
    return (this.#session.role.shown ?? { waiting: this.#session.network.now }).waiting;
  }

  /** Ends the current wait: the request, or the test whether the server is reachable, is sent at once. */
  retryNow(): void {
    void this.#do("retryNow").catch(() => {});
  }

  /**
   * Stops the run now: the request is aborted, running tools get the abort signal and are not waited for, and their calls
   * are answered with an error. A message or an edited call whose hook has not answered yet is refused with `aborted`.
   */
  async interrupt(): Promise<void> {
    await this.#do("interrupt");
  }

  /**
   * The calls without a result: those that wait for approval, and those that a crash left. Python's `get_unmatched_actions`.
   * With `allowable` only those that would not wait if their tool were among the `allowedTools`: for the others, "always
   * allow" has no effect, because the tool's own `needsApproval` asks, or because another call of the answer does.
   */
  async pendingActions(options: { allowable?: boolean | undefined } = {}): Promise<ActionEvent[]> {
    return shownActions(this.#core, this.#session, options, () => this.#do("pendingActions", options));
  }

  /**
   * The risks of the waiting calls as a security analyzer rated them, by action id; those of sub-agents' calls once
   * `pendingActions()` has returned them. The model's own rating of a call is in the action itself.
   */
  get securityRisks(): Record<string, SecurityRisk> {
    return { ...this.state.agent_state.security_risks, ...this.#session.tasks?.risks };
  }

  /**
   * Rejects waiting calls, either those in `actionIds` or all; the model reads the reason at the next run.
   * @throws ThreadkeepError `not_found` for an action that does not wait, `invalid_state` while tools run
   */
  async rejectPendingActions(reason?: string, options: { actionIds?: readonly string[] | undefined } = {}): Promise<void> {
    await this.#do("rejectPendingActions", reason, options);
  }

  /**
   * Changes the arguments of a call that waits for the user. The call continues to wait, and so do the others of its
   * answer, all under new ids: see `pendingActions()`. The log contains the old and the new call, the model and Python see
   * the one that runs, and the model is told that the user changed it. Resolves to the new action.
   * @throws ThreadkeepError `invalid_options` for arguments that the tool does not accept, `not_found` for an action
   * that does not wait for the user, `invalid_state` during a run
   */
  async editAction(actionId: string, args: JSONValue | JSONObject): Promise<ActionEvent> {
    return this.#do("editAction", actionId, args);
  }

  /**
   * Copies the conversation under a new id, or with `fromEventId` the branch that ends there, and opens the copy. Events
   * keep their ids. Policy, analyzer and `agent_state` are copied; secrets, hooks and tags are not. An agent that is given
   * replaces the stored one. To open the copy with more options, such as hooks or a cipher, close it and open its id.
   * @throws ThreadkeepError `not_found`, `invalid_options`, `invalid_state` during a run and if calls would be copied that
   * have no result, `store_*`; no copy exists then
   */
  async fork(options: ForkOptions = {}): Promise<Conversation<Answer>> {
    const { id, agent, isNew } = await fork(this.#session, options);
    const copy = await Conversation.open({ agent, store: this.#session.store, conversationId: id });
    if (isNew) await ask(copy.#core, "storeAgent");
    return copy;
  }

  /** The limits of each run: those given to `open()`, or to `setLimits()` since. A limit that is absent is none. */
  get limits(): RunLimits {
    return JSON.parse(this.#session.role.shown?.limits ?? call(() => this.#core.limits()));
  }

  /**
   * Replaces the limits; those that are not given have their defaults: `setLimits({ ...conversation.limits, maxBudgetPerRun: 2 })`.
   * A run under way has them from its next step or condensation on, and sub-agents from their next task on. `maxIterationPerRun`, and
   * whether `stuckDetection` is on, are durable when this resolves, for Python; opening takes its own options.
   * @throws ThreadkeepError `invalid_options` naming the limit and what it may be, `locked_elsewhere`, `invalid_state` after `close()`, `store_*`
   */
  async setLimits(limits: RunLimits): Promise<void> {
    await this.#do("setLimits", limits);
  }

  /** The tools whose calls never wait in this conversation, except if a tool's `needsApproval` requires it. */
  get allowedTools(): readonly string[] {
    return this.state.agent_state.allowed_tools ?? [];
  }

  /**
   * "Always allow this tool here": replaces the list of allowed tools, from the next answer on. Stored with the
   * conversation. Python does not know this list, and asks.
   */
  async setAllowedTools(names: readonly string[]): Promise<void> {
    await this.#do("setAllowedTools", names);
  }

  /** Sets the policy from the next answer on; calls that already wait continue to wait. Replaces the policy of an import. */
  async setConfirmationPolicy(policy: ConfirmationPolicy): Promise<void> {
    await this.#do("setConfirmationPolicy", policy);
  }

  /** Sets the analyzer from the next answer on. With `null` every risk is unknown. */
  async setSecurityAnalyzer(analyzer: SecurityAnalyzer | null): Promise<void> {
    await this.#do("setSecurityAnalyzer", analyzer);
  }

  /**
   * Replaces a part of the history by a summary: appends a request and makes one step. During a run it resolves when the
   * request is stored, and the run condenses before it asks the model again.
   * @throws ThreadkeepError `invalid_state` without a condenser, without anything to condense, and while calls have no
   * result; `aborted` after `interrupt()`; those of the model, after which the next run tries again
   */
  async condense(): Promise<void> {
    await this.#do("condense");
  }

  /** The use of the context window, for a meter. Asks no model. */
  async contextUsage(): Promise<ContextUsage> {
    return ask(this.#core, "contextUsage");
  }

  /** The fields of the newest summary of the active branch, or `null` if there is none or it is an ordinary text. */
  async progress(): Promise<ConversationProgress | null> {
    return progressOf(await ask(this.#core, "summary"));
  }

  /**
   * Switches to another model, or to that of this name in the writer's `llmRegistry`, from the next request on, and stores this; an answer
   * that is under way still comes from the old model. The history stays; data in it that only that can read is left out of requests.
   */
  async switchLLM(llm: LLM | string): Promise<void> {
    await this.#do("switchLLM", llm);
  }

  /**
   * Sets values of `state.agent_state`, which is stored and exported with the conversation, and removes those that are `null`.
   * @throws ThreadkeepError `invalid_options` for a name that the library itself uses, such as `subagent_tasks`
   */
  async setAgentState(values: { [name: string]: JSONValue | JSONObject }): Promise<void> {
    await this.#do("setAgentState", values);
  }

  /**
   * Runs a tool of the agent without the model: asks for no approval, and writes nothing to the log. If the tool throws,
   * the result is an observation with `is_error`.
   * @throws ThreadkeepError `not_found`, `invalid_options` for arguments that the tool does not accept, `aborted`
   */
  async executeTool(
    name: string,
    args: JSONValue | JSONObject = {},
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<Observation> {
    return this.#do("executeTool", name, args, options);
  }

  /**
   * Sets secrets that tools ask for by name, in addition to the existing ones; `null` removes one. Resolves once their
   * names are durable, and with a passphrase (`cipher`) also their values; otherwise values are held in memory only. From
   * then on a value is hidden wherever it occurs, unless it has fewer than four characters.
   * @throws ThreadkeepError `invalid_options` naming the secret, `locked_elsewhere`, `invalid_state` after `close()`, `store_*`
   */
  async updateSecrets(secrets: Record<string, SecretValue | null>): Promise<void> {
    await this.#do("updateSecrets", secrets);
  }

  /** Secrets that came with an import and are not fetched yet, with the URLs that they would be fetched from. */
  get heldSecrets(): readonly HeldSecret[] {
    return this.#session.secrets.held;
  }

  /**
   * Lets tools fetch the secrets that came with an import, from now on and after a reload; until then a tool that asks for
   * one gets an error. Show the user `heldSecrets` first, because whoever made the file has chosen these URLs.
   */
  async allowSecrets(): Promise<void> {
    await this.#do("allowSecrets");
  }

  /**
   * Asks the model a question about the conversation, and resolves to its text. Appends no event and changes no status, so
   * it is possible at any time, also during a run; only the cost is stored, under the usage id `ask-agent-llm`, or that of `llm`. The model
   * sees what it would see in a run, without calls that have no result yet, and calls no tools.
   * @throws ThreadkeepError `llm_*`, `network`, `aborted`, `locked_elsewhere`, `invalid_state` after `close()`
   */
  async askAgent(question: string, options: AskOptions = {}): Promise<string> {
    return this.#do("askAgent", question, options);
  }

  /**
   * A title for the first message of the user, made by a model, or the beginning of the message if the model fails. Does
   * not store it: `setTags({ ...state.tags, title })` does, and `Conversation.list()` then returns it.
   * @throws ThreadkeepError `invalid_state` if there is no message yet and after `close()`, `aborted`, `locked_elsewhere`
   */
  async generateTitle(options: TitleOptions = {}): Promise<string> {
    return this.#do("generateTitle", options);
  }

  /** Replaces all tags; `title` is the title in lists. */
  async setTags(tags: Record<string, string>): Promise<void> {
    await this.#do("setTags", tags);
  }

  /** The message of the last `finish`, or the model's last text; `null` if there is neither. */
  async finalResponse(): Promise<string | null> {
    return ask(this.#core, "finalResponse");
  }

  /**
   * The structured answer that ended the last task, if the agent has a schema for it (`finalAnswer`); `null` before that, and
   * if a message has ended it.
   * @throws ThreadkeepError `invalid_options` if a stored answer does not fit the agent's schema
   */
  async finalAnswer(): Promise<Answer | null> {
    const { finalAnswer } = this.#session.agent;
    const args = finalAnswer && (await ask(this.#core, "finalArguments"));
    return args ? (await part(import("../agent/final-answer.js"))).readAnswer(finalAnswer, args) : null;
  }

  /** Calls a method here, or where the loop runs. */
  #do<V extends Verb>(verb: V, ...args: ArgumentsOf<V>): ReturnType<Verbs[V]> {
    return this.#session.role.do(verb, ...args);
  }

  /** The current conversation as a zip archive, which the Python SDK can open after unpacking. */
  async exportZip(options: ExportOptions = {}): Promise<Blob> {
    return exportZip(this.#stored, this.id, options, this.#session.home);
  }

  /** Like `exportZip()`, as a stream; memory is bounded by the largest event or file. */
  exportZipStream(options: ExportOptions = {}): ReadableStream<Uint8Array> {
    return exportZipStream(this.#stored, this.id, options, this.#session.home);
  }

  /**
   * The messages of the active branch, including those that a condensation has forgotten: `"message"` as the SDK's
   * `events_to_messages` builds them, `"chat"` as its `Message.to_chat_dict` writes them for Chat Completions, `"responses"`
   * and `"anthropic"` as they would be sent to the stored model in these APIs.
   */
  toMessages(format?: "message"): Promise<LLMMessage[]>;
  toMessages(format: "chat"): Promise<ChatMessage[]>;
  toMessages(format: "responses"): Promise<ResponsesMessages>;
  toMessages(format: "anthropic"): Promise<AnthropicMessages>;
  async toMessages(format: string = "message"): Promise<unknown> {
    return this.#converted(formOfMessages(format));
  }

  /** The active branch as plain messages with an id and a date. `importJSON()` turns it into a conversation again. */
  async exportSession(): Promise<Session> {
    return this.#converted("session");
  }

  /** The active branch in the format of OpenHands V0's `trajectory.json`. Images in results are left out. */
  async exportTrajectory(): Promise<TrajectoryEvent[]> {
    return this.#converted("trajectory");
  }

  /**
   * A branch as Markdown for people: messages, reasoning, calls with their results, and summaries, but not what sub-agents did. Texts keep
   * their Markdown; HTML, pictures from elsewhere and links that run something become text. @throws ThreadkeepError `not_found`
   */
  async exportMarkdown(options: TextOptions = {}): Promise<string> {
    return readable(this.#core, this.#stored, this.id, "markdown", options);
  }

  /**
   * A branch as one page of HTML, with what `exportMarkdown()` has. It loads nothing and nothing in it runs. Calls, reasoning and
   * summaries are folded; each element has the id of its event. @throws ThreadkeepError `not_found`
   */
  async exportHTML(options: TextOptions = {}): Promise<string> {
    return readable(this.#core, this.#stored, this.id, "html", options);
  }

  #converted<T>(form: Form): Promise<T> {
    return written(this.#stored, this.id, form, this.state.agent?.llm);
  }

  get #stored(): Store {
    return exported(this.#session.store, this.id, this.#core);
  }

  /**
   * Calls `listener` with every event once it is committed, then with the live events of that commit, and with other live
   * events at once. Live events have no `id`. Returns a function that unsubscribes.
   */
  subscribe(listener: (event: ConversationEvent | LiveEvent) => void): () => void {
    if (typeof listener !== "function") throw invalidOptions("subscribe() takes a function");
    // If a listener is subscribed twice, it is called twice, and each returned function removes one subscription.
    const own = (event: ConversationEvent | LiveEvent) => listener(event);
    this.#session.listeners.add(own);
    return () => void this.#session.listeners.delete(own);
  }

  /**
   * Stops a run, closes the agent's tools and releases the lock, so that another tab can write. Committed data stays,
   * unless the conversation was opened with `deleteOnClose`. Other pending method calls reject with `invalid_state`. Waits at
   * most fifteen seconds for functions of the host.
   */
  async close(): Promise<void> {
    const session = this.#session;
    const free = session.role.closing()?.then(() => session.free()) ?? session.free();
    const closed = free.finally(() => session.close());
    // Closing a tool may take long; the lock is released before.
    closeInTurn(session.store, this.id, free);
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
