// From the messages of a thread to those of assistant-ui. A message that has not changed is not converted again.
import { type MessageStatus, type ThreadMessage, fromThreadMessageLike } from "@assistant-ui/react";
import { isSameList } from "../thread/transcript.js";
import type { Approval, MessagePart, ToolPart, UIMessage } from "../thread/types.js";
import { callOf, partOf, reasonOf, sourcesOf, userMessageOf } from "./parts.js";

/** The circumstances on which the last answer depends, besides its parts. */
export interface Circumstances {
  isRunning: boolean;
  approvals: readonly Approval[];
}

type Like = ReturnType<typeof partOf>;

const complete: MessageStatus = { type: "complete", reason: "stop" };
const running: MessageStatus = { type: "running" };
const settled: Circumstances = { isRunning: false, approvals: [] };

export class Converter {
  readonly #messages = new WeakMap<UIMessage, { status: MessageStatus; asked: readonly Approval[]; converted: ThreadMessage }>();
  readonly #parts = new WeakMap<MessagePart, { asked: Approval | undefined; converted: Like }>();
  #last: readonly ThreadMessage[] = [];
  /** The answer that streams has no date yet, and must not get another one with each piece. */
  #streaming: { id: string; since: Date } | null = null;

  /** The same array as before if nothing has changed. Ends with an empty answer if one is on its way. */
  convert(messages: readonly UIMessage[], now: Circumstances): readonly ThreadMessage[] {
    const converted = this.#convert(messages, now);
    const last = messages.at(-1);
    if (now.isRunning && last?.role === "user") converted.push(this.#upcoming(last));
    return isSameList(converted, this.#last) ? this.#last : (this.#last = converted);
  }

  #convert(messages: readonly UIMessage[], now: Circumstances): ThreadMessage[] {
    const answer = messages.map(({ role }) => role).lastIndexOf("assistant");
    return messages.map((message, at) => {
      if (message.role === "user") return this.#message(message, complete, []);
      if (at < answer) return this.#message(message, statusOf(message, settled, false), []);
      return this.#message(message, statusOf(message, now, at === messages.length - 1), now.approvals);
    });
  }

  #message(message: UIMessage, status: MessageStatus, asked: readonly Approval[]): ThreadMessage {
    const known = this.#messages.get(message);
    if (
      known &&
      known.status.type === status.type &&
      JSON.stringify(known.status) === JSON.stringify(status) &&
      isSameList(known.asked, asked)
    )
      return known.converted;
    const like = message.role === "user" ? userMessageOf(message) : this.#answer(message, status, asked);
    const converted = fromThreadMessageLike(like, message.id, status);
    this.#messages.set(message, { status, asked, converted });
    return converted;
  }

  #answer(message: UIMessage, status: MessageStatus, asked: readonly Approval[]) {
    const { id, parts, createdAt, eventIds, sender } = message;
    const askedOf = questionsOf(parts, asked);
    const content = parts.flatMap((part, at) => {
      // The status of the message has the failure that has ended it.
      if (part.type === "error" && at === parts.length - 1) return [];
      return [this.#part(part, part.type === "tool" ? askedOf.get(part) : undefined), ...sourcesOf(part)];
    });
    return {
      id,
      role: "assistant" as const,
      content,
      status,
      createdAt: createdAt ?? this.#since(id),
      metadata: { custom: { eventIds, sender } },
    };
  }

  #part(part: MessagePart, asked: Approval | undefined): Like {
    const known = this.#parts.get(part);
    if (known && known.asked === asked) return known.converted;
    const converted =
      part.type === "tool"
        ? callOf(part, asked, this.#convert(part.subagent, { isRunning: part.state === "running", approvals: [] }))
        : partOf(part);
    this.#parts.set(part, { asked, converted });
    return converted;
  }

  #since(id: string): Date {
    if (this.#streaming?.id !== id) this.#streaming = { id, since: new Date() };
    return this.#streaming.since;
  }

  /** Stands for an answer of which nothing has come. */
  #upcoming({ id: after }: UIMessage): ThreadMessage {
    const id = `answer-to-${after}`;
    const known = this.#last.at(-1);
    if (known?.id === id) return known;
    return fromThreadMessageLike({ id, role: "assistant", content: [], status: running, createdAt: new Date() }, id, running);
  }
}

/**
 * The calls that the user is asked about. A question of a sub-agent belongs to the first call of the message that has no
 * result and asks nothing itself: the call that has started the sub-agent.
 */
function questionsOf(parts: readonly MessagePart[], approvals: readonly Approval[]): Map<ToolPart, Approval> {
  const questions = new Map<ToolPart, Approval>();
  if (approvals.length === 0) return questions;
  const open = parts.filter((part): part is ToolPart => part.type === "tool" && isOpen(part));
  for (const part of open) {
    const own = approvals.find(({ actionId }) => actionId === part.actionId);
    if (own) questions.set(part, own);
  }
  const foreign = approvals.find(({ actionId }) => !open.some((part) => part.actionId === actionId));
  const starter = open.find((part) => part.toolName === "task" && !questions.has(part));
  if (foreign && starter) questions.set(starter, foreign);
  return questions;
}

const isOpen = ({ state }: ToolPart) => state !== "done" && state !== "error" && state !== "rejected";

function statusOf({ parts, state }: UIMessage, { isRunning, approvals }: Circumstances, isLast: boolean): MessageStatus {
  const hasOpenCall = parts.some((part) => part.type === "tool" && isOpen(part));
  if (isRunning && (isLast || state === "streaming" || hasOpenCall)) return running;
  if (approvals.length > 0 && hasOpenCall) return { type: "requires-action", reason: "interrupt" };
  if (hasOpenCall) return { type: "incomplete", reason: "tool-calls" };
  const end = parts.at(-1);
  if (end?.type === "error") return { type: "incomplete", reason: "error", error: end.text };
  if (end?.type === "text" && end.state === "incomplete") return { type: "incomplete", reason: reasonOf(end) };
  if (end?.type === "notice" && (end.notice === "interrupt" || end.notice === "pause")) return { type: "incomplete", reason: "cancelled" };
  return complete;
}
