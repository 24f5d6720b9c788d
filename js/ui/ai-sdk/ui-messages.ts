// A stored conversation as messages of the AI SDK.
import type { UIMessage } from "ai";
import type { Conversation, ConversationEvent } from "threadkeep";
import { ensureConversation } from "../thread/given.js";
import { type OpenCalls, openCalls, questionAbout } from "./approvals.js";
import {
  type AnswerEvent,
  type ResultEvent,
  callIn,
  contentParts,
  failureIn,
  isAnswer,
  isFailure,
  isResult,
  isUserMessage,
  lastOf,
  originOf,
  saidIn,
  stepOf,
  withResult,
} from "./parts.js";
import type { Part, ThreadkeepUIMessage, ToolPart } from "./types.js";
import { filePartsOf } from "./user-message.js";

/**
 * The messages of the active branch, for `useChat({ messages })`. All answers of the agent between two messages of the user
 * are one message, each answer a step of it, and a call with its result is one part. Calls that wait for the user have the
 * state `approval-requested`. A run that has failed is a step with a part `data-failure`. The ids are those of events: that of its first one. Reads the complete branch, and changes
 * nothing.
 * @throws ThreadkeepError `invalid_options` for what is no open conversation, `invalid_state` after `close()`, `store_*`
 */
export async function uiMessagesOf(conversation: Conversation): Promise<ThreadkeepUIMessage[]> {
  ensureConversation("uiMessagesOf()", conversation);
  const events = await conversation.activeBranch();
  const messages: ThreadkeepUIMessage[] = [];
  for (const turn of turnsOf(events)) {
    const [first] = turn;
    const parts = isUserMessage(first) ? [...contentParts(first.llm_message?.content), ...filePartsOf(first)] : answerParts(turn);
    messages.push({
      id: first.id,
      role: isUserMessage(first) ? "user" : "assistant",
      parts: parts as ThreadkeepUIMessage["parts"],
      metadata: { threadkeep: originOf(turn) },
    });
  }
  ask(messages, await openCalls(conversation));
  return messages;
}

/** The events of each message: one of the user, or those of the agent's answers with the results of its calls. */
export function turnsOf(events: readonly ConversationEvent[]): Array<[ConversationEvent, ...ConversationEvent[]]> {
  const turns: Array<[ConversationEvent, ...ConversationEvent[]]> = [];
  for (const event of events) {
    const last = turns.at(-1);
    const isContinued = last !== undefined && !isUserMessage(last[0]);
    if (isContinued && (isAnswer(event) || isResult(event) || isFailure(event))) last.push(event);
    else if (isUserMessage(event) || isAnswer(event) || isFailure(event)) turns.push([event]);
  }
  return turns;
}

/** The events of the answer that the active branch ends with; none after a message of the user. */
export function lastAnswer(events: readonly ConversationEvent[]): ConversationEvent[] {
  const last = turnsOf(events).at(-1) ?? [];
  return last[0] && isUserMessage(last[0]) ? [] : last;
}

/** The parts of an answer of the agent. */
function answerParts(events: readonly ConversationEvent[]): Part[] {
  const parts: Part[] = [];
  const calls = new Map<string, number>();
  let step: string | undefined;
  const add = (event: AnswerEvent) => {
    if (step !== stepOf(event)) parts.push({ type: "step-start" });
    step = stepOf(event);
    parts.push(...saidIn(event));
    const call = callIn(event);
    if (call) calls.set(call.toolCallId, parts.push(call) - 1);
  };
  const end = (event: ResultEvent) => {
    const at = calls.get(event.tool_call_id);
    if (at === undefined) return;
    parts[at] = withResult(parts[at] as ToolPart, event);
  };
  for (const event of events) {
    if (isAnswer(event)) add(event);
    else if (isResult(event)) end(event);
    else if (isFailure(event)) {
      parts.push({ type: "step-start" }, failureIn(event));
      step = event.id;
    }
  }
  return parts;
}

/** Shows the calls that wait; those of sub-agents, which are in logs of their own, as a step at the end. */
function ask(messages: UIMessage[], { waiting, begun }: OpenCalls): void {
  const parts: Part[] = lastOf(messages, ({ role }) => role === "assistant")?.parts ?? [];
  const ofSubagents: Part[] = [];
  for (const action of waiting) {
    const call = callIn(action);
    if (!call) continue;
    const approval = { id: questionAbout(action.id), ...(begun.has(action.id) ? { requestReason: mayHaveRun } : {}) };
    const asked = { ...call, state: "approval-requested", approval } as ToolPart;
    const at = parts.findIndex((part) => "toolMetadata" in part && part.toolMetadata?.["actionId"] === action.id);
    if (at >= 0) parts[at] = asked;
    else ofSubagents.push(asked);
  }
  if (ofSubagents.length > 0) parts.push({ type: "step-start" }, ...ofSubagents);
}

/** Why a call that a page has begun waits. */
export const mayHaveRun = "This call was under way when the page ended, so it may have run already.";
