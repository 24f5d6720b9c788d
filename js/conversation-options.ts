// The options of `Conversation.open()`, and how they are checked.
import type { CoreConversation } from "../pkg/threadkeep.js";
import { Agent } from "./agent.js";
import { arrayOf, checkId, isA, isFunction, newId } from "./arguments.js";
import { type Analyzers, type ConfirmationPolicy, storedPolicy } from "./control.js";
import { invalidOptions, optionsOf, textOf, textsOf } from "./errors.js";
import type { ConversationEvent, LiveEvent } from "./events.js";
import { type Hooks, coreHooks } from "./hooks.js";
import { type RunLimits, limitsOf } from "./limits.js";
import { offlineOf } from "./network.js";
import type { SecretValue } from "./secrets/source.js";
import type { SecurityAnalyzer } from "./security.js";
import { type Store, indexedDBStore } from "./store.js";
import { type LazyHome, type Workspace, checkedWorkspace } from "./workspace.js";

export interface ConversationOptions<Answer = any> extends RunLimits {
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
  /** The files that the agent works on. Default: the conversation's own, which are stored and deleted with it. */
  workspace?: Workspace | undefined;
}

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

/** The checked options of `fork()`. @internal */
export function readFork(options: ForkOptions, own: Agent) {
  const { fromEventId, title, tags = {}, resetMetrics = true, agent = own } = optionsOf("fork()", options, "fromEventId title tags resetMetrics agent");
  if (typeof resetMetrics !== "boolean") throw invalidOptions("resetMetrics must be true or false");
  const given = textsOf("tags", tags);
  return {
    fromEventId: fromEventId === undefined ? undefined : textOf(fromEventId),
    tags: title === undefined ? given : { ...given, title: textOf(title) },
    resetMetrics,
    agent,
  };
}

const names = "agent conversationId store callbacks tokenCallbacks confirmationPolicy securityAnalyzer offline deleteOnClose hooks tags secrets cipher workspace maxIterationPerRun maxBudgetPerRun stuckDetection";

/** A conversation whose files its sub-agents change. @internal */
export interface FilesOwner {
  readonly core: () => CoreConversation;
  readonly home: LazyHome;
  /** Tells its followers that its files may have changed. */
  readonly tell: () => void;
}

/** Options of the conversation of a sub-agent, which come from the one that started it. @internal */
export interface Inherited {
  analyzers: Analyzers;
  /** In the form that the wasm takes. */
  stored: { ancestors: string; securityAnalyzer: string };
  /** Texts to hide. */
  hidden: string[];
  /** Whether the workspace is that of the conversation above all others. */
  ownsWorkspace: boolean;
  /** That conversation, if its files are stored in the transactions of the others. */
  owner: FilesOwner | undefined;
}

/** The checked and copied options, in the form that the wasm takes. @internal */
export function readOptions(options: ConversationOptions) {
  const given = optionsOf("Conversation.open()", options, names);
  const { agent, conversationId, store = indexedDBStore(), callbacks = [], tokenCallbacks = [], confirmationPolicy, deleteOnClose = false, hooks, tags, securityAnalyzer, secrets, cipher, workspace } = given;
  if (!isA(agent, Agent)) throw invalidOptions("agent must be an Agent: Conversation.open({ agent: new Agent({ … }) })");
  if (typeof deleteOnClose !== "boolean") throw invalidOptions("deleteOnClose must be true or false");
  return {
    agent,
    id: conversationId === undefined || conversationId === null ? newId() : checkId(conversationId),
    /** Whether the conversation may already exist. */
    isGiven: conversationId !== undefined && conversationId !== null,
    store,
    callbacks: arrayOf("callbacks", "functions", callbacks, isFunction),
    tokenCallbacks: arrayOf("tokenCallbacks", "functions", tokenCallbacks, isFunction),
    limits: limitsOf(given),
    waits: offlineOf(given.offline) === "wait",
    policy: confirmationPolicy === undefined ? undefined : storedPolicy(confirmationPolicy),
    hooks: hooks === undefined ? undefined : coreHooks(hooks),
    deleteOnClose,
    tags: tags === undefined ? undefined : textsOf("tags", tags),
    securityAnalyzer,
    secrets,
    cipher,
    workspace: workspace === undefined ? undefined : checkedWorkspace(workspace),
    inherited: undefined as Inherited | undefined,
  };
}
