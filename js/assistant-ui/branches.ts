// Branches, as assistant-ui's branch picker shows them: messages that have the same parent.
import { type ExportedMessageRepository, type ThreadMessage, fromThreadMessageLike } from "@assistant-ui/react";
import type { Branch } from "../index.js";
import { dateOf, textOf } from "../thread/fields.js";
import type { UIMessage } from "../thread/types.js";

/** The first message of branches beside the active one. */
export interface Alternative {
  /** The last event of the newest of these branches. */
  leafEventId: string;
  /** The last event that they share with the active branch; `null` if they share none. */
  forkEventId: string | null;
  message: ThreadMessage;
}

/** Branches that part from each other later than from the active one begin with the same message. */
export function alternativesOf(branches: readonly Branch[]): readonly Alternative[] {
  const byMessage = new Map<string, Alternative>();
  for (const { firstEvent, leafEventId, forkEventId } of branches) {
    byMessage.set(firstEvent.id, { leafEventId, forkEventId, message: byMessage.get(firstEvent.id)?.message ?? firstMessage(firstEvent) });
  }
  return [...byMessage.values()];
}

/** The picker only counts it: when the user goes there, the branch is read. */
function firstMessage(event: Branch["firstEvent"]): ThreadMessage {
  const isUser = event.kind === "MessageEvent" && event.source === "user";
  const text = textOf(event.kind === "MessageEvent" ? event.llm_message?.content : event.thought);
  const createdAt = dateOf(event) ?? new Date(0);
  return fromThreadMessageLike({ id: event.id, role: isUser ? "user" : "assistant", content: text, createdAt }, event.id, { type: "complete", reason: "stop" });
}

/**
 * The first message that a change of the branch has taken away, until the branches are read: without it the picker would
 * disappear for a moment, and with it the focus.
 */
export function leftBehind(before: readonly UIMessage[], after: readonly UIMessage[], converted: ReadonlyMap<string, ThreadMessage>): Alternative | null {
  const at = before.findIndex(({ id }, place) => id !== after[place]?.id);
  const message = converted.get(before[at]?.id ?? "");
  const leafEventId = before.at(-1)?.eventIds.at(-1);
  if (message === undefined || leafEventId === undefined) return null;
  return { leafEventId, forkEventId: before[at - 1]?.eventIds.at(-1) ?? null, message };
}

/**
 * The active branch and the alternatives to its messages. Siblings are in the order of their dates, so that their numbers
 * stay the same. An alternative whose parent is among older messages that are not loaded is left out.
 */
export function repositoryOf(
  messages: readonly UIMessage[], converted: readonly ThreadMessage[], alternatives: readonly Alternative[], hasEarlier: boolean,
): ExportedMessageRepository {
  const children = childrenOf(messages, alternatives, hasEarlier);
  const items: ExportedMessageRepository["messages"] = [];
  const active = new Set(alternatives.length > 0 ? converted.map(({ id }) => id) : []);
  for (let at = 0; at <= converted.length; at++) {
    const parentId = converted[at - 1]?.id ?? null;
    const siblings = (children.get(at - 1) ?? []).filter(({ id }) => !active.has(id));
    const own = converted[at];
    const all = own ? [...siblings, own] : siblings;
    if (siblings.length > 0) all.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
    for (const message of all) items.push({ message, parentId });
  }
  return { headId: converted.at(-1)?.id ?? null, messages: items };
}

/** The alternatives by the index of their parent, which is -1 for those of the first message. */
function childrenOf(messages: readonly UIMessage[], alternatives: readonly Alternative[], hasEarlier: boolean): Map<number, ThreadMessage[]> {
  const children = new Map<number, ThreadMessage[]>();
  if (alternatives.length === 0) return children;
  const forks = new Set(alternatives.map(({ forkEventId }) => forkEventId));
  const places = new Map<string | null, number>();
  for (const [at, { eventIds }] of messages.entries()) for (const id of eventIds) if (forks.has(id)) places.set(id, at);
  for (const { forkEventId, message } of alternatives) {
    const place = places.get(forkEventId);
    // An event that no message shows is the system prompt, which comes before all of them.
    if (place === undefined && hasEarlier) continue;
    // An answer that parts from another one in its middle takes the place of the whole.
    const isOtherAnswer = message.role === "assistant" && place !== undefined && messages[place]!.role === "assistant";
    const parent = place === undefined ? -1 : isOtherAnswer ? place - 1 : place;
    children.set(parent, [...(children.get(parent) ?? []), message]);
  }
  return children;
}
