// Types of a conversation that several files of it use.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { Agent } from "../agent/agent.js";
import type { RunLimits } from "../agent/limits.js";
import type { Analyzers } from "../control/control.js";
import type { ConfirmationPolicy, Hooks, SecurityAnalyzer } from "../control/types.js";
import type { PluginOptions } from "../plugins/types.js";
import type { ConversationEvent, ConversationState, ExecutionStatus, LiveEvent } from "../events/events.js";
import type { TokenUsage } from "../events/types.js";
import type { Progress } from "../formats/types.js";
import type { LLM } from "../llm/llm.js";
import type { Network } from "../llm/network.js";
import type { Secrets } from "../secrets/secrets.js";
import type { SecretValue } from "../secrets/source.js";
import type { Store } from "../store/store.js";
import type { Tasks } from "../subagents/types.js";
import type { AgentServer } from "../server/server.js";
import type { ToolCalls } from "../tool/calls.js";
import type { LazyHome } from "../workspace/workspace.js";
import type { Workspace } from "../workspace/types.js";

/**
 * A file of a message: any `File`, or a Blob with a `name`, which is stored in the workspace under `attachments/`; or a file
 * that is in the workspace already, by its `path`. A file has at most 32 MiB, the files of a message 256 MiB.
 */
export type FileContent = {
  type: "file";
  /** The name for the user and the model. Default: that of the `File`, or the end of the path. */
  name?: string | undefined;
  /** Default: the type of the Blob. */
  mediaType?: string | undefined;
  /** The text of a file that is not plain text, such as a PDF, as the model shall read it. */
  text?: string | undefined;
} & ({ file: Blob; path?: undefined } | { path: string; file?: undefined });

/** Reads the text of attached files of one kind, such as `pdfText()` of `threadkeep/pdf`. */
export interface AttachmentReader {
  /** Whether it reads this file. `start` has its first bytes, at most 1024: names and types may be wrong. */
  accepts(file: { name: string; mediaType: string; start: Uint8Array }): boolean;
  /**
   * Resolves to the text, or to the text and the number of pages. What it rejects with is the reason why there is no text, which the
   * message names; `pages` of this error counts, too. `signal` is aborted after a minute, when nobody waits any more.
   */
  read(
    file: { name: string; mediaType: string; bytes: Uint8Array },
    options: { signal: AbortSignal },
  ): Promise<string | { text: string; pages?: number | undefined }>;
}

/** The form in which the current model gets a file: the file itself, its text, or only its name, type and size. */
export interface FilePreview {
  form: "file" | "text" | "name";
  /** Why not the file itself, as a part of a sentence; `null` for a file of a kind that no model is given. */
  note: string | null;
}

/** A note about an opened conversation that the host should know, and may show to the user. */
export interface ConversationWarning {
  code:
    | "quarantined"
    | "head_moved"
    | "interrupted"
    | "unreadable"
    | "history_broken"
    | "tools_unavailable"
    | "settings_unavailable"
    | "secrets_unavailable"
    | "store_lost"
    | "home_unavailable"
    | "store_quota"
    | "mcp_servers"
    | "plugins";
  message: string;
}

export interface ConversationOptions<Answer = any> extends RunLimits, PluginOptions {
  agent: Agent<Answer>;
  /** A UUID. An existing conversation is resumed, otherwise a new one is created; without an id (or `null`, as from `localStorage.getItem()`) always. */
  conversationId?: string | null | undefined;
  /** Default in a page: `indexedDBStore()`. Required in Node. */
  store?: Store | undefined;
  /** Called with every event once it is committed. */
  callbacks?: Array<(event: ConversationEvent) => void> | undefined;
  /** Called with all live events: the pieces of a streaming answer, changes of the status, and the others. */
  tokenCallbacks?: Array<(live: LiveEvent) => void> | undefined;
  /**
   * When a call waits for the user. Default: the stored policy; for a new conversation `NeverConfirm`. Of an imported
   * policy and the one given here the stricter applies, until `setConfirmationPolicy()`.
   */
  confirmationPolicy?: ConfirmationPolicy | undefined;
  /**
   * Rates the risk of calls. Default: the stored analyzer. A function cannot be stored: until it is given again, every
   * call counts as `HIGH`. A new conversation has none, and `null` removes it; then every risk is unknown.
   */
  securityAnalyzer?: SecurityAnalyzer | null | undefined;
  /**
   * The behaviour of a run without a network. `"wait"`, the default: it waits, and continues by itself when the server can
   * be reached again; a `WaitingEvent` reports the reason. `"fail"`: it fails after `numRetries` attempts.
   */
  offline?: "wait" | "fail" | undefined;
  /**
   * The treatment of an answer that was still streaming when the page died, of which all but about the last second is stored.
   * `"again"`, the default: it is the `draft` of the conversation, which the model does not see, until the next run has asked
   * again. `"keep"`: it is appended to the log, durably, as a message of the agent that says that it broke off. A draft becomes
   * such a message, too, when the user writes something else or leaves the branch.
   */
  resume?: "again" | "keep" | undefined;
  /**
   * The behaviour of a handle whose conversation another one wrote, when that one has ended: `"auto"`, the default, takes its place and
   * carries out what was asked of it; `"never"` says so by the live event `access` with `"free"`, and leaves it to the host.
   */
  takeOver?: "auto" | "never" | undefined;
  /**
   * A worker in which `serveConversations()` was called: the loop runs there, and this handle follows it; `data` is for its function.
   * Default: the loop runs here. Tools, hooks, the policy and the rest are those of the worker. If the worker cannot be reached, the
   * loop runs here all the same, with the warning `home_unavailable`; if it ends, as after the end of a tab. Or an agent server,
   * `agentServer({ host, apiKey, workingDir })`, which runs it with its own tools and those of `tool()`: see docs/server.md.
   */
  home?: HomeWorker | { worker: HomeWorker; data?: unknown } | AgentServer | undefined;
  /** Whether `close()` deletes the conversation. Default false. */
  deleteOnClose?: boolean | undefined;
  /** Functions called before and after tools, messages and sessions. They cannot be stored: give them at each opening. */
  hooks?: Hooks | undefined;
  /** Tags of a conversation that is created. Names of lower-case letters and digits, values of at most 256 characters. */
  tags?: Record<string, string> | undefined;
  /** Secrets for tools, set as `updateSecrets()` does. */
  secrets?: Record<string, SecretValue> | undefined;
  /**
   * A passphrase: secrets and the model's key are stored encrypted with it, in the format of the SDK's `Cipher`. Make it
   * long and random, because whoever has the file can guess very fast. Without a passphrase they are stored redacted.
   */
  cipher?: string | undefined;
  /**
   * The files that the agent works on. Default: the conversation's own, which are stored and deleted with it; on an agent server those
   * of the server, in whose place only a `remoteWorkspace()` can be given.
   */
  workspace?: Workspace | undefined;
  /**
   * The treatment of the files of messages. `readers` read the text of those that are no plain text; the first one that
   * accepts a file reads it.
   */
  attachments?: { readers?: readonly AttachmentReader[] | undefined } | undefined;
}

/** A worker that a conversation can be opened in. */
export type HomeWorker = SharedWorker | Worker | ServiceWorker;

/** The options of the conversations of a worker. */
export type HomeOptions = Omit<ConversationOptions, "conversationId" | "home">;

/**
 * The argument of `serveConversations()`. The function is called for each conversation that is opened; `data` is what the page has given
 * with `home`, copied.
 */
export type ServedOptions = HomeOptions | ((asked: { conversationId: string; data: unknown }) => HomeOptions | Promise<HomeOptions>);

/** The options of `fork()`. */
export interface ForkOptions {
  /** The last event to copy, with its ancestors. Default: the complete log. */
  fromEventId?: string | undefined;
  /** The title in lists, which is the tag `title`. */
  title?: string | undefined;
  /** The tags of the copy; those of the original are not copied. */
  tags?: Record<string, string> | undefined;
  /** Whether costs and tokens are counted from zero. Default true. */
  resetMetrics?: boolean | undefined;
  /** Default: the agent of the original, with its current model. */
  agent?: Agent | undefined;
}

/** How an answer has ended. */
export type FinishReason = "stop" | "length" | "content_filter" | "incomplete";

/**
 * How a run ended, and what it took. Also that of a run that was interrupted, or ended at a limit; a run that rejects has none.
 * The usage is that of the whole conversation while it ran: of its model with failed attempts, condensers, critics and
 * sub-agents, and of questions that were asked beside it.
 */
export interface RunResult {
  status: ExecutionStatus;
  /** The message of `finish`, or the model's last text; `null` if there is neither. */
  finalResponse: string | null;
  /**
   * How that answer has ended. `"length"`: at the limit of its length or at the end of the context; its text is empty if thoughts have
   * used the limit up. `"content_filter"`: by a filter or a refusal of the provider. `"incomplete"`: the provider says no more than
   * that. After `"length"` and `"incomplete"` another `run()` lets the model go on. `null` without an answer, and where nothing ran.
   */
  finishReason: FinishReason | null;
  /**
   * The steps, as `maxIterationPerRun` counts them: each an answer of the model with its calls, calls that had waited, or a
   * condensation. Those of sub-agents are not among them.
   */
  steps: number;
  tokenUsage: Pick<TokenUsage, "prompt_tokens" | "completion_tokens" | "cache_read_tokens" | "cache_write_tokens" | "reasoning_tokens">;
  /** US dollars; 0 for models without known prices. */
  cost: number;
  /** Milliseconds from `run()` to its end, with all waiting. */
  durationMs: number;
}

/** The part of an open conversation that its methods use. @internal */
export interface ActingSession {
  readonly agent: Agent;
  /** The current model. */
  llm: LLM;
  readonly network: Network;
  readonly tools: ToolCalls;
  readonly home: LazyHome;
  readonly secrets: Secrets;
  readonly analyzers: Analyzers;
  readonly tasks: Tasks | undefined;
  /** Resolves once the run that prepares what it approves has been asked of the core. */
  approving: Promise<unknown> | undefined;
  readonly attachments: ConversationOptions["attachments"];
  state(): ConversationState;
  /** Tells other handles that something has changed. */
  tell(isListed: boolean): void;
  /** Takes note of a run. */
  began(run: Promise<RunResult>): void;
  /** The result of a run that has ended elsewhere. */
  result(): Promise<RunResult>;
}

export interface BringHomeOptions {
  server: AgentServer;
  /** Default: `indexedDBStore()`. */
  store?: Store | undefined;
}

export interface MoveToServerOptions extends BringHomeOptions {
  /** Its model, with its key, and its system prompt are those of the agent on the server. */
  agent: Agent;
  /** Texts that the agent may use there, by name. Those of the conversation do not go along. */
  secrets?: Readonly<Record<string, string>> | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The object that a method acts on: `core` is the session's, or the same conversation on behalf of another handle. @internal */
export interface Acting {
  readonly session: ActingSession;
  readonly core: CoreConversation;
}

/** The functions that are called with every event of the log, and with every live event. Live events have no id. @internal */
export type Listeners = Set<(event: ConversationEvent | LiveEvent) => void>;

/** Tags by name; `null` removes one. @internal */
export type TagChanges = { [tag: string]: string | null };

/** The changes of `updateConversations()`. Whatever is left out stays as it is. */
export interface ConversationChanges {
  /** Whether lists show it first. */
  pinned?: boolean | undefined;
  /** Whether lists show it apart. */
  archived?: boolean | undefined;
  /** Whether it is in the trash: `Conversation.list()` leaves it out, and `emptyTrash()` deletes it later. */
  trashed?: boolean | undefined;
  /** Texts by name, such as `title` or the name of a folder; `null` removes one, and others stay. */
  tags?: Record<string, string | null> | undefined;
}

export interface EmptyTrashOptions {
  /** Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** For how many milliseconds a conversation stays in the trash. Default: those of 30 days. With 0 all of it is deleted. */
  olderThan?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface AskOptions {
  /** The model that answers, or its name in the agent's `llmRegistry`. Default: that of the conversation. */
  llm?: LLM | string | undefined;
  signal?: AbortSignal | undefined;
}

export interface TitleOptions {
  /** The model that makes the title, or its name in the agent's `llmRegistry`. Default: that of the conversation. */
  llm?: LLM | string | undefined;
  /** The length of the title in characters, at least 4. Default 50. */
  maxLength?: number | undefined;
  signal?: AbortSignal | undefined;
}
