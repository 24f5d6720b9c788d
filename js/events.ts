// The JSON of events and of the state, as it is stored: that of the OpenHands software-agent-sdk, 1.43.1 to 1.58.0.
// An optional field is absent when it has no value; fields without `?` are always written.
// The kinds of events are generated from their declarations in Rust: see generated/events.ts.
import type { ErrorCode } from "./errors.js";
import type { MCPServerEvent } from "./mcp.js";
import type { EventSource, ExecutionStatus, FailureAction, FailureKind, KnownEvent, MessageRole, StreamingDeltaEvent } from "./generated/events.js";

export type {
  ACPToolCallEvent, ActionEvent, AgentErrorEvent, Condensation, CondensationRequest, CondensationSummaryEvent, ConversationErrorEvent,
  ConversationStateUpdateEvent, ExecutionStatus, HookExecutionEvent, InterruptEvent, LLMCompletionLogEvent, MessageEvent, ObservationEvent,
  PauseEvent, SecurityAnalysisEvent, SecurityRisk, ServerErrorEvent, StreamingDeltaEvent, SystemPromptEvent, TokenEvent, UserRejectObservation,
} from "./generated/events.js";

export type JSONValue = null | boolean | number | string | JSONValue[] | { [key: string]: JSONValue };
/** Any object but a function: to TypeScript, a value whose type is an `interface` is no `JSONValue`. */
export type JSONObject = object & { bind?: never };

export interface TextContent {
  type: "text";
  text: string;
  cache_prompt?: boolean;
}
export interface ImageContent {
  type: "image";
  /** `http(s):` or `data:` URLs. */
  image_urls: string[];
  cache_prompt?: boolean;
}
export type Content = TextContent | ImageContent;

export interface MessageToolCall {
  id: string;
  responses_item_id?: string;
  name: string;
  /** Argument JSON, as text. */
  arguments: string;
  origin: "completion" | "responses";
}
export type ThinkingBlock =
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "redacted_thinking"; data: string };
export interface ReasoningItem {
  id?: string;
  summary: string[];
  content?: string[];
  encrypted_content?: string;
  status?: string;
}
/** A message to or from a model (the SDK's `Message`). */
export interface LLMMessage {
  role: MessageRole;
  content: Content[];
  tool_calls?: MessageToolCall[];
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  thinking_blocks: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
}

/** The arguments of a call. `kind` names the family of the tool, and with it the further fields. */
export interface Action {
  kind: string;
  [field: string]: JSONValue;
}
/** The result of a call. */
export interface Observation {
  kind: string;
  content: Content[];
  is_error: boolean;
  [field: string]: JSONValue | Content[];
}
export interface ErrorClassification {
  kind: FailureKind;
  retryable: boolean;
  user_action: FailureAction;
  error_id?: string;
}
export interface CriticResult {
  score: number;
  message: string;
  metadata?: { [key: string]: JSONValue };
}

/** The fields of every event. */
export interface EventHead<Kind extends string> {
  kind: Kind;
  id: string;
  /** Local wall clock, without a zone: `2026-01-31T09:15:02.123456`. Order events by index, never by this. */
  timestamp: string;
  source: EventSource;
  /** Absent on the first event; `"__root__"` where a new branch starts from nothing. */
  parent_id?: string;
}

/** Every kind that the SDK writes. A log may hold kinds of a later version too: have a `default` in every `switch`. */
export type ConversationEvent = KnownEvent | UnreadableEvent;

/** Stands for an event of the log that cannot be read. Its file stays unchanged and is part of every export. */
export interface UnreadableEvent {
  kind: "UnreadableEvent";
  /** The id, from the name of the file. */
  id: string;
  /** The path of the file in an export. */
  file: string;
  /** The reason why it cannot be read. */
  why: string;
  source?: undefined;
  timestamp?: undefined;
}

/** The progress of a running tool, in words of its own. Live only. */
export interface ToolProgressEvent {
  kind: "ToolProgressEvent";
  tool_call_id: string;
  tool_name: string;
  text: string;
}
/**
 * A request to the model has failed and will be made again. Live only. Discard the pieces of the answer that have come: the
 * answer starts anew.
 */
export interface WaitingEvent {
  kind: "WaitingEvent";
  /** The number of attempts that have failed. */
  attempt: number;
  /** Seconds until the next attempt; 0 when it is made. */
  seconds: number;
  /** The code of the failure. */
  why: ErrorCode;
  message: string;
}
/**
 * A value of the state has changed, by a commit or by another page. Live only; a log of the SDK may hold stored events of this kind,
 * which have an `id`.
 */
export type StateUpdateEvent = { kind: "ConversationStateUpdateEvent" } & (
  | { key: "execution_status"; value: ExecutionStatus }
  /** The event that the next one follows; `null` before the first event. */
  | { key: "leaf_event_id"; value: string | null }
  | { key: "tags"; value: { [key: string]: string } | null }
  /**
   * In a follower. `"free"`: the page that wrote the conversation has ended, so `close()` and another `open()` may write; of
   * several pages that try, one can. `"deleted"`: the conversation is no longer stored, and this handle is closed.
   */
  | { key: "access"; value: "free" | "deleted" }
);
/**
 * The calls without a result have changed, by a commit: the model has called tools, a call has its result, or the user has
 * decided. `pendingActions()` has the actions. Live only.
 */
export interface PendingActionsEvent {
  kind: "PendingActionsEvent";
  /** The ids of the actions without a result, in the order of the log, also of those that run. */
  action_ids: string[];
  /** Those of them that wait for the user, and would not run without a decision. */
  waiting_ids: string[];
}
/** An event of a sub-agent's conversation, which is stored there. Live only. */
export interface SubagentEvent {
  kind: "SubagentEvent";
  /** The ids of the tasks from this conversation down to the sub-agent: `["task_00000001"]`. */
  path: string[];
  event: ConversationEvent | Exclude<LiveEvent, SubagentEvent>;
}

/** Events to show as they happen; they are never stored. */
export type LiveEvent = StreamingDeltaEvent | StateUpdateEvent | PendingActionsEvent | ToolProgressEvent | WaitingEvent | MCPServerEvent | SubagentEvent;

export interface TokenUsage {
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  context_window: number;
  per_turn_token: number;
  response_id: string;
}
export interface Metrics {
  model_name: string;
  /** US dollars. */
  accumulated_cost: number;
  max_budget_per_task?: number;
  accumulated_token_usage?: TokenUsage;
  costs: Array<{ model: string; cost: number; timestamp: number }>;
  response_latencies: Array<{ model: string; latency: number; response_id: string }>;
  token_usages: TokenUsage[];
}
/** Usage and cost, by `usageId`. */
export interface ConversationStats {
  usage_to_metrics: { [usageId: string]: Metrics };
}
/** The stored form of a secret. */
export interface StoredSecret {
  description?: string;
  value?: string;
  url?: string;
  headers?: { [name: string]: string };
  kind: string;
}
/** `base_state.json`. */
export interface ConversationState {
  id: string;
  agent: { kind: string; llm: { model: string; [field: string]: JSONValue }; [field: string]: JSONValue };
  workspace: { kind: string; [field: string]: JSONValue };
  max_iterations: number;
  execution_status: ExecutionStatus;
  confirmation_policy: { kind: string; [field: string]: JSONValue };
  security_analyzer?: { kind: string; [field: string]: JSONValue };
  /** Actions that a hook denied, with the reason; until they are answered. */
  blocked_actions: { [actionId: string]: string };
  /** Messages that a hook denied, with the reason; until a run has passed over them. */
  blocked_messages: { [messageId: string]: string };
  last_user_message_id?: string;
  leaf_event_id?: string;
  head_is_empty: boolean;
  stats: ConversationStats;
  /** Names and kinds. Values are redacted, or encrypted under the passphrase. */
  secret_registry?: { secret_sources: { [name: string]: StoredSecret } };
  tags: { [key: string]: string };
  agent_state: { [key: string]: JSONValue };
}
