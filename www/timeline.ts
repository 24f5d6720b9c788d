// Turns events into the items of the transcript, without side effects. A call and its result become one item.

import { leftBehind } from "./branch.ts";
import { argumentsOf, imagesOf, type StoredEvent, textOf } from "./event-shapes.ts";

export type CallState = "open" | "done" | "failed" | "stopped" | "broken-off" | "rejected";

export interface Call {
  type: "call";
  key: string;
  /** Null if the call is on an earlier page that is not loaded. */
  action: StoredEvent | null;
  toolName: string;
  toolCallId: string;
  args: Record<string, unknown>;
  state: CallState;
  result: string;
  images: string[];
  answer: StoredEvent | null;
}

export type Item =
  | Call
  | { type: "system"; key: string; event: StoredEvent; text: string; tools: string[] }
  | { type: "message"; key: string; event: StoredEvent; from: "user" | "agent" | "environment"; text: string; images: string[] }
  | { type: "reasoning"; key: string; text: string }
  | { type: "mark"; key: string; event: StoredEvent; text: string }
  | { type: "left"; key: string; calls: StoredEvent[] }
  | { type: "error"; key: string; event: StoredEvent }
  | { type: "unknown"; key: string; event: StoredEvent };

/** Events that are not shown. */
const HIDDEN_KINDS = new Set(["ConversationStateUpdateEvent", "TokenEvent", "LLMCompletionLogEvent", "CondensationRequest", "StreamingDeltaEvent"]);

/** Events that are shown as notes and answer nothing. */
const NOTES = new Set(["Condensation", "HookExecutionEvent", "SecurityAnalysisEvent"]);

const MARKS: Record<string, string> = {
  PauseEvent: "Paused",
  InterruptEvent: "Stopped",
  Condensation: "Earlier messages were summarized for the model",
};

/** `leaf` is the newest event of the active branch; events of other branches are not part of the conversation. */
export function timeline(events: readonly StoredEvent[], leaf?: string): Item[] {
  const items: Item[] = [];
  const left = leftBehind(events, leaf);
  const byAction = new Map<string, Call>();
  const byCallId = new Map<string, Call>();

  for (const event of events) {
    if (left.has(event.id)) {
      leave(items, event);
      continue;
    }
    try {
      take(event);
    } catch {
      items.push({ type: "unknown", key: `${event.id}-unknown`, event });
    }
  }
  return items;

  function take(event: StoredEvent): void {
    switch (event.kind) {
      case "SystemPromptEvent":
        items.push({ type: "system", key: event.id, event, text: textOf(event.system_prompt ? [event.system_prompt] : []), tools: toolNames(event) });
        break;
      case "MessageEvent":
        items.push(...messageItems(event));
        break;
      case "ActionEvent": {
        items.push(...thoughtItems(event));
        if (isText(event)) break;
        const call = openCall(event);
        items.push(call);
        byAction.set(event.id, call);
        byCallId.set(call.toolCallId, call);
        break;
      }
      case "ObservationEvent":
      case "UserRejectObservation":
      case "AgentErrorEvent": {
        const kind = event.observation?.kind;
        if (kind === "FinishObservation" || kind === "ThinkObservation") break;
        const asked = byAction.get(event.action_id ?? "") ?? byCallId.get(event.tool_call_id ?? "");
        const call = asked ?? orphan(event);
        if (!asked) items.push(call);
        answerCall(call, event);
        break;
      }
      case "HookExecutionEvent":
        items.push({ type: "mark", key: event.id, event, text: hookText(event) });
        break;
      case "SecurityAnalysisEvent":
        items.push({ type: "mark", key: event.id, event, text: analysisText(event, byAction) });
        break;
      case "ConversationErrorEvent":
        items.push({ type: "error", key: event.id, event });
        break;
      default: {
        const text = MARKS[event.kind];
        if (text !== undefined) items.push({ type: "mark", key: event.id, event, text });
        else if (!HIDDEN_KINDS.has(event.kind)) items.push({ type: "unknown", key: event.id, event });
      }
    }
  }
}

/** The newest event that is not hidden. */
export const newest = (events: readonly StoredEvent[]): StoredEvent | undefined =>
  events.findLast(({ kind }) => !HIDDEN_KINDS.has(kind) && !NOTES.has(kind));

/** Whether the agent has to act next: a message without an answer, or a result that the model has not read. */
export function isUnfinished(events: readonly StoredEvent[]): boolean {
  const last = newest(events);
  if (last === undefined || last.kind === "SystemPromptEvent") return false;
  if (last.kind === "MessageEvent") return last.source !== "agent";
  if (last.kind === "ActionEvent") return !isText(last);
  return last.observation?.kind !== "FinishObservation";
}

/** Groups the calls of an abandoned branch into one item. */
function leave(items: Item[], event: StoredEvent): void {
  if (event.kind !== "ActionEvent") return;
  const last = items.at(-1);
  if (last?.type === "left") last.calls.push(event);
  else items.push({ type: "left", key: event.id, calls: [event] });
}

const HOOKS: Record<string, string> = {
  PreToolUse: "before the call",
  PostToolUse: "after the call",
  UserPromptSubmit: "on your message",
  SessionStart: "at the start",
  SessionEnd: "at the end",
  Stop: "on stopping",
};

function hookText(event: StoredEvent): string {
  const when = HOOKS[event.hook_event_type ?? ""] ?? event.hook_event_type ?? "";
  const about = event.tool_name === undefined ? "" : ` of ${event.tool_name}`;
  const outcome = event.blocked ? "did not allow it" : event.success === false ? "failed" : event.additional_context ? "added something" : "had no objection";
  const why = event.reason ?? event.error ?? event.additional_context;
  return `Hook ${when}${about} ${outcome}${why ? `: ${why}` : ""}`;
}

/** The SDK names the analyzer by its class and the calls by their ids. */
function analysisText(event: StoredEvent, calls: ReadonlyMap<string, Call>): string {
  const risks = Object.entries(event.risks ?? {}).map(([id, risk]) => `${calls.get(id)?.toolName ?? "a call"} ${risk}`);
  return `Risk, as ${event.analyzer ?? "an analyzer"} has it: ${risks.join(", ")}`;
}

function messageItems(event: StoredEvent): Item[] {
  const { content, reasoning_content: reasoning } = event.llm_message ?? {};
  const from = event.source === "agent" || event.source === "user" ? event.source : "environment";
  const items: Item[] = [];
  if (reasoning) items.push({ type: "reasoning", key: `${event.id}-reasoning`, text: reasoning });
  items.push({ type: "message", key: event.id, event, from, text: textOf(content), images: imagesOf(content) });
  return items;
}

/** The text and the thoughts of an action; the messages of `finish` and `think` are shown as text, not as calls. */
function thoughtItems(event: StoredEvent): Item[] {
  const items: Item[] = [];
  if (event.reasoning_content) items.push({ type: "reasoning", key: `${event.id}-reasoning`, text: event.reasoning_content });
  const thought = textOf(event.thought);
  if (thought) items.push({ type: "message", key: `${event.id}-thought`, event, from: "agent", text: thought, images: [] });
  const args = argumentsOf(event);
  if (isText(event) && event.tool_name === "think") {
    items.push({ type: "reasoning", key: event.id, text: String(args["thought"] ?? "") });
  } else if (isText(event)) {
    items.push({ type: "message", key: event.id, event, from: "agent", text: String(args["message"] ?? ""), images: [] });
  }
  return items;
}

const isText = (event: StoredEvent): boolean =>
  event.action?.kind === "FinishAction" || event.action?.kind === "ThinkAction";

function openCall(event: StoredEvent): Call {
  return {
    type: "call",
    key: event.id,
    action: event,
    toolName: event.tool_name ?? "tool",
    toolCallId: event.tool_call_id ?? event.id,
    args: argumentsOf(event),
    state: "open",
    result: "",
    images: [],
    answer: null,
  };
}

function orphan(answer: StoredEvent): Call {
  const call = openCall(answer);
  return { ...call, key: answer.action_id ?? answer.tool_call_id ?? answer.id, action: null, args: {} };
}

/** Error events answer failed calls and also interrupted ones. Only their fixed texts tell which. */
const NOT_FAILED: ReadonlyArray<[opening: RegExp, state: CallState]> = [
  [/^(The call was stopped before it was done|Tool call interrupted)/, "stopped"],
  [/^This call was under way when the page was closed/, "broken-off"],
];

function answerCall(call: Call, event: StoredEvent): void {
  call.answer = event;
  if (event.kind === "UserRejectObservation") {
    call.state = "rejected";
    call.result = event.rejection_reason ?? "";
  } else if (event.kind === "AgentErrorEvent") {
    call.result = event.error ?? "";
    call.state = NOT_FAILED.find(([opening]) => opening.test(call.result))?.[1] ?? "failed";
  } else {
    call.state = event.observation?.is_error ? "failed" : "done";
    call.result = textOf(event.observation?.content);
    call.images = imagesOf(event.observation?.content);
  }
}

const toolNames = (event: StoredEvent): string[] =>
  (event.tools ?? []).map((tool) => tool.mcp_tool?.name ?? tool.title ?? "").filter(Boolean);
