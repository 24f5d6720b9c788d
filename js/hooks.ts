// Hooks: functions of the host that are called before and after tools, messages and sessions.
import { invalidOptions, optionsOf, textOf } from "./errors.js";
import type { JSONValue } from "./events.js";

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
  if (typeof result !== "object") throw new TypeError(`a hook returns nothing or an object, not ${textOf(result)}`);
  const { decision = "allow", reason, additionalContext } = optionsOf("what a hook returns", result as Exclude<HookResult, void>, "decision reason additionalContext");
  if (decision !== "allow" && decision !== "deny") throw new TypeError(`a hook decides "allow" or "deny", not ${textOf(decision)}`);
  for (const text of [reason, additionalContext]) {
    if (text !== undefined && typeof text !== "string") throw new TypeError("reason and additionalContext of a hook are strings");
  }
  return { decision, reason, additionalContext };
}
