// From events to the chunks of a stream that `useChat` reads. The chunks lead to the message that `uiMessagesOf` makes of the
// same events: what is stored wins over the pieces that have come before.
import type { UIMessage, UIMessageChunk } from "ai";
import type { ActionEvent, ConversationErrorEvent, ConversationEvent, LiveEvent, StreamingDeltaEvent, ToolCallDelta } from "threadkeep";
import { cutReasonOf } from "../thread/fields.js";
import { GrowingArguments } from "../thread/growing-arguments.js";
import { type OpenCalls, isSame, questionAbout } from "./approvals.js";
import {
  type AnswerEvent,
  type ResultEvent,
  type SaidPart,
  callIn,
  failureIn,
  isAnswer,
  isFailure,
  isResult,
  lastOf,
  originOf,
  partId,
  saidIn,
  stepOf,
  withResult,
} from "./parts.js";
import type { ToolPart } from "./types.js";
import { mayHaveRun } from "./ui-messages.js";

/** A piece of an answer that is still coming. */
interface Piece {
  type: "text" | "reasoning";
  id: string;
  text: string;
  /** The index of the call of `finish` that it is in. */
  call: number | undefined;
}

/** A call that the model is writing: shown under its id, or as the text of `finish`; otherwise once it is stored. */
type WrittenCall = { id: string } | { said: GrowingArguments } | null;

/** The step of calls that sub-agents ask about. */
const subagents = "subagents";

export class Answer {
  readonly #emit: (chunk: UIMessageChunk) => void;
  /** The events of the message, as far as they are stored. */
  readonly #events: ConversationEvent[] = [];
  readonly #ids = new Set<string>();
  /** Calls of the message, by their id. */
  readonly #calls = new Map<string, ToolPart>();
  /** The arguments of the calls that the reader shows, by the id of the call. */
  readonly #shown = new Map<string, unknown>();
  #isStarted = false;
  /** The current step; `key` is `null` as long as nothing of it is stored. */
  #step: { key: string | null } | null = null;
  #pieces: Piece[] = [];
  /** The calls that the model is writing, by their index. */
  #written = new Map<number, WrittenCall>();
  /** The event that the pieces will be in. */
  #coming = "";

  constructor(emit: (chunk: UIMessageChunk) => void) {
    this.#emit = emit;
  }

  /** Takes events of the message that `shown` contains already, and the calls that wait in it: later events only change or extend it. */
  continue(events: readonly ConversationEvent[], waiting: readonly ActionEvent[], shown: UIMessage): void {
    for (const event of events) this.#keep(event);
    for (const event of [...events.filter(isAnswer), ...waiting]) {
      const call = callIn(event);
      if (call) this.#calls.set(call.toolCallId, call);
    }
    for (const part of shown.parts) if ("toolCallId" in part) this.#shown.set(part.toolCallId, part.input);
    this.#isStarted = true;
    this.#emit({ type: "start" });
  }

  take(event: ConversationEvent | LiveEvent): void {
    if (!("id" in event)) this.#live(event);
    else if (this.#ids.has(event.id)) return;
    else if (isAnswer(event)) this.#answer(event);
    else if (isResult(event)) this.#result(event);
    else if (isFailure(event)) this.#fail(event);
  }

  /** Asks the user about these calls. */
  ask({ waiting, begun }: OpenCalls): void {
    for (const action of waiting) {
      this.#start(action.id);
      const call = callIn(action);
      // The call of the sub-agent goes on: in the same step it would keep the decisions of the user from being sent.
      if (!this.#ids.has(action.id) && !this.#shown.has(action.tool_call_id) && this.#step?.key !== subagents) this.#begin(subagents);
      if (call) this.#show(call);
      const reason = begun.has(action.id) ? { reason: mayHaveRun } : {};
      this.#emit({ type: "tool-approval-request", approvalId: questionAbout(action.id), toolCallId: action.tool_call_id, ...reason });
    }
  }

  /** Takes back the pieces of an answer that will not be stored. */
  giveUp(): void {
    if (this.#pieces.length > 0 || this.#written.size > 0) this.#emit({ type: "reset-step" });
    this.#pieces = [];
    this.#written.clear();
  }

  finish(end: "stop" | "tool-calls" | "interrupted"): void {
    const finishReason = end === "stop" ? this.#reason : end;
    if (this.#step) this.#emit({ type: "finish-step" });
    this.#step = null;
    this.#emit({ type: "finish", finishReason, ...(this.#isStarted ? { messageMetadata: { threadkeep: originOf(this.#events) } } : {}) });
  }

  /** How the last answer has ended itself, as the AI SDK names it. */
  get #reason(): "stop" | "length" | "content-filter" | "other" {
    const last = lastOf(this.#events, isAnswer);
    if (last?.kind !== "MessageEvent" || !last.extended_content?.length) return "stop";
    const reason = cutReasonOf(last);
    return reason === "content_filter" ? "content-filter" : reason === "length" ? reason : "other";
  }

  #live(event: LiveEvent): void {
    if (event.kind === "StreamingDeltaEvent") this.#delta(event);
    else if (event.kind === "ToolProgressEvent") this.#emit({ type: "data-progress", data: event, transient: true });
    else if (event.kind === "WaitingEvent") {
      // The answer starts anew.
      this.giveUp();
      this.#emit({ type: "data-waiting", data: event, transient: true });
    } else if (event.kind === "SubagentEvent" && isResult(event.event as ConversationEvent)) {
      // The user may have been asked about this call.
      this.#emitResult(event.event as ResultEvent);
    }
  }

  #delta({ message_id: id, reasoning_content, content, tool_calls }: StreamingDeltaEvent): void {
    // Pieces of an answer that is stored already come too late.
    if (this.#ids.has(id)) return;
    const isAnew = reasoning_content === undefined && content === undefined && tool_calls === undefined;
    // Nothing of the answer before is stored if its call could not be read.
    if (isAnew || this.#coming !== id) this.giveUp();
    this.#coming = id;
    if (isAnew) return;
    this.#start(id);
    if (this.#step === null || this.#step.key !== null) this.#begin(null);
    if (reasoning_content) this.#piece("reasoning", reasoning_content, id);
    if (content) this.#piece("text", content, id);
    for (const call of tool_calls ?? []) this.#write(call, id);
  }

  #write({ index, id: toolCallId, function: { name: toolName, arguments: inputTextDelta } }: ToolCallDelta, messageId: string): void {
    if (!this.#written.has(index)) this.#written.set(index, this.#beginCall(toolCallId, toolName ?? ""));
    const call = this.#written.get(index) ?? null;
    if (call === null || inputTextDelta === "") return;
    if ("id" in call) return this.#emit({ type: "tool-input-delta", toolCallId: call.id, inputTextDelta });
    const before = messageIn(call.said);
    call.said.push(inputTextDelta);
    const text = messageIn(call.said).slice(before.length);
    if (text !== "") this.#piece("text", text, messageId, index);
  }

  #beginCall(toolCallId: string | undefined, toolName: string): WrittenCall {
    if (toolName === "finish") return { said: new GrowingArguments() };
    // Servers that give no id, or one twice, get another one when the call is stored.
    const isKnown = toolCallId === undefined || this.#shown.has(toolCallId) || this.#calls.has(toolCallId);
    if (isKnown || [...this.#written.values()].some((call) => call !== null && "id" in call && call.id === toolCallId)) return null;
    this.#emit({ type: "tool-input-start", toolCallId, toolName });
    return { id: toolCallId };
  }

  #piece(type: Piece["type"], delta: string, messageId: string, call?: number): void {
    let piece = this.#pieces.at(-1);
    if (piece?.type !== type || piece.call !== call) {
      if (piece) this.#emit({ type: `${piece.type}-end`, id: piece.id });
      this.#pieces.push((piece = { type, id: partId(messageId, this.#pieces.length), text: "", call }));
      this.#emit({ type: `${type}-start`, id: piece.id });
    }
    piece.text += delta;
    this.#emit({ type: `${type}-delta`, id: piece.id, delta });
  }

  #answer(event: AnswerEvent): void {
    this.#start(event.id);
    this.#keep(event);
    const key = stepOf(event);
    if (this.#step?.key === null) this.#step.key = key;
    else if (this.#step?.key !== key) this.#begin(key);
    const said = saidIn(event);
    said.slice(this.#settle(said)).forEach((part, at) => this.#say(part, partId(event.id, at)));
    const call = callIn(event);
    if (call) this.#show(call);
  }

  /** Compares the pieces that have come with the stored parts. Returns how many parts need not be said again. */
  #settle(said: readonly SaidPart[]): number {
    const pieces = this.#pieces;
    const last = pieces.at(-1);
    const isStored = pieces.every(({ type, text }, at) => {
      const part = said[at];
      return part?.type === type && "text" in part && part.text === text;
    });
    if (!isStored) this.giveUp();
    else if (last) this.#emit({ type: `${last.type}-end`, id: last.id, ...metadataOf(said[pieces.length - 1]) });
    this.#pieces = [];
    this.#written.clear();
    return isStored ? pieces.length : 0;
  }

  #say(part: SaidPart, id: string): void {
    if (part.type === "source-url") return this.#emit(part);
    if (part.type === "file") return this.#emit({ type: "file", mediaType: part.mediaType, url: part.url });
    this.#emit({ type: `${part.type}-start`, id });
    this.#emit({ type: `${part.type}-delta`, id, delta: part.text });
    this.#emit({ type: `${part.type}-end`, id, ...metadataOf(part) });
  }

  /** Shows a call, unless the reader shows it already as it is. */
  #show(call: ToolPart): void {
    const { toolCallId, input, toolMetadata } = call;
    this.#calls.set(toolCallId, call);
    if (this.#shown.has(toolCallId) && isSame(this.#shown.get(toolCallId), input)) return;
    this.#shown.set(toolCallId, input);
    this.#emit({
      type: "tool-input-available",
      toolCallId,
      toolName: call.type.slice("tool-".length),
      input,
      ...(toolMetadata ? { toolMetadata } : {}),
    });
  }

  /** Nothing of the answer is stored. */
  #fail(event: ConversationErrorEvent): void {
    this.giveUp();
    this.#start(event.id);
    this.#keep(event);
    if (this.#step?.key !== null) this.#begin(event.id);
    this.#step = { key: event.id };
    this.#emit(failureIn(event));
    this.#emit({ type: "message-metadata", messageMetadata: { threadkeep: originOf(this.#events) } });
  }

  #result(event: ResultEvent): void {
    this.#keep(event);
    this.#emitResult(event);
  }

  #emitResult(event: ResultEvent): void {
    const call = this.#calls.get(event.tool_call_id);
    if (!call) return;
    this.#show(call);
    const { toolCallId } = call;
    const part = withResult(call, event);
    if (part.state === "output-available")
      this.#emit({ type: "tool-output-available", toolCallId, output: part.output, ...resultMetadataOf(part) });
    else if (part.state === "output-error")
      this.#emit({ type: "tool-output-error", toolCallId, errorText: part.errorText, ...resultMetadataOf(part) });
    else if (part.state === "output-denied") {
      const { id: approvalId, reason, isAutomatic } = part.approval;
      this.#emit({ type: "tool-approval-request", approvalId, toolCallId, ...(isAutomatic ? { isAutomatic } : {}) });
      this.#emit({ type: "tool-approval-response", approvalId, approved: false, ...(reason ? { reason } : {}) });
      this.#emit({ type: "tool-output-denied", toolCallId });
    }
  }

  #start(messageId: string): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#emit({ type: "start", messageId });
  }

  #begin(key: string | null): void {
    if (this.#step) this.#emit({ type: "finish-step" });
    this.#emit({ type: "start-step" });
    this.#step = { key };
  }

  #keep(event: ConversationEvent): void {
    this.#events.push(event);
    this.#ids.add(event.id);
  }
}

function messageIn({ args: { message } }: GrowingArguments): string {
  return typeof message === "string" ? message : "";
}

function metadataOf(part: SaidPart | undefined) {
  return part && "providerMetadata" in part && part.providerMetadata ? { providerMetadata: part.providerMetadata } : {};
}

function resultMetadataOf(part: Extract<ToolPart, { state: "output-available" | "output-error" }>) {
  return part.resultProviderMetadata ? { providerMetadata: part.resultProviderMetadata } : {};
}
