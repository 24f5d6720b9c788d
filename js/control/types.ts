// Policies, analyzers and hooks, as a host gives them and as the wasm takes them.
import type { ActionEvent, SecurityRisk } from "../events/events.js";
import type { JSONValue } from "../events/types.js";

/**
 * A regular expression in Python's syntax, a description of what it finds, and a name. It is matched without regard to
 * case, in texts in which each run of white space is one space.
 */
export type SecurityPattern = readonly [pattern: string, description: string, detector: string];

/**
 * The SDK's analyzers, or a function of the host. The SDK's analyzers are stored with the conversation, and mean the same
 * in Python. A function cannot be stored: where it is missing, each call is rated `HIGH`.
 */
export type SecurityAnalyzer =
  /** The risk that the model itself gives in its call. */
  | { kind: "LLMSecurityAnalyzer" }
  /** Patterns that are matched against calls, and against the thoughts with them. The default of each list are the built-in rules. */
  | {
      kind: "PatternSecurityAnalyzer";
      /** Matched against arguments and names. */
      highPatterns?: readonly SecurityPattern[] | undefined;
      mediumPatterns?: readonly SecurityPattern[] | undefined;
      /** Matched against arguments, names, thoughts and summaries. */
      injectionHighPatterns?: readonly SecurityPattern[] | undefined;
      injectionMediumPatterns?: readonly SecurityPattern[] | undefined;
    }
  /** Rules for dangerous combinations within one argument. */
  | { kind: "PolicyRailSecurityAnalyzer" }
  /** The highest risk that its analyzers return; `UNKNOWN` if all return it, or with `propagateUnknown` if one does. */
  | { kind: "EnsembleSecurityAnalyzer"; analyzers: SecurityAnalyzer[]; propagateUnknown?: boolean | undefined }
  /** A function of the host. If it throws or returns anything else, the risk is `HIGH`. */
  | { securityRisk(action: ActionEvent): SecurityRisk | Promise<SecurityRisk> };

/** An analyzer in the form that the wasm needs. @internal */
export interface CoreAnalyzer {
  /** The analyzer as it is stored in `base_state.json`. */
  readonly json: string;
  /** The risk of the action in this JSON text. Rejects if the analyzer fails. */
  securityRisk(actionJson: string): Promise<SecurityRisk>;
  /** A sentence about the parts that cannot be used here, if there are any; they rate every call `HIGH`. */
  readonly complaint?: string;
}

/**
 * When a call waits for the user. If one call of an answer has to wait, all of them do; a `finish` or `think` that is
 * the only call of its answer never waits.
 */
export type ConfirmationPolicy =
  /** Every call waits. */
  | { kind: "AlwaysConfirm" }
  /** No call waits because of the policy. The default. */
  | { kind: "NeverConfirm" }
  /**
   * Calls whose risk is `threshold` (default `"HIGH"`) or higher wait, and with `confirmUnknown` (default true) those whose
   * risk is unknown. Without a security analyzer every risk is unknown.
   */
  | { kind: "ConfirmRisky"; threshold?: Exclude<SecurityRisk, "UNKNOWN"> | undefined; confirmUnknown?: boolean | undefined };

/** The four lists of patterns, as they are stored. */
export interface PatternLists {
  high_patterns: readonly SecurityPattern[];
  medium_patterns: readonly SecurityPattern[];
  injection_high_patterns: readonly SecurityPattern[];
  injection_medium_patterns: readonly SecurityPattern[];
}

/** The inputs of hooks, with the fields of the SDK's `HookEvent`. */
interface HookInputs {
  /** Before a tool call is stored, waits or runs. */
  preToolUse: HookEvent<"PreToolUse"> & ToolCalled;
  /** After a tool has returned; not for calls that failed or were not allowed. */
  postToolUse: HookEvent<"PostToolUse"> & ToolCalled & { tool_response: { [field: string]: JSONValue } };
  /** Before a message of the user is stored. */
  userPromptSubmit: HookEvent<"UserPromptSubmit"> & { message: string };
  /** Before the first message or run after the conversation was opened. */
  sessionStart: HookEvent<"SessionStart">;
  /** In `close()`, if a session has begun. Not called when the page is just left. */
  sessionEnd: HookEvent<"SessionEnd">;
  /** When the agent says that it is done. */
  stop: HookEvent<"Stop"> & { metadata: { reason: string } };
}

interface HookEvent<Type extends string> {
  event_type: Type;
  /** The conversation's id. */
  session_id: string;
  metadata: { [field: string]: JSONValue };
}

interface ToolCalled {
  tool_name: string;
  tool_input: { [argument: string]: JSONValue };
}

/** The names of the hooks. */
export type HookName = keyof HookInputs;

export type HookInput<E extends HookName> = HookInputs[E];

/**
 * Nothing, or a decision. Returning nothing means `allow`.
 *
 * `deny` of preToolUse: the tool does not run, and the model reads the reason. Of userPromptSubmit: the message is
 * stored, and the next run ends without asking the model. Of stop: the agent continues, with the additional context, or
 * otherwise the reason, as feedback. The other hooks only observe.
 *
 * The additional context of userPromptSubmit is added to the message for the model.
 */
export type HookResult = void | { decision: "allow" | "deny"; reason?: string | undefined; additionalContext?: string | undefined };

/**
 * The hooks by name. A hook that throws counts as if it had returned nothing, as in the SDK, except that a tool whose
 * preToolUse throws does not run. All hooks are awaited; `interrupt()` does not wait for them. Every result is stored in
 * the log as a `HookExecutionEvent`.
 */
export type Hooks = { [E in HookName]?: ((input: HookInput<E>) => HookResult | Promise<HookResult>) | undefined };

/** The hooks in the form that the wasm takes. @internal */
export interface CoreHooks {
  eventTypes: string[];
  ask(eventType: string, inputJson: string): Promise<string>;
}
