// Types of the formats of other programs.
import type { JSONValue, ThinkingBlock, ReasoningItem } from "./events.js";

/** A part of a Chat Completions message. */
export type ChatContent =
  | { type: "text"; text: string; cache_control?: { type: "ephemeral" } }
  | { type: "image_url"; image_url: { url: string }; cache_control?: { type: "ephemeral" } };

/** A Chat Completions message, with LiteLLM's extensions. */
export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  /** Absent if the message contains only calls. */
  content?: string | ChatContent[];
  tool_calls?: Array<{ id: string; type: "function"; function: { name: string; /** JSON, as text. */ arguments: string }; responses_item_id?: string }>;
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  thinking_blocks?: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
}

/** The messages of a conversation as the Responses API takes them. */
export interface ResponsesMessages {
  instructions: string | null;
  /** Messages, calls, their outputs, and reasoning. */
  input: Array<{ [field: string]: JSONValue }>;
}

/** The messages of a conversation as Anthropic's Messages API takes them. */
export interface AnthropicMessages {
  system: Array<{ type: "text"; text: string; cache_control?: { type: "ephemeral" } }>;
  messages: Array<{ role: "user" | "assistant"; content: Array<{ type: string; [field: string]: JSONValue }> }>;
}

/** A conversation in the form of plain chat programs. */
export interface Session {
  /** The conversation's id. An import generates a new one. */
  id: string;
  /** The date of the first event, ISO 8601; an imported session may have seconds or milliseconds since 1970 instead. */
  created_at: string;
  title?: string;
  messages: ChatMessage[];
}

/** An event of OpenHands V0: an action or an observation. */
export interface TrajectoryEvent {
  id: number;
  timestamp: string;
  source: "agent" | "user" | "environment";
  /** V0's one-line description of the event. */
  message: string;
  /** The `id` of the action that an observation belongs to. */
  cause?: number;
  action?: string;
  args?: { [name: string]: JSONValue };
  observation?: string;
  content?: string;
  extras?: { [name: string]: JSONValue };
  tool_call_metadata?: { function_name: string; tool_call_id: string; model_response: { [name: string]: JSONValue }; total_calls_in_response: number };
}
