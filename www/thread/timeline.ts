// Turns events into the items of the transcript, without side effects. A call and its result become one item.

import type { Parting } from "./branches.ts";
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

export interface Message {
  type: "message";
  key: string;
  event: StoredEvent;
  from: "user" | "agent" | "environment";
  text: string;
  images: string[];
  /** The last event of the answer that this message ends, which a copy of the conversation may end with. */
  end?: string;
  /** Nothing follows it. */
  isLast?: boolean;
}

export type Item =
  | Call
  | { type: "system"; key: string; event: StoredEvent; text: string; tools: string[] }
  | Message
  | { type: "reasoning"; key: string; text: string }
  | { type: "mark"; key: string; event: StoredEvent; text: string }
  | { type: "parting"; key: string; parting: Parting }
  | { type: "changed"; key: string; calls: StoredEvent[] }
  | { type: "condensed"; key: string; event: StoredEvent; items: Item[] }
  | { type: "error"; key: string; event: StoredEvent }
  | { type: "unknown"; key: string; event: StoredEvent };

/** Events that are not shown. */
const HIDDEN_KINDS = new Set(["ConversationStateUpdateEvent", "TokenEvent", "LLMCompletionLogEvent", "CondensationRequest", "StreamingDeltaEvent"]);

/** Events that are shown as notes and answer nothing. */
const NOTES = new Set(["Condensation", "HookExecutionEvent", "SecurityAnalysisEvent"]);

const MARKS: Record<string, string> = {
  PauseEvent: "Paused",
  InterruptEvent: "Stopped",
};

/** The items of the active branch. `partings` are the places where other branches part from it. */
export function timeline(events: readonly StoredEvent[], partings: readonly Parting[] = []): Item[] {
  const items: Item[] = [];
  const idOf = new Map<Item, string>();
  const byAction = new Map<string, Call>();
  const byCallId = new Map<string, Call>();
  const finished = new Map<string, Message>();
  const partingAt = new Map(partings.map((parting) => [parting.shown?.id, parting]));

  for (const event of events) {
    const before = items.length;
    items.push(...partingItems(partingAt.get(event.id)));
    try {
      take(event);
    } catch {
      items.push({ type: "unknown", key: `${event.id}-unknown`, event });
    }
    for (const item of items.slice(before)) idOf.set(item, event.id);
  }
  const last = items.findLast((item) => item.type === "message");
  if (last?.end !== undefined && last.end === newest(events)?.id) last.isLast = true;
  items.push(...partingItems(partingAt.get(undefined)));
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
        const thoughts = thoughtItems(event);
        items.push(...thoughts);
        const message = thoughts.at(-1);
        if (event.action?.kind === "FinishAction" && message?.type === "message") finished.set(event.id, message);
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
        const message = finished.get(event.action_id ?? "");
        if (message) message.end = event.id;
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
      case "Condensation":
        condense(items, event, idOf);
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

function partingItems(parting: Parting | undefined): Item[] {
  if (parting === undefined) return [];
  const { after, versions, changed } = parting;
  const items: Item[] = [];
  if (versions.length > 1) items.push({ type: "parting", key: `parting-${after}`, parting });
  if (changed.length > 0) items.push({ type: "changed", key: changed[0]!.id, calls: changed });
  return items;
}

/** Moves the items that a condensation replaces for the model into one item in their place. */
function condense(items: Item[], event: StoredEvent, idOf: ReadonlyMap<Item, string>): void {
  const forgotten = new Set(event.forgotten_event_ids);
  // The summary of an earlier condensation is an event of the view, with this id.
  const isForgotten = (item: Item): boolean => forgotten.has(item.type === "condensed" ? `${item.event.id}-summary` : (idOf.get(item) ?? ""));
  const first = items.findIndex(isForgotten);
  const stretch = first < 0 ? [] : items.splice(first, items.findLastIndex(isForgotten) + 1 - first);
  // The model never saw the other kinds of items in between.
  const isInside = (item: Item): boolean => isForgotten(item) || !["message", "call", "system", "condensed"].includes(item.type);
  const item: Item = { type: "condensed", key: event.id, event, items: stretch.filter(isInside) };
  items.splice(first < 0 ? items.length : first, 0, item, ...stretch.filter((other) => !isInside(other)));
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
  items.push({ type: "message", key: event.id, event, from, text: textOf(content), images: imagesOf(content), ...(from === "agent" && { end: event.id }) });
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
