// Hooks: functions of the host that are asked and told around tools, messages and sessions.
import { invalidOptions, optionsOf, words } from "./errors.js";
import type { JSONValue } from "./events.js";

/** What a hook is given, as the SDK gives it to a command: `HookEvent`. */
interface HookInputs {
  /** The model calls a tool. */
  preToolUse: HookEvent<"PreToolUse"> & ToolCalled;
  /** A tool has answered; not for calls that failed or were not allowed. */
  postToolUse: HookEvent<"PostToolUse"> & ToolCalled & { tool_response: { [field: string]: JSONValue } };
  /** The user sends a message. */
  userPromptSubmit: HookEvent<"UserPromptSubmit"> & { message: string };
  /** The first message or run since the conversation was opened. */
  sessionStart: HookEvent<"SessionStart">;
  /** The conversation is closed, if its session had begun. Not told when the page just goes away. */
  sessionEnd: HookEvent<"SessionEnd">;
  /** The agent says that it is done. */
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

/** The hooks there are. */
export type HookName = keyof HookInputs;
export type HookInput<E extends HookName> = HookInputs[E];

/**
 * Nothing is `allow`.
 *
 * `deny` of preToolUse: the tool does not run, and the model reads the reason. Of userPromptSubmit: the message is
 * stored, and the next run ends without asking the model. Of stop: the agent goes on, with the additional context or
 * else the reason as feedback. The others only observe.
 *
 * The additional context of userPromptSubmit is added to the message for the model.
 */
export type HookResult = void | { decision: "allow" | "deny"; reason?: string | undefined; additionalContext?: string | undefined };

/**
 * A hook that throws decides nothing, as in the SDK, except that a tool whose preToolUse throws does not run. All are
 * awaited; `interrupt()` does not wait for them. What they said is in the log as a `HookExecutionEvent`.
 */
export type Hooks = { [E in HookName]?: ((input: HookInput<E>) => HookResult | Promise<HookResult>) | undefined };

/** The hooks as the wasm needs them. @internal */
export interface CoreHooks {
  eventTypes: string[];
  ask(eventType: string, inputJson: string): Promise<string>;
}

/** @internal @throws ThreadkeepError `invalid_options` */
export function coreHooks(hooks: Hooks): CoreHooks {
  const own: { [eventType: string]: (input: never) => unknown } = {};
  for (const [name, hook] of Object.entries(optionsOf("hooks", hooks, "preToolUse postToolUse userPromptSubmit sessionStart sessionEnd stop"))) {
    if (hook === undefined) continue;
    if (typeof hook !== "function") throw invalidOptions(`hook ${name} must be a function`);
    // The SDK's names begin with a capital.
    own[name[0]!.toUpperCase() + name.slice(1)] = hook;
  }
  return {
    eventTypes: Object.keys(own),
    ask: async (eventType, inputJson) => JSON.stringify(decision(await own[eventType]!(JSON.parse(inputJson) as never))),
  };
}

function decision(result: unknown): object {
  if (result === undefined || result === null) return {};
  if (typeof result !== "object") throw new TypeError(`a hook returns nothing or an object, not ${words(result)}`);
  const { decision = "allow", reason, additionalContext } = optionsOf("what a hook returns", result as Exclude<HookResult, void>, "decision reason additionalContext");
  if (decision !== "allow" && decision !== "deny") throw new TypeError(`a hook decides "allow" or "deny", not ${words(decision)}`);
  for (const text of [reason, additionalContext]) {
    if (text !== undefined && typeof text !== "string") throw new TypeError("reason and additionalContext of a hook are strings");
  }
  return { decision, reason, additionalContext };
}
