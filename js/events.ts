// Events and what is in them, as they are stored: the JSON of the OpenHands software-agent-sdk, 1.43.1 to 1.58.0.
// Optional means absent when there is nothing; fields without `?` are always written.
import type { ErrorCode } from "./errors.js";

export type JSONValue = null | boolean | number | string | JSONValue[] | { [key: string]: JSONValue };
/** Any object but a function: what has the type of an `interface` is no `JSONValue` to TypeScript. */
export type JSONObject = object & { bind?: never };

export type ExecutionStatus =
  | "idle" | "running" | "paused" | "waiting_for_confirmation" | "finished" | "error" | "stuck" | "deleting";
export type SecurityRisk = "UNKNOWN" | "LOW" | "MEDIUM" | "HIGH";

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
  role: "user" | "system" | "assistant" | "tool";
  content: Content[];
  tool_calls?: MessageToolCall[];
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  thinking_blocks: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
}

/** What a call asks for; `kind` says which tool family, and with it which further fields there are. */
export interface Action {
  kind: string;
  [field: string]: JSONValue;
}
/** What a call gave. */
export interface Observation {
  kind: string;
  content: Content[];
  is_error: boolean;
  [field: string]: JSONValue | Content[];
}
export interface ErrorClassification {
  kind: "auth" | "quota" | "rate_limit" | "config" | "transient" | "agent_action" | "internal" | "unknown";
  retryable: boolean;
  user_action: "none" | "retry" | "settings";
  error_id?: string;
}
export interface CriticResult {
  score: number;
  message: string;
  metadata?: { [key: string]: JSONValue };
}

interface EventHead<Kind extends string, Source extends string = "agent" | "user" | "environment" | "hook"> {
  kind: Kind;
  id: string;
  /** Local wall clock, without a zone: `2026-01-31T09:15:02.123456`. Order events by index, never by this. */
  timestamp: string;
  source: Source;
  /** Absent on the first event; `"__root__"` where a new branch starts from nothing. */
  parent_id?: string;
}

export interface SystemPromptEvent extends EventHead<"SystemPromptEvent"> {
  system_prompt: TextContent;
  tools: Array<{ kind: string; [field: string]: JSONValue }>;
  dynamic_context?: TextContent;
}
/** A message by the user, the agent or the environment. Its name is also a type of the DOM, which it hides where it is imported. */
export interface MessageEvent extends EventHead<"MessageEvent"> {
  llm_message: LLMMessage;
  llm_response_id?: string;
  activated_skills: string[];
  extended_content: TextContent[];
  sender?: string;
  critic_result?: CriticResult;
}
export interface ActionEvent extends EventHead<"ActionEvent"> {
  thought: TextContent[];
  reasoning_content?: string;
  thinking_blocks: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
  /** Absent where the call was not valid; an `AgentErrorEvent` then says why. */
  action?: Action;
  tool_name: string;
  tool_call_id: string;
  tool_call: MessageToolCall;
  /** The same for all calls of one answer. */
  llm_response_id: string;
  security_risk: SecurityRisk;
  critic_result?: CriticResult;
  summary?: string;
}
export interface ObservationEvent extends EventHead<"ObservationEvent"> {
  tool_name: string;
  tool_call_id: string;
  observation: Observation;
  action_id: string;
  extended_content: TextContent[];
}
export interface UserRejectObservation extends EventHead<"UserRejectObservation"> {
  tool_name: string;
  tool_call_id: string;
  rejection_reason: string;
  rejection_source: "user" | "hook";
  action_id: string;
}
export interface AgentErrorEvent extends EventHead<"AgentErrorEvent"> {
  tool_name: string;
  tool_call_id: string;
  error: string;
  classification?: ErrorClassification;
}
export interface Condensation extends EventHead<"Condensation"> {
  forgotten_event_ids: string[];
  summary?: string;
  summary_offset?: number;
  llm_response_id: string;
}
export type CondensationRequest = EventHead<"CondensationRequest">;
export interface CondensationSummaryEvent extends EventHead<"CondensationSummaryEvent"> {
  summary: string;
}
export interface ConversationErrorEvent extends EventHead<"ConversationErrorEvent"> {
  code: string;
  detail: string;
  classification?: ErrorClassification;
}
export interface ConversationStateUpdateEvent extends EventHead<"ConversationStateUpdateEvent"> {
  key: string;
  value: JSONValue;
}
export type PauseEvent = EventHead<"PauseEvent">;
export type InterruptEvent = EventHead<"InterruptEvent">;
export interface HookExecutionEvent extends EventHead<"HookExecutionEvent"> {
  hook_event_type: "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "SessionStart" | "SessionEnd" | "Stop";
  hook_command: string;
  tool_name?: string;
  success: boolean;
  blocked: boolean;
  exit_code: number;
  stdout: string;
  stderr: string;
  reason?: string;
  additional_context?: string;
  error?: string;
  action_id?: string;
  message_id?: string;
  hook_input?: { [key: string]: JSONValue };
}
/** What a security analyzer said of the calls of one answer. Written by newer versions of the SDK, not by this library. */
export interface SecurityAnalysisEvent extends EventHead<"SecurityAnalysisEvent"> {
  /** Kinds, as in the state: `PatternSecurityAnalyzer`, `ConfirmRisky`. */
  analyzer: string;
  policy: string;
  risks: { [actionId: string]: SecurityRisk };
  details?: { [actionId: string]: { [key: string]: JSONValue } };
}
export interface TokenEvent extends EventHead<"TokenEvent"> {
  prompt_token_ids: number[];
  response_token_ids: number[];
}
export interface LLMCompletionLogEvent extends EventHead<"LLMCompletionLogEvent"> {
  filename: string;
  log_data: string;
  model_name: string;
  usage_id: string;
}
export interface ACPToolCallEvent extends EventHead<"ACPToolCallEvent"> {
  tool_call_id: string;
  title: string;
  status?: string;
  tool_kind?: string;
  raw_input?: JSONValue;
  raw_output?: JSONValue;
  content?: JSONValue[];
  is_error: boolean;
}
export interface ServerErrorEvent extends EventHead<"ServerErrorEvent"> {
  code: string;
  detail: string;
}

/** Every kind that the SDK writes. A log may hold kinds of a later version too: have a `default` in every `switch`. */
export type ConversationEvent =
  | SystemPromptEvent
  | MessageEvent
  | ActionEvent
  | ObservationEvent
  | UserRejectObservation
  | AgentErrorEvent
  | Condensation
  | CondensationRequest
  | CondensationSummaryEvent
  | ConversationErrorEvent
  | ConversationStateUpdateEvent
  | PauseEvent
  | InterruptEvent
  | HookExecutionEvent
  | SecurityAnalysisEvent
  | TokenEvent
  | LLMCompletionLogEvent
  | ACPToolCallEvent
  | ServerErrorEvent
  | UnreadableEvent;

/** In the place of an event of the log that cannot be read. Its file stays as it is, and leaves with every export. */
export interface UnreadableEvent {
  kind: "UnreadableEvent";
  /** The id in the name of the file. */
  id: string;
  /** Where an export has it. */
  file: string;
  why: string;
  source?: undefined;
  timestamp?: undefined;
}

/** A piece of an answer that is still coming. Live only; the whole answer is stored as its own event. */
export interface StreamingDeltaEvent {
  kind: "StreamingDeltaEvent";
  content?: string;
  reasoning_content?: string;
}
/** What a running tool says of its progress. Live only. */
export interface ToolProgressEvent {
  kind: "ToolProgressEvent";
  tool_call_id: string;
  tool_name: string;
  text: string;
}
/**
 * The model could not be asked, and will be asked again. Live only. What has streamed of the answer is void: it comes
 * anew.
 */
export interface WaitingEvent {
  kind: "WaitingEvent";
  /** How many attempts have failed. */
  attempt: number;
  /** How long until the next one; 0 when it is made. */
  seconds: number;
  why: ErrorCode;
  message: string;
}
/** What is shown as it happens and never stored. */
export type LiveEvent = StreamingDeltaEvent | ToolProgressEvent | WaitingEvent;

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
/** What was spent, by `usageId`. */
export interface ConversationStats {
  usage_to_metrics: { [usageId: string]: Metrics };
}
/** What is stored of a secret. */
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
  /** Actions that a hook does not allow, and why; until they are answered. */
  blocked_actions: { [actionId: string]: string };
  /** Messages that the model is not to be asked about, and why; until a run has passed over them. */
  blocked_messages: { [messageId: string]: string };
  last_user_message_id?: string;
  leaf_event_id?: string;
  head_is_empty: boolean;
  stats: ConversationStats;
  /** Names and kinds; values are redacted, or tokens that only who has the passphrase can read. */
  secret_registry?: { secret_sources: { [name: string]: StoredSecret } };
  tags: { [key: string]: string };
  agent_state: { [key: string]: JSONValue };
}
