// Generated from src/event. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.
import type {
  SystemPromptEvent,
  MessageEvent,
  ActionEvent,
  ObservationEvent,
  UserRejectObservation,
  AgentErrorEvent,
  Condensation,
  CondensationRequest,
  CondensationSummaryEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  PauseEvent,
  InterruptEvent,
  HookExecutionEvent,
  SecurityAnalysisEvent,
  TokenEvent,
  LLMCompletionLogEvent,
  ACPToolCallEvent,
  ServerErrorEvent,
} from "./events.js";

/** Every kind of event that is stored. */
export type KnownEvent =
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
  | ServerErrorEvent;
