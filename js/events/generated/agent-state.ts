// Generated from src/format/agent_state.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { JSONValue } from "../types.js";
import type { SecurityRisk } from "./names.js";

/** The fields of `agent_state` that the library uses itself. */
export interface OwnAgentState {
  /** The actions that had begun and whose effect is unknown if the page dies: a list of event ids. */
  interrupted_actions?: string[];
  /** The actions that the user did not approve when approving others of the same batch: a list of event ids. */
  unapproved_actions?: string[];
  /** The risks that a security analyzer found, by event id of the action. */
  security_risks?: { [actionId: string]: SecurityRisk };
  /** The actions whose arguments the user changed: a list of event ids. */
  edited_actions?: string[];
  /** The tools that may run without asking the user: a list of names. */
  allowed_tools?: string[];
  /** How many calls a run executes at a time, if more than one. */
  tool_concurrency_limit?: number;
  /** The response that a provider computes in the background. */
  background_response?: { id: string; [field: string]: JSONValue };
  /** The server for which an encrypted API key was given, if requests go to another one. */
  api_key_server?: { model?: string; base_url?: string | null };
  /** The event that HEAD was moved to without a new event, and the length of the log then. */
  head_move?: { head: string; length: number };
  /**
   * The tasks that were given to sub-agents, by their ids: the sub-agent's conversation, the conversation and the call
   * that have started it.
   */
  subagent_tasks?: { [taskId: string]: { conversation: string; parent: string; action: string } };
  /**
   * When each tag was last set or removed here, in milliseconds since the Unix epoch: copies of a conversation that
   * have gone on apart are merged by it.
   */
  tag_times?: { [tag: string]: number };
  /** The reason why the run waits for a network, or why it waited when it ended. */
  waiting_for_network?: { attempt: number; why: string; message: string };
  /**
   * How many further attempts the agent's critic has demanded in this conversation. The SDK's field; a host may set
   * it.
   */
  iterative_refinement_iteration?: number;
  /**
   * The plugins that the conversation was opened with, each as the SDK's `ResolvedPluginSource`: Python and later
   * pages load the same commits.
   */
  resolved_plugins?: Array<{ source: string; resolved_ref: string | null; repo_path: string | null; original_ref: string | null }>;
}

/** `agent_state`: the fields of the library, and any others, which are the host's. */
export interface AgentState extends OwnAgentState {
  [name: string]: JSONValue | undefined;
}
