// The JSON that events and the state share.
import type { EventSource, FailureAction, FailureKind, MessageRole } from "./generated/names.js";

export type JSONValue = null | boolean | number | string | JSONValue[] | { [key: string]: JSONValue };

/** Any object but a function: to TypeScript, a value whose type is an `interface` is no `JSONValue`. */
export type JSONObject = object & { bind?: never };

/** Text of a message or a result. `cache_prompt` marks the end of what the provider shall cache. */
export interface TextContent {
  type: "text";
  text: string;
  cache_prompt?: boolean;
}

/** Images of a message or a result. A model that sees no images is not sent them. */
export interface ImageContent {
  type: "image";
  /** `http(s):` or `data:` URLs. */
  image_urls: string[];
  cache_prompt?: boolean;
}

export type Content = TextContent | ImageContent;

/** A call as the model wrote it (the SDK's `MessageToolCall`). */
export interface MessageToolCall {
  /** The provider's id, which the result names. */
  id: string;
  /** The id of its item in the Responses API. */
  responses_item_id?: string;
  /** The name of the tool, also if there is none of this name. */
  name: string;
  /** Argument JSON, as text; not valid JSON if the model wrote it so. */
  arguments: string;
  /** The wire API that it came over: Chat Completions and Anthropic Messages, or Responses. */
  origin: "completion" | "responses";
}

/** A piece of a call that the model is writing, as in a chunk of Chat Completions. All pieces with one `index` are the call. */
export interface ToolCallDelta {
  /** The number of the call in the answer, from 0. */
  index: number;
  /** The provider's id of the call: with the first piece, if it has sent one. */
  id?: string;
  function: {
    /** The name of the tool: with the first piece. */
    name?: string;
    /** The next piece of the argument JSON, with secrets hidden. The first piece may be empty. */
    arguments: string;
  };
}

/** Reasoning of an Anthropic model. Its signature binds it to the answer, so it is stored and sent back unchanged. */
export type ThinkingBlock = { type: "thinking"; thinking: string; signature?: string } | { type: "redacted_thinking"; data: string };

/** Reasoning of a model behind the Responses API, which is sent back to it unchanged. */
export interface ReasoningItem {
  /** The provider's id. */
  id?: string;
  /** The part of it that the provider shows. */
  summary: string[];
  /** The reasoning itself, of servers that show it. */
  content?: string[];
  /** The reasoning, readable by the provider only. */
  encrypted_content?: string;
  status?: string;
}

/** A message to or from a model (the SDK's `Message`). */
export interface LLMMessage {
  role: MessageRole;
  /** Empty if the message contains only calls. */
  content: Content[];
  /** The calls of an answer. Each is an `ActionEvent` of its own in a log. */
  tool_calls?: MessageToolCall[];
  /** Of a result: the `id` of its call. */
  tool_call_id?: string;
  /** Of a result: the name of the tool. */
  name?: string;
  /** The reasoning of a model that shows it, as text. */
  reasoning_content?: string;
  thinking_blocks: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
}

/** The arguments of a call. `kind` names the family of the tool, and with it the further fields. */
export interface Action {
  kind: string;
  [field: string]: JSONValue;
}

/** The result of a call. `kind` names the family of the tool, and with it the further fields, which the model is not sent. */
export interface Observation {
  kind: string;
  /** The result as the model reads it. */
  content: Content[];
  /** Whether the tool has failed in its own words. A call that could not run has an `AgentErrorEvent` in place of a result. */
  is_error: boolean;
  [field: string]: JSONValue | Content[];
}

/** The SDK's classification of a failure, for programs that show it. */
export interface ErrorClassification {
  /** The part that failed: the key, the budget, the settings, the connection, the agent. */
  kind: FailureKind;
  /** Whether the same may work later, without a change by anybody. */
  retryable: boolean;
  /** The remedy, which is up to the user. */
  user_action: FailureAction;
  /** A name that a log of the server knows the failure by. */
  error_id?: string;
}

/** The rating of an answer by a critic. */
export interface CriticResult {
  /** From 0 to 1: the probability that the agent has succeeded. */
  score: number;
  /** Why, as the model reads it before another attempt. */
  message: string;
  metadata?: { [key: string]: JSONValue };
}

/**
 * The fields of every stored event. An event is durable when it is delivered: to a callback, to a subscriber, or by `run()`.
 * It is never changed afterwards.
 */
export interface EventHead<Kind extends string> {
  /** The SDK's name of the kind of event. */
  kind: Kind;
  /** A UUID, the same in all exports; `navigateTo()` and `fork()` take it. */
  id: string;
  /** Local wall clock, without a zone: `2026-01-31T09:15:02.123456`. Order events by index, never by this. */
  timestamp: string;
  /** Who caused it: the agent, the user, the program around them (`"environment"`), or a hook. */
  source: EventSource;
  /** The id of the event before it on its branch. Absent on the first event; `"__root__"` where a new branch starts from nothing. */
  parent_id?: string;
}

/** The tokens of one request, as the server reports them, or the sums of several. */
export interface TokenUsage {
  model: string;
  /** All that was sent, with what the provider had cached. */
  prompt_tokens: number;
  /** All that was answered, with the reasoning. */
  completion_tokens: number;
  /** The part of `prompt_tokens` that was read from the provider's cache. */
  cache_read_tokens: number;
  /** The part of `prompt_tokens` that was written to the provider's cache. */
  cache_write_tokens: number;
  /** The part of `completion_tokens` that is reasoning. */
  reasoning_tokens: number;
  /** The model's context window in tokens; 0 if it is not known. */
  context_window: number;
  /** `prompt_tokens` and `completion_tokens` of the last request. */
  per_turn_token: number;
  response_id: string;
}

/** The usage of one model in a conversation (the SDK's `Metrics`). Durable with the answer that it counts. */
export interface Metrics {
  model_name: string;
  /** US dollars; 0 for a model without known prices. */
  accumulated_cost: number;
  max_budget_per_task?: number;
  accumulated_token_usage?: TokenUsage;
  costs: Array<{ model: string; cost: number; timestamp: number }>;
  response_latencies: Array<{ model: string; latency: number; response_id: string }>;
  token_usages: TokenUsage[];
}

/** The sums of a model's usage (the SDK's `MetricsSnapshot`). */
export type MetricsSnapshot = Omit<Metrics, "costs" | "response_latencies" | "token_usages">;

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
