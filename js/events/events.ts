// The JSON of events and of the state, as it is stored: that of the OpenHands software-agent-sdk, 1.43.1 to 1.58.2.
// An optional field is absent when it has no value; fields without `?` are always written.
// The kinds of events and the state are generated from their declarations in Rust: see generated/.
import type { ErrorCode } from "../input/errors.js";
import type { StreamingDeltaEvent } from "./generated/events.js";
import type { KnownEvent } from "./generated/known-event.js";
import type { ExecutionStatus } from "./generated/names.js";
import type { ConversationState } from "./generated/state.js";
import type { MetricsSnapshot } from "./types.js";

export type * from "./generated/events.js";
export type { ExecutionStatus, SecurityRisk } from "./generated/names.js";
export type { ConversationState, StoredAgent } from "./generated/state.js";

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
 * A model is asked for a summary, which the agent then gets in place of earlier events; with `is_over` it has answered, or was given up.
 * Live only.
 */
export interface CondensingEvent {
  kind: "CondensingEvent";
  is_over: boolean;
}
/**
 * `"writer"` and `"follower"`: what a handle is from now on. `"free"`: the page that wrote the conversation has ended, and this
 * handle does not take its place by itself (`takeOver: "never"`, or it failed); of several pages that try, one can. When another
 * handle writes, this one is a `"follower"` again. `"deleted"`: the conversation is no longer stored, and this handle is closed.
 */
export type ConversationAccess = "writer" | "follower" | "free" | "deleted";

/** The fields of the state whose changes have a type of their own below, or none. */
type Apart = "id" | "execution_status" | "leaf_event_id" | "head_is_empty" | "tags" | "stats";

/**
 * A field of the state has changed, by a commit or by another page; a commit that changes several has an event for each. The value is
 * that of `state`, `null` where it is absent, with each encrypted secret as `**********`. Live only; a log of the SDK may hold stored events of this kind,
 * which have an `id`.
 */
export type StateUpdateEvent = { kind: "ConversationStateUpdateEvent" } & (
  | { key: "execution_status"; value: ExecutionStatus }
  /** The event that the next one follows; `null` before the first event. */
  | { key: "leaf_event_id"; value: string | null }
  | { key: "tags"; value: { [key: string]: string } | null }
  /** The sums of each model, without the lists of single answers. */
  | { key: "stats"; value: { usage_to_metrics: { [usageId: string]: MetricsSnapshot } } | null }
  | { [Key in Exclude<keyof ConversationState, Apart>]: { key: Key; value: Exclude<ConversationState[Key], undefined> | null } }[Exclude<
      keyof ConversationState,
      Apart
    >]
  | { key: "access"; value: ConversationAccess }
  /** The ids of the messages that wait for an agent server: see `conversation.queue`. */
  | { key: "queue"; value: string[] }
  /** Where the loop of the conversation runs from now on. */
  | { key: "home"; value: "here" | "tab" | "worker" | "server" }
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
export type LiveEvent =
  | StreamingDeltaEvent
  | StateUpdateEvent
  | PendingActionsEvent
  | ToolProgressEvent
  | WaitingEvent
  | CondensingEvent
  | MCPServerEvent
  | SubagentEvent;

/** The state of a server. */
export interface MCPServerState {
  name: string;
  /**
   * `"login"`: the server asks for a login, see {@link MCPServers.login}. `"failed"`: it could not be reached; it is tried
   * again before the next request to the model and with the next call. `"closed"`: not connected, as in a follower.
   */
  state: "connecting" | "connected" | "login" | "failed" | "closed";
  /** Why it is in this state. */
  error?: string;
  /** The tools by the names that the model uses, as the server last listed them. */
  tools: ReadonlyArray<{ name: string; title?: string; description: string }>;
  /** Notes about tools that were renamed, changed or left out. */
  notes: readonly string[];
}

/** The state of a server has changed. Live only. */
export interface MCPServerEvent extends MCPServerState {
  kind: "MCPServerEvent";
}
