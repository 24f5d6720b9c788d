// Events that are shown as a line between messages.
import type { ConversationEvent } from "threadkeep";
import { textOf } from "./fields.js";
import type { NoticePart } from "./types.js";

/** Events that a reader of the conversation does not need. */
const hidden = new Set([
  "SystemPromptEvent",
  "ConversationStateUpdateEvent",
  "TokenEvent",
  "LLMCompletionLogEvent",
  "CondensationRequest",
  "SecurityAnalysisEvent",
]);

/** The line for an event that is neither a message nor a call; `null` if it is not shown. */
export function noticeOf(event: ConversationEvent): NoticePart | null {
  const notice = (kind: NoticePart["notice"], text: string): NoticePart => ({ type: "notice", notice: kind, text, event, forgotten: [] });
  switch (event.kind) {
    case "MessageEvent":
      // The page speaks in the user's place: the demand of a critic, or the objection of a hook.
      return notice(event.source === "hook" ? "hook" : "other", textOf(event.llm_message?.content));
    case "Condensation":
      return notice("condensation", event.summary ?? "");
    case "PauseEvent":
      return notice("pause", "Paused");
    case "InterruptEvent":
      return notice("interrupt", "Stopped");
    case "HookExecutionEvent":
      // A hook that had no objection is not worth a line.
      return event.blocked || event.success === false ? notice("hook", event.reason ?? event.error ?? event.hook_command ?? "") : null;
    case "UnreadableEvent":
      return notice("unreadable", event.why);
    default:
      return hidden.has(event.kind) ? null : notice("other", String(event.kind));
  }
}
