// Sub-agents: how they are defined, and what they and the conversation that starts them know of each other.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { Agent } from "../agent/agent.js";
import type { OwnLimits } from "../agent/limits.js";
import type {
  ActionEvent,
  ConversationAccess,
  ConversationEvent,
  ConversationState,
  ExecutionStatus,
  LiveEvent,
  SecurityRisk,
} from "../events/events.js";
import type { ConversationStats, JSONValue } from "../events/types.js";
import type { LLM } from "../llm/llm.js";
import type { Tool } from "../tool/types.js";

/** A kind of sub-agent. The fields are those of the SDK's `AgentDefinition`. */
export interface AgentDefinition extends OwnLimits {
  /** The name by which the model chooses it. */
  name: string;
  /** When to use it, for the model. */
  description?: string | undefined;
  /** Added to its system prompt. */
  systemPrompt?: string | undefined;
  /** Its tools: names of tools of the agent that starts it, or tools. Default: only `finish` and `think`. */
  tools?: ReadonlyArray<string | Tool> | undefined;
  /** Names of skills of the agent that starts it. */
  skills?: readonly string[] | undefined;
  /** Its model: an LLM, or a name in `llms` or the agent's `llmRegistry`. Default, and for `"inherit"`: that of the agent that starts it. */
  model?: LLM | string | undefined;
  /** When its calls wait for the user. The stricter of this and the policy of the conversation that starts it applies. */
  permissionMode?: "always_confirm" | "confirm_risky" | "never_confirm" | undefined;
}

export interface TaskToolOptions {
  /**
   * The kinds of sub-agents: objects, or the texts of Markdown files with front matter, as the SDK reads them from
   * `.agents/agents/`. If none is called `general-purpose`, there is one of that name with all tools of the agent that
   * starts it.
   */
  agents?: ReadonlyArray<AgentDefinition | string> | undefined;
  /** Models that definitions name, before those of the agent's `llmRegistry`. */
  llms?: Readonly<Record<string, LLM>> | undefined;
  /** How deep sub-agents may start sub-agents: 1 is not at all. Default 2. */
  maxDepth?: number | undefined;
}

/** A conversation that can start sub-agents, as the tool `task` uses it. @internal */
export interface Parent {
  readonly agent: Agent;
  /** The current model. */
  readonly llm: LLM;
  readonly core: CoreConversation;
  readonly emit: (event: LiveEvent) => void;
  /** The stored state, read anew. */
  state(): ConversationState;
  /** Loads a part of the library, and waits for the network if a run needs it. */
  load<T>(load: () => Promise<T>): Promise<T>;
  /** Opens the conversation of a sub-agent, or creates it. */
  openChild(options: ChildOptions): Promise<Child>;
  /** The sub-agents, if the agent has the tool. */
  tasks: Tasks | undefined;
}

/** The options that the conversation of a sub-agent has of its own. Everything else is as in the one that starts it. @internal */
export interface ChildOptions {
  agent: Agent;
  id: string;
  /** The ids of the conversations above it, the nearest first. */
  ancestors: readonly string[];
  /** As it is stored, as JSON. */
  confirmationPolicy: string;
  limits: OwnLimits;
  onEvent: (event: ConversationEvent | LiveEvent) => void;
}

/** The part of a `Conversation` that the tool `task` uses of those that it opens. @internal */
export interface Child {
  readonly access: ConversationAccess;
  readonly executionStatus: ExecutionStatus;
  readonly events: { readonly length: number; slice(start?: number, end?: number): Promise<ConversationEvent[]> };
  readonly stats: ConversationStats;
  readonly allowedTools: readonly string[];
  readonly securityRisks: Record<string, SecurityRisk>;
  sendMessage(prompt: string, options: { sender: string; pending: "reject" }): Promise<unknown>;
  run(options: { signal: AbortSignal; approve?: string[] }): PromiseLike<unknown>;
  finalResponse(): Promise<string | null>;
  pendingActions(options?: { allowable: boolean }): Promise<ActionEvent[]>;
  rejectPendingActions(reason: string | undefined, options?: { actionIds: readonly string[] }): Promise<void>;
  editAction(actionId: string, args: JSONValue): Promise<ActionEvent>;
  setAllowedTools(names: readonly string[]): Promise<void>;
  pause(): Promise<void>;
  retryNow(): void;
  close(): Promise<void>;
}

/** The sub-agents of an open conversation that wait for the user. @internal */
export interface Tasks {
  /** These actions, with the waiting calls of a sub-agent, or the `allowable` ones, in place of the call that has started it. */
  pending(actions: ActionEvent[], allowable: boolean): Promise<ActionEvent[]>;
  /** The risks of the sub-agents' calls that `pending()` returned last, by action id. */
  readonly risks: Record<string, SecurityRisk>;
  /** Prepares a run that approves these actions, or all; resolves to those of the conversation itself. */
  approve(ids: string[] | undefined, pending: ActionEvent[]): Promise<string[] | undefined>;
  /** Rejects actions of sub-agents; resolves to those that are left to the conversation itself. */
  reject(reason: string | undefined, ids: string[] | undefined, pending: ActionEvent[]): Promise<string[] | undefined>;
  /** Edits an action of a sub-agent; `undefined` if it is none. */
  edit(id: string, args: string, pending: ActionEvent[]): Promise<ActionEvent | undefined>;
  retryNow(): void;
  /** Lets the sub-agents pause once the conversation is paused; the next run goes on with them. */
  pause(): Promise<void>;
  close(): Promise<void>;
}
