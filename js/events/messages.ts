// Types of the formats of other programs: what `conversation.toMessages()` and the exports return, and `importJSON()` takes.
import type { JSONValue, ReasoningItem, ThinkingBlock } from "./types.js";

/**
 * A part of a Chat Completions message. `url` is an `https:` or a `data:` URL; `cache_control` marks the end of what Anthropic
 * models shall cache, and other servers ignore it.
 */
export type ChatContent =
  | { type: "text"; text: string; cache_control?: { type: "ephemeral" } }
  | { type: "image_url"; image_url: { url: string }; cache_control?: { type: "ephemeral" } };

/**
 * A Chat Completions message, with LiteLLM's extensions, in the shape of the SDK's `Message.to_chat_dict()`. A message of the
 * role `"assistant"` with calls is followed by a message of the role `"tool"` for each of them.
 */
export interface ChatMessage {
  /** `"tool"`: the result of the call with the id `tool_call_id`. */
  role: "system" | "user" | "assistant" | "tool";
  /** Absent if the message contains only calls. A text where one is enough, otherwise parts. */
  content?: string | ChatContent[];
  /** The calls of an answer, in its order. `responses_item_id` is the id of the call's item in the Responses API. */
  tool_calls?: Array<{
    id: string;
    type: "function";
    function: { name: string /** JSON, as text. */; arguments: string };
    responses_item_id?: string;
  }>;
  /** Of a result: the `id` in `tool_calls` of the message before. */
  tool_call_id?: string;
  /** Of a result: the name of the tool. */
  name?: string;
  /** The reasoning of a model that shows it, as text. */
  reasoning_content?: string;
  /** The signed reasoning of Anthropic models, which they demand back beside calls. */
  thinking_blocks?: ThinkingBlock[];
  /** The reasoning of a model behind the Responses API, encrypted by the provider. */
  responses_reasoning_item?: ReasoningItem;
}

/** The messages of a conversation as the Responses API takes them. */
export interface ResponsesMessages {
  /** The system prompt; `null` if the conversation has none. */
  instructions: string | null;
  /** Messages, calls, their outputs, and reasoning. */
  input: Array<{ [field: string]: JSONValue }>;
}

/** The messages of a conversation as Anthropic's Messages API takes them. */
export interface AnthropicMessages {
  /** The system prompt; an empty list if the conversation has none. */
  system: Array<{ type: "text"; text: string; cache_control?: { type: "ephemeral" } }>;
  /** Alternating: consecutive messages of one side, with results of calls, are one message of the API. */
  messages: Array<{ role: "user" | "assistant"; content: Array<{ type: string; [field: string]: JSONValue }> }>;
}

/** A conversation in the form of plain chat programs. */
export interface Session {
  /** The conversation's id. An import generates a new one. */
  id: string;
  /** The date of the first event, ISO 8601; an imported session may have seconds or milliseconds since 1970 instead. */
  created_at: string;
  /** `tags.title`. */
  title?: string;
  /** The messages of the active branch, oldest first, nothing cut. */
  messages: ChatMessage[];
}

/** An event of OpenHands V0, an entry of `trajectory.json`: an action, which has `action`, or an observation, which has `observation`. */
export interface TrajectoryEvent {
  /** Its place in the list, counted from 0. */
  id: number;
  /** ISO 8601, without a zone. */
  timestamp: string;
  source: "agent" | "user" | "environment";
  /** V0's one-line description of the event. */
  message: string;
  /** The `id` of the action that an observation belongs to. */
  cause?: number;
  /** V0's name of what is done: `"message"`, `"run"`, `"call_tool_mcp"`. */
  action?: string;
  args?: { [name: string]: JSONValue };
  /** V0's name of what came of it. */
  observation?: string;
  /** The text of the result. Images have no place. */
  content?: string;
  extras?: { [name: string]: JSONValue };
  /** The call of the model that the event belongs to. */
  tool_call_metadata?: {
    function_name: string;
    tool_call_id: string;
    model_response: { [name: string]: JSONValue };
    total_calls_in_response: number;
  };
}
