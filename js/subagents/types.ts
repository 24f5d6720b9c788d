// Sub-agents: how they are defined, and what they and the conversation that starts them know of each other.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { Analyzers } from "../control/control.js";
import type { Conversation } from "../conversation/conversation.js";
import type { readOptions } from "../conversation/options.js";
import type { FilesOwner } from "../conversation/types.js";
import type { ActionEvent, LiveEvent, SecurityRisk } from "../events/events.js";
import type { LLM } from "../llm/llm.js";
import type { Secrets } from "../secrets/secrets.js";
import type { Tool } from "../tool/types.js";
import type { Workspace } from "../workspace/types.js";

/** A kind of sub-agent. The fields are those of the SDK's `AgentDefinition`. */
export interface AgentDefinition {
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
  /** Its model: an LLM, or a name in `llms`. Default, and for `"inherit"`: that of the agent that starts it. */
  model?: LLM | string | undefined;
  /** When its calls wait for the user. The stricter of this and the policy of the conversation that starts it applies. */
  permissionMode?: "always_confirm" | "confirm_risky" | "never_confirm" | undefined;
  /** The most steps of a run. Default: the limit of the conversation that starts it. */
  maxIterationPerRun?: number | undefined;
  /** The most dollars of a run. Default: the limit of the conversation that starts it. */
  maxBudgetPerRun?: number | undefined;
}

export interface TaskToolOptions {
  /**
   * The kinds of sub-agents: objects, or the texts of Markdown files with front matter, as the SDK reads them from
   * `.agents/agents/`. If none is called `general-purpose`, there is one of that name with all tools of the agent that
   * starts it.
   */
  agents?: ReadonlyArray<AgentDefinition | string> | undefined;
  /** Models that definitions name. */
  llms?: Readonly<Record<string, LLM>> | undefined;
  /** How deep sub-agents may start sub-agents: 1 is not at all. Default 2. */
  maxDepth?: number | undefined;
}

/** A conversation that can start sub-agents, as the tool `task` uses it. @internal */
export interface Parent {
  readonly given: ReturnType<typeof readOptions>;
  readonly core: () => CoreConversation;
  readonly analyzers: Analyzers;
  readonly secrets: Secrets;
  readonly workspace: Workspace;
  /** Whether the workspace is the conversation's own, or that of the one whose sub-agent it is. */
  readonly ownsWorkspace: boolean;
  /** The conversation whose files sub-agents change in the transactions of their results. */
  readonly owner: FilesOwner | undefined;
  readonly emit: (event: LiveEvent) => void;
  readonly open: (given: Parent["given"]) => Promise<Conversation>;
  /** Loads a part of the library, and waits for the network if a run needs it. */
  readonly load: <T>(load: () => Promise<T>) => Promise<T>;
  /** The current model. */
  llm: LLM;
  /** The sub-agents, if the agent has the tool. */
  tasks?: Tasks;
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
