// Generated from src/event. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type { Action, CriticResult, ErrorClassification, EventHead, JSONValue, LLMMessage, MessageToolCall, Observation, ReasoningItem, TextContent, ThinkingBlock, ToolCallDelta } from "../types.js";
import type { SecurityRisk, RejectionSource, HookEventType } from "./names.js";

/** The instructions and the tools that a conversation began with. */
export interface SystemPromptEvent extends EventHead<"SystemPromptEvent"> {
  /** The part that is the same for every conversation. */
  system_prompt: TextContent;
  /** Tool definitions for documentation. Requests contain the agent's current tools instead. */
  tools: Array<{ kind: string; [field: string]: JSONValue }>;
  /** The part that belongs to this conversation. */
  dynamic_context?: TextContent;
}

/**
 * A message of the user, the model, or the environment in the user's place. One of the user is durable when
 * `sendMessage()` resolves; an answer with calls has `ActionEvent`s in its place. In TypeScript, where this type is
 * imported it hides the DOM's type of the same name.
 */
export interface MessageEvent extends EventHead<"MessageEvent"> {
  /** The message. */
  llm_message: LLMMessage;
  /** The id of the response that it comes from. */
  llm_response_id?: string;
  /** The names of the skills that this message activated. */
  activated_skills: string[];
  /** Texts that skills and hooks add for the model. */
  extended_content: TextContent[];
  /** The name of the sender, in conversations with several. */
  sender?: string;
  /** The rating by a critic. */
  critic_result?: CriticResult;
}

/**
 * One call of a tool.
 *
 * Text and reasoning that the answer has beside its calls are in the event of its first call. All calls of an answer
 * are durable before the first of them runs; a call without a result may have run.
 */
export interface ActionEvent extends EventHead<"ActionEvent"> {
  /** The text of the answer beside its calls. */
  thought: TextContent[];
  /** The reasoning, of models that show it. */
  reasoning_content?: string;
  /** Signed reasoning of Anthropic models. */
  thinking_blocks: ThinkingBlock[];
  /** The reasoning item of the Responses API. */
  responses_reasoning_item?: ReasoningItem;
  /** The validated arguments. Absent where the call was not valid; an `AgentErrorEvent` then says why. */
  action?: Action;
  /** The tool's name. */
  tool_name: string;
  /** The provider's id of the call. */
  tool_call_id: string;
  /** The call as the model made it. */
  tool_call: MessageToolCall;
  /** The id of the response: the same for all its calls, and different for each response. */
  llm_response_id: string;
  /** How dangerous the model rates the call. */
  security_risk: SecurityRisk;
  /** The rating by a critic. */
  critic_result?: CriticResult;
  /** The purpose of the call, in a few words. */
  summary?: string;
}

/** The result of a call. The files of the conversation that the tool has changed are stored in the same transaction. */
export interface ObservationEvent extends EventHead<"ObservationEvent"> {
  /** The tool's name. */
  tool_name: string;
  /** The provider's id of the call. */
  tool_call_id: string;
  /** The result. */
  observation: Observation;
  /** The id of the `ActionEvent`. */
  action_id: string;
  /** Texts that skills add for the model. */
  extended_content: TextContent[];
}

/** The rejection of a call by the user or a hook, which the model reads: the call is not run, or not again. */
export interface UserRejectObservation extends EventHead<"UserRejectObservation"> {
  /** The tool's name. */
  tool_name: string;
  /** The provider's id of the call. */
  tool_call_id: string;
  /** The reason that the model is given. */
  rejection_reason: string;
  /** The origin of the rejection: the user or a hook. */
  rejection_source: RejectionSource;
  /** The id of the `ActionEvent`. */
  action_id: string;
}

/**
 * The failure of a call, which is identified by its `tool_call_id` only: it was not valid, it has thrown, or nobody
 * knows whether it took effect because the page died in the middle of it. The model reads it and goes on.
 */
export interface AgentErrorEvent extends EventHead<"AgentErrorEvent"> {
  /** The tool's name. */
  tool_name: string;
  /** The provider's id of the call. */
  tool_call_id: string;
  /** The error, as the model reads it. */
  error: string;
  /** The kind of failure. */
  classification?: ErrorClassification;
}

/**
 * Events that the model is no longer sent, and the summary that replaces them. They stay in the log and in every
 * export.
 */
export interface Condensation extends EventHead<"Condensation"> {
  /** The ids of these events, in no particular order. */
  forgotten_event_ids: string[];
  /** The summary. */
  summary?: string;
  /** The position of the summary in the view, counted without the forgotten events. */
  summary_offset?: number;
  /** The id of the response that the summary comes from. */
  llm_response_id: string;
}

/** Asks for a condensation at the next step. */
export type CondensationRequest = EventHead<"CondensationRequest">;

/** A summary as the SDK passes it to a condenser. Never stored. */
export interface CondensationSummaryEvent extends EventHead<"CondensationSummaryEvent"> {
  /** The summary. */
  summary: string;
}

/** A failure that ended a run. It is stored, so that a view shows it after a reload; the next run tries again. */
export interface ConversationErrorEvent extends EventHead<"ConversationErrorEvent"> {
  /** An exception's class name, or a name for the limit that was reached. */
  code: string;
  /** The message for people. */
  detail: string;
  /** The kind of failure. */
  classification?: ErrorClassification;
}

/** The new value of one field of the state, or of all. */
export interface ConversationStateUpdateEvent extends EventHead<"ConversationStateUpdateEvent"> {
  /** The name of the field, or `full_state`. */
  key: string;
  /** The value; absent for `null`. */
  value?: JSONValue;
}

/** The user paused the run: it ends after its step. A later run goes on. */
export type PauseEvent = EventHead<"PauseEvent">;

/**
 * The user interrupted the run within a step: its answer is dropped, and its running tools are told to stop. A later
 * run goes on.
 */
export type InterruptEvent = EventHead<"InterruptEvent">;

/** A call of a hook: its input, and its result. */
export interface HookExecutionEvent extends EventHead<"HookExecutionEvent"> {
  /** The event that it was called for. */
  hook_event_type: HookEventType;
  /** The command, or the name of the hook. */
  hook_command: string;
  /** The name of the tool, for hooks around tools. */
  tool_name?: string;
  /** Whether it ended without a failure. */
  success: boolean;
  /** Whether it denied what it was asked about. */
  blocked: boolean;
  /** The exit code of the command. */
  exit_code: number;
  /** The output. */
  stdout: string;
  /** The error output. */
  stderr: string;
  /** The reason of a denial. */
  reason?: string;
  /** Text for the model. */
  additional_context?: string;
  /** Why it failed. */
  error?: string;
  /** The id of the `ActionEvent` that it was called for. */
  action_id?: string;
  /** The id of the `MessageEvent` that it was called for. */
  message_id?: string;
  /** Its input. */
  hook_input?: { [key: string]: JSONValue };
}

/**
 * The risks of the calls of one answer, as a security analyzer rated them. Newer versions of the SDK write it; this
 * library does not.
 */
export interface SecurityAnalysisEvent extends EventHead<"SecurityAnalysisEvent"> {
  /** The kind of the analyzer, as in the state: `PatternSecurityAnalyzer`. */
  analyzer: string;
  /** The kind of the confirmation policy at that time: `ConfirmRisky`. */
  policy: string;
  /** The risk of each action. */
  risks: { [actionId: string]: SecurityRisk };
  /** Further results of the analyzer. */
  details?: { [actionId: string]: { [key: string]: JSONValue } };
}

/** The token ids of one request, as a vLLM server reports them. */
export interface TokenEvent extends EventHead<"TokenEvent"> {
  /** The ids of the prompt. */
  prompt_token_ids: number[];
  /** The ids of the response. */
  response_token_ids: number[];
}

/** The log of one completion. */
export interface LLMCompletionLogEvent extends EventHead<"LLMCompletionLogEvent"> {
  /** The file's name. */
  filename: string;
  /** The file's text. */
  log_data: string;
  /** The name of the model. */
  model_name: string;
  /** The name under which its usage is counted. */
  usage_id: string;
}

/** A piece of an answer that is still coming. The complete answer is stored as its own event. */
export interface StreamingDeltaEvent {
  kind: "StreamingDeltaEvent";
  /**
   * The id of the event that the pieces become: a `MessageEvent`, or the first `ActionEvent` of an answer with calls. It stays
   * the same when the request is repeated (`WaitingEvent`); the next request has another one. If the answer is interrupted or
   * breaks off, it is a `MessageEvent` with the text that has come; without any text there is never an event with this id.
   */
  message_id: string;
  /**
   * The next pieces of calls that the model is writing. An answer that comes in one piece has none, and incomplete calls are
   * not stored. A piece without text, reasoning and calls says that the answer begins anew: what has come of it does not count.
   */
  tool_calls?: ToolCallDelta[];
  /** The next piece of the text. */
  content?: string;
  /** The next piece of the reasoning. */
  reasoning_content?: string;
}

/** A call as the agent client protocol reports it; never sent to a model. */
export interface ACPToolCallEvent extends EventHead<"ACPToolCallEvent"> {
  /** The call's id. */
  tool_call_id: string;
  /** A title for people. */
  title: string;
  /** The progress, in the terms of the protocol. */
  status?: string;
  /** The kind of tool, in the terms of the protocol. */
  tool_kind?: string;
  /** The arguments. */
  raw_input?: JSONValue;
  /** The result. */
  raw_output?: JSONValue;
  /** The result as the protocol's content blocks. */
  content?: JSONValue[];
  /** Whether the call failed. */
  is_error: boolean;
}

/** A failure of an agent server. Sent to its clients and never stored. */
export interface ServerErrorEvent extends EventHead<"ServerErrorEvent"> {
  /** The kind of failure. */
  code: string;
  /** The message for people. */
  detail: string;
}
