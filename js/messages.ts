// Conversations as other programs have them.
import type { JSONValue, ThinkingBlock, ReasoningItem } from "./events.js";

/** A part of a message of Chat Completions. */
export type ChatContent =
  | { type: "text"; text: string; cache_control?: { type: "ephemeral" } }
  | { type: "image_url"; image_url: { url: string }; cache_control?: { type: "ephemeral" } };

/** A message of OpenAI's Chat Completions, with what LiteLLM has beyond it. */
export interface ChatMessage {
  role: "system" | "user" | "assistant" | "tool";
  /** Absent where a message only calls. */
  content?: string | ChatContent[];
  tool_calls?: Array<{ id: string; type: "function"; function: { name: string; /** JSON, as text. */ arguments: string }; responses_item_id?: string }>;
  tool_call_id?: string;
  name?: string;
  reasoning_content?: string;
  thinking_blocks?: ThinkingBlock[];
  responses_reasoning_item?: ReasoningItem;
}

/** What the Responses API is sent of a conversation. */
export interface ResponsesMessages {
  instructions: string | null;
  /** Messages, calls, their outputs, and reasoning. */
  input: Array<{ [field: string]: JSONValue }>;
}

/** What Anthropic's Messages API is sent of a conversation. */
export interface AnthropicMessages {
  system: Array<{ type: "text"; text: string; cache_control?: { type: "ephemeral" } }>;
  messages: Array<{ role: "user" | "assistant"; content: Array<{ type: string; [field: string]: JSONValue }> }>;
}

/** A conversation as plain chat programs keep it. */
export interface Session {
  /** The conversation's id. An import makes a new one. */
  id: string;
  /** When its first event was made; a session that is imported may have seconds or milliseconds since 1970. */
  created_at: string;
  title?: string;
  messages: ChatMessage[];
}

/** An event of OpenHands V0: an action or an observation. */
export interface TrajectoryEvent {
  id: number;
  timestamp: string;
  source: "agent" | "user" | "environment";
  /** What V0 shows of it in one line. */
  message: string;
  /** The number of the action that an observation is about. */
  cause?: number;
  action?: string;
  args?: { [name: string]: JSONValue };
  observation?: string;
  content?: string;
  extras?: { [name: string]: JSONValue };
  tool_call_metadata?: { function_name: string; tool_call_id: string; model_response: { [name: string]: JSONValue }; total_calls_in_response: number };
}
