// What a conversation is opened with: the options, and how they are read.
import { Agent } from "./agent.js";
import { arrayOf, checkId, isA, isFunction, newId } from "./arguments.js";
import { type ConfirmationPolicy, storedPolicy } from "./control.js";
import { invalidOptions, optionsOf, textsOf } from "./errors.js";
import type { ConversationEvent, LiveEvent } from "./events.js";
import { type Hooks, coreHooks } from "./hooks.js";
import { type RunLimits, limitsOf } from "./limits.js";
import { offlineOf } from "./network.js";
import type { SecretValue } from "./secrets/source.js";
import type { SecurityAnalyzer } from "./security.js";
import { type Store, indexedDBStore } from "./store.js";

export interface ConversationOptions extends RunLimits {
  agent: Agent;
  /** A UUID. One that exists resumes; none (also `null`, as `localStorage.getItem()` has it), or a new one, creates. */
  conversationId?: string | null | undefined;
  /** Default: `indexedDBStore()` in a page; elsewhere there is none, so name one. */
  store?: Store | undefined;
  /** Called with every event once it is durable. */
  callbacks?: Array<(event: ConversationEvent) => void> | undefined;
  /** Called with the pieces of an answer as they come. */
  tokenCallbacks?: Array<(live: LiveEvent) => void> | undefined;
  /**
   * When a call waits for the user. Left out, what is stored stays; for a new conversation that is `NeverConfirm`. An
   * import never loosens it: of what came in and what is given here the stricter holds, until `setConfirmationPolicy()`.
   */
  confirmationPolicy?: ConfirmationPolicy | undefined;
  /**
   * Who says how risky a call is. Left out, what is stored stays, but for a function, which no store can hold: until
   * it is given again, every call counts as `HIGH`. For a new conversation, and with `null`, it is nobody.
   */
  securityAnalyzer?: SecurityAnalyzer | null | undefined;
  /**
   * What a run does that has no network: it waits, and goes on by itself when the server can be reached again, which is
   * the default; or it fails after the attempts that `numRetries` allows. What it waits for comes as `WaitingEvent`.
   */
  offline?: "wait" | "fail" | undefined;
  /** Whether `close()` removes the conversation. Default false. */
  deleteOnClose?: boolean | undefined;
  /** Asked and told around tools, messages and sessions. Functions cannot be stored: give them at each opening. */
  hooks?: Hooks | undefined;
  /** For a conversation that is created. Names of lower-case letters and digits, values of at most 256 characters. */
  tags?: Record<string, string> | undefined;
  /** Set as soon as it is open, as `updateSecrets()` does. */
  secrets?: Record<string, SecretValue> | undefined;
  /**
   * A passphrase: secrets and the model's key are stored encrypted under it, as the SDK's `Cipher` does, and read again.
   * Make it long and random: whoever has the file can guess as fast as they can hash. Without one they are redacted.
   */
  cipher?: string | undefined;
}

const names = "agent conversationId store callbacks tokenCallbacks confirmationPolicy securityAnalyzer offline deleteOnClose hooks tags secrets cipher maxIterationPerRun maxBudgetPerRun stuckDetection";

/** What was given, checked and copied, in the words of the wasm where it takes it. @internal */
export function readOptions(options: ConversationOptions) {
  const given = optionsOf("Conversation.open()", options, names);
  const { agent, conversationId, store = indexedDBStore(), callbacks = [], tokenCallbacks = [], confirmationPolicy, deleteOnClose = false, hooks, tags, securityAnalyzer, secrets, cipher } = given;
  if (!isA(agent, Agent)) throw invalidOptions("agent must be an Agent: Conversation.open({ agent: new Agent({ … }) })");
  if (typeof deleteOnClose !== "boolean") throw invalidOptions("deleteOnClose must be true or false");
  return {
    agent,
    id: conversationId === undefined || conversationId === null ? newId() : checkId(conversationId),
    /** Whether somebody may have had it before. */
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
  };
}
