// What a conversation is opened with: the options, and how they are read.
import { Agent } from "./agent.js";
import { checkId, functionsOf, tagsOf } from "./arguments.js";
import { type ConfirmationPolicy, storedPolicy } from "./control.js";
import { invalidOptions, reading } from "./errors.js";
import type { ConversationEvent, LiveEvent } from "./events.js";
import { type Hooks, coreHooks } from "./hooks.js";
import { type RunLimits, limitsOf } from "./limits.js";
import { offlineOf } from "./network.js";
import type { SecretValue } from "./secrets/source.js";
import type { SecurityAnalyzer } from "./security.js";
import { type Store, indexedDBStore } from "./store.js";

export interface ConversationOptions extends RunLimits {
  agent: Agent;
  /** A UUID. One that exists resumes; none, or a new one, creates. */
  conversationId?: string;
  /** Default: `indexedDBStore()` in a page; elsewhere there is none, so name one. */
  store?: Store;
  /** Called with every event once it is durable. */
  callbacks?: Array<(event: ConversationEvent) => void>;
  /** Called with the pieces of an answer as they come. */
  tokenCallbacks?: Array<(live: LiveEvent) => void>;
  /** When a call waits for the user. Left out, what is stored stays; for a new conversation that is `NeverConfirm`. */
  confirmationPolicy?: ConfirmationPolicy;
  /**
   * Who says how risky a call is. Left out, what is stored stays, but for a function, which no store can hold: until
   * it is given again, every call counts as `HIGH`. For a new conversation, and with `null`, it is nobody.
   */
  securityAnalyzer?: SecurityAnalyzer | null;
  /**
   * What a run does that has no network: it waits, and goes on by itself when the server can be reached again, which is
   * the default; or it fails after the attempts that `numRetries` allows. What it waits for comes as `WaitingEvent`.
   */
  offline?: "wait" | "fail";
  /** Whether `close()` removes the conversation. Default false. */
  deleteOnClose?: boolean;
  /** Asked and told around tools, messages and sessions. Functions cannot be stored: give them at each opening. */
  hooks?: Hooks;
  /** For a conversation that is created. Names of lower-case letters and digits, values of at most 256 characters. */
  tags?: Record<string, string>;
  /** Set as soon as it is open, as `updateSecrets()` does. */
  secrets?: Record<string, SecretValue>;
  /**
   * A passphrase: secrets and the model's key are stored encrypted under it, as the SDK's `Cipher` does, and read again.
   * Make it long and random: whoever has the file can guess as fast as they can hash. Without one they are redacted.
   */
  cipher?: string;
}

/** What was given, checked and copied, in the words of the wasm where it takes it. @internal */
export function readOptions(options: ConversationOptions) {
  const { agent, conversationId, store = indexedDBStore(), confirmationPolicy, deleteOnClose = false, tags, securityAnalyzer, secrets, cipher, ...told } = reading("the options of a conversation", () => {
    if (!(options?.agent instanceof Agent)) throw invalidOptions("agent must be an Agent: Conversation.open({ agent: new Agent({ … }) })");
    return { ...options, ...(options.tags && { tags: tagsOf(options.tags) }) };
  });
  if (typeof deleteOnClose !== "boolean") throw invalidOptions("deleteOnClose must be true or false");
  return {
    agent,
    id: conversationId === undefined ? crypto.randomUUID() : checkId(conversationId),
    store,
    callbacks: functionsOf("callbacks", told.callbacks),
    tokenCallbacks: functionsOf("tokenCallbacks", told.tokenCallbacks),
    limits: limitsOf(told),
    waits: offlineOf(told.offline) === "wait",
    policy: confirmationPolicy && storedPolicy(confirmationPolicy),
    hooks: reading("hooks", () => (told.hooks === undefined ? undefined : coreHooks(told.hooks))),
    deleteOnClose,
    tags,
    securityAnalyzer,
    secrets,
    cipher,
  };
}
