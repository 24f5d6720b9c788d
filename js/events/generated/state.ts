// Generated from src/format/fields.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { ConversationStats, JSONValue, StoredSecret } from "../types.js";
import type { AgentState } from "./agent-state.js";
import type { ExecutionStatus } from "./names.js";

/** The agent in `base_state.json`, with the SDK's names. Agents of other kinds have other fields. */
export interface StoredAgent {
  /** The model's settings, with the names of the SDK. */
  llm: { model: string; [field: string]: JSONValue };
  /** The tools that Python needs as well, by the names under which the SDK registers them. */
  tools?: Array<{ name: string; params: { [name: string]: JSONValue } }>;
  /** The MCP servers by name, without what is secret. */
  mcp_config?: { [field: string]: JSONValue };
  filter_tools_regex?: string;
  /** The names of the classes of `finish` and `think`, as far as they are not among `tools`. */
  include_default_tools?: string[];
  /** Skills, and texts for prompts. */
  agent_context?: { [field: string]: JSONValue };
  /** The text that replaces the SDK's prompt. */
  system_prompt?: string;
  /** The SDK's template, which the text replaces. */
  system_prompt_filename?: string;
  security_policy_filename?: string;
  system_prompt_kwargs?: { [name: string]: JSONValue };
  condenser?: { kind: string; [field: string]: JSONValue };
  critic?: { kind: string; [field: string]: JSONValue };
  /** How many calls of one answer Python runs at the same time. */
  tool_concurrency_limit?: number;
  kind: string;
  /** Fields of other programs, which are preserved. */
  [field: string]: JSONValue | undefined;
}

/** `base_state.json`. */
export interface ConversationState {
  id: string;
  /** The agent as the SDK stores it. Tools of the page are not in it. */
  agent: StoredAgent;
  /** The place of the files in Python. */
  workspace: { kind: string; [field: string]: JSONValue };
  /**
   * The directory in which the SDK stores the conversation. That of a sub-agent's conversation names the conversations
   * above it.
   */
  persistence_dir?: string;
  /** The most steps of a run. */
  max_iterations: number;
  /** Whether a run that repeats itself ends with the status `stuck`. */
  stuck_detection: boolean;
  execution_status: ExecutionStatus;
  confirmation_policy: { kind: string; [field: string]: JSONValue };
  security_analyzer?: { kind: string; [field: string]: JSONValue };
  /** The names of the skills that a message has triggered. */
  activated_knowledge_skills: string[];
  /** The names of the skills that a call's path has triggered. */
  activated_path_rules: string[];
  /** The names of the skills that the model has opened. */
  invoked_skills: string[];
  /** Actions that a hook denied, with the reason; until they are answered. */
  blocked_actions: { [actionId: string]: string };
  /** Messages that a hook denied, with the reason; until a run has passed over them. */
  blocked_messages: { [messageId: string]: string };
  last_user_message_id?: string;
  /** The event that the next one follows; absent before the first one. */
  leaf_event_id?: string;
  /** Whether the next event begins a branch of its own. Logs from before the SDK had branches lack it. */
  head_is_empty?: boolean;
  stats: ConversationStats;
  /** Names and kinds. Values are redacted, or encrypted under the passphrase. */
  secret_registry?: { secret_sources: { [name: string]: StoredSecret } };
  tags: { [key: string]: string };
  /** Values of the library and of the host (`setAgentState()`). */
  agent_state: AgentState;
  /** Hooks of a Python agent. They are preserved, and do not run here. */
  hook_config?: { [field: string]: JSONValue };
}
