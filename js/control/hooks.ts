// Hooks: functions of the host that are called before and after tools, messages and sessions.
import { invalidOptions, optionsOf, textOf } from "../input/errors.js";
import type { CoreHooks, HookResult, Hooks } from "./types.js";

/** @internal @throws ThreadkeepError `invalid_options` */
export function coreHooks(hooks: Hooks): CoreHooks {
  const own: { [eventType: string]: (input: never) => unknown } = {};
  for (const [name, hook] of Object.entries(
    optionsOf("hooks", hooks, "preToolUse postToolUse userPromptSubmit sessionStart sessionEnd stop"),
  )) {
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
  const {
    decision = "allow",
    reason,
    additionalContext,
  } = optionsOf("what a hook returns", result as Exclude<HookResult, void>, "decision reason additionalContext");
  if (decision !== "allow" && decision !== "deny") throw new TypeError(`a hook decides "allow" or "deny", not ${textOf(decision)}`);
  for (const text of [reason, additionalContext]) {
    if (text !== undefined && typeof text !== "string") throw new TypeError("reason and additionalContext of a hook are strings");
  }
  return { decision, reason, additionalContext };
}
