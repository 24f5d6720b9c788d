// Generated from src/event. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.

/** The state of the work: `docs/errors.md` says what each method does in each. Stored with the event that caused it. */
export type ExecutionStatus = "idle" | "running" | "paused" | "waiting_for_confirmation" | "finished" | "error" | "stuck" | "deleting";

/** Who caused an event; `"environment"` is the program around the user and the agent. */
export type EventSource = "agent" | "user" | "environment" | "hook";

/** How dangerous a call is rated, by an analyzer or by the model. `"UNKNOWN"` is not rated, and not harmless. */
export type SecurityRisk = "UNKNOWN" | "LOW" | "MEDIUM" | "HIGH";

/** Who has rejected a call. */
export type RejectionSource = "user" | "hook";

/** The moments at which hooks are called, in the SDK's names. */
export type HookEventType = "PreToolUse" | "PostToolUse" | "UserPromptSubmit" | "SessionStart" | "SessionEnd" | "Stop";

/** The part that has failed, in the SDK's classification. */
export type FailureKind = "auth" | "quota" | "rate_limit" | "config" | "transient" | "agent_action" | "internal" | "unknown";

/** The remedy of a failure: nothing, try again, or change the settings. */
export type FailureAction = "none" | "retry" | "settings";

/** Who speaks in a message; `"tool"` is the result of a call. */
export type MessageRole = "user" | "system" | "assistant" | "tool";
