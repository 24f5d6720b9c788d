// From stored events to parts of messages.
import type { FileUIPart, ReasoningUIPart, SourceUrlUIPart, TextUIPart } from "ai";
import type {
  ActionEvent,
  AgentErrorEvent,
  Content,
  ConversationErrorEvent,
  ConversationEvent,
  JSONValue,
  LLMMessage,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from "threadkeep";
import { besideOf } from "../thread/beside.js";
import { argumentsOf, codeOf, contentOf, dateOf, shownOf, textOf } from "../thread/fields.js";
import type { CallOrigin, Failure, MessageOrigin, ToolPart } from "./types.js";

/** An event that an answer of the model consists of. */
export type AnswerEvent = MessageEvent | ActionEvent;
/** An event that ends a call. */
export type ResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;
/** A part that is said, and not called. */
export type SaidPart = TextUIPart | ReasoningUIPart | FileUIPart | SourceUrlUIPart;

/** `Array.prototype.findLast`, which is younger than the browsers that the library runs in. */
export function lastOf<T, S extends T>(list: readonly T[], test: (item: T) => item is S): S | undefined;
export function lastOf<T>(list: readonly T[], test: (item: T) => boolean): T | undefined;
export function lastOf<T>(list: readonly T[], test: (item: T) => boolean): T | undefined {
  return [...list].reverse().find(test);
}

export function isUserMessage(event: ConversationEvent): event is MessageEvent {
  return event.kind === "MessageEvent" && event.source === "user";
}

export function isAnswer(event: ConversationEvent): event is AnswerEvent {
  return event.kind === "ActionEvent" || (event.kind === "MessageEvent" && event.source === "agent");
}

export function isResult(event: ConversationEvent): event is ResultEvent {
  return event.kind === "ObservationEvent" || event.kind === "UserRejectObservation" || event.kind === "AgentErrorEvent";
}

/** A failed run is a step of its answer, in which nothing was said. */
export function isFailure(event: ConversationEvent): event is ConversationErrorEvent {
  return event.kind === "ConversationErrorEvent";
}

export function failureIn(event: ConversationErrorEvent): { type: "data-failure"; id: string; data: Failure } {
  return { type: "data-failure", id: event.id, data: { code: codeOf(event), text: event.detail } };
}

/** The step that an event belongs to: all calls of one answer are one step. `finish` ends the task, and no step with calls follows. */
export function stepOf(event: AnswerEvent): string {
  return event.kind === "MessageEvent" || isFinish(event) ? event.id : event.llm_response_id;
}

/** The parts of this event beside a call. The message of `finish` is one of them, and the sources that it names come last. */
export function saidIn(event: AnswerEvent): SaidPart[] {
  const { sources } = besideOf(event.kind === "MessageEvent" ? event.llm_message : event);
  const named = sources.map(({ url, title }, at): SourceUrlUIPart => {
    return { type: "source-url", sourceId: partId(event.id, at + 1), url, ...(title === null ? {} : { title }) };
  });
  return [...wordsIn(event), ...named];
}

function wordsIn(event: AnswerEvent): SaidPart[] {
  if (event.kind === "MessageEvent")
    return [...reasoningParts(event.id, event.llm_message ?? {}), ...contentParts(event.llm_message?.content)];
  const said = [...reasoningParts(event.id, event), ...contentParts(event.thought)];
  if (!isFinish(event)) return said;
  const args = argumentsOf(event);
  const { message = JSON.stringify(args) } = (args ?? {}) as { message?: unknown };
  return typeof message === "string" && message !== "" ? [...said, { type: "text", text: message, state: "done" }] : said;
}

/** The call in this event, before its result; `null` for a message and for `finish`. */
export function callIn(event: AnswerEvent): ToolPart | null {
  if (event.kind === "MessageEvent" || isFinish(event)) return null;
  const { id: actionId, security_risk: risk = "UNKNOWN", summary, tool_name, tool_call_id: toolCallId } = event;
  const origin: CallOrigin = { actionId, risk, ...(summary ? { summary } : {}) };
  return { type: `tool-${tool_name}`, toolCallId, state: "input-available", input: inputOf(event), toolMetadata: origin };
}

/** The arguments of a call; those that are no JSON as text. */
export function inputOf(action: ActionEvent): unknown {
  return argumentsOf(action) ?? action.tool_call?.arguments;
}

/** The call with its result. */
export function withResult(call: ToolPart, event: ResultEvent): ToolPart {
  const { type, toolCallId, input, toolMetadata } = call;
  const common = { type, toolCallId, input, ...(toolMetadata ? { toolMetadata } : {}) };
  if (event.kind === "AgentErrorEvent") return { ...common, state: "output-error", errorText: event.error };
  if (event.kind === "UserRejectObservation") {
    const isAutomatic = event.rejection_source === "hook" ? { isAutomatic: true } : {};
    return {
      ...common,
      state: "output-denied",
      approval: { id: event.action_id, approved: false, reason: event.rejection_reason, ...isAutomatic },
    };
  }
  const { content, is_error, ...fields } = event.observation;
  const resultProviderMetadata = { threadkeep: fields as Record<string, JSONValue> };
  if (is_error) return { ...common, state: "output-error", errorText: textOf(content), resultProviderMetadata };
  return { ...common, state: "output-available", output: outputOf(content), resultProviderMetadata };
}

/** The result of a tool: the value of a JSON object or list, otherwise the text, or the content if there are images in it. */
function outputOf(given: unknown): unknown {
  const content = contentOf(given);
  if (content.some(({ type }) => type !== "text")) return content;
  const text = textOf(content);
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Texts and images, in order. */
export function contentParts(content: unknown): Array<TextUIPart | FileUIPart> {
  return contentOf(content).flatMap((item: Content): Array<TextUIPart | FileUIPart> => {
    if (item.type === "image") return (item.image_urls ?? []).map((url) => ({ type: "file", mediaType: mediaTypeOf(url), url }));
    return item.text ? [{ type: "text", text: item.text, state: "done" }] : [];
  });
}

function mediaTypeOf(url: string): string {
  return /^data:(image\/[\w.+-]+)/i.exec(url)?.[1] ?? "image";
}

type Reasoned = Partial<Pick<LLMMessage, "reasoning_content" | "thinking_blocks" | "responses_reasoning_item">>;

/** Reasoning, with what its provider needs to read it again where the AI SDK keeps that. */
function reasoningParts(
  eventId: string,
  { reasoning_content, thinking_blocks = [], responses_reasoning_item: item }: Reasoned,
): ReasoningUIPart[] {
  const part = (text: string, at = 0): ReasoningUIPart => ({ type: "reasoning", id: partId(eventId, at), text, state: "done" });
  if (thinking_blocks.length > 0) {
    return thinking_blocks.map((block, at) =>
      block.type === "thinking"
        ? { ...part(block.thinking, at), ...(block.signature ? { providerMetadata: { anthropic: { signature: block.signature } } } : {}) }
        : { ...part("", at), providerMetadata: { anthropic: { redactedData: block.data } } },
    );
  }
  const text = reasoning_content ?? shownOf(item).join("\n");
  // An item without an id keeps what other servers sent, which is nothing to OpenAI.
  if (item?.id) {
    const encrypted = item.encrypted_content ? { reasoningEncryptedContent: item.encrypted_content } : {};
    return [{ ...part(text), providerMetadata: { openai: { itemId: item.id, ...encrypted } } }];
  }
  return text === "" ? [] : [part(text)];
}

/** The name of a part while it streams: by the event that it will be in. */
export function partId(eventId: string, at: number): string {
  return `${eventId}-${at}`;
}

/** The metadata of the message that consists of these events. */
export function originOf(events: readonly ConversationEvent[]): MessageOrigin {
  const [first] = events;
  const createdAt = first && dateOf(first)?.toISOString();
  const sender = first?.kind === "MessageEvent" ? first.sender : undefined;
  return { eventIds: events.map(({ id }) => id), ...(createdAt ? { createdAt } : {}), ...(sender ? { sender } : {}) };
}

function isFinish({ tool_name, action }: ActionEvent): boolean {
  return tool_name === "finish" && action !== undefined;
}
