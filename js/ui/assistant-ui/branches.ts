// Branches, as assistant-ui's branch picker shows them: messages that have the same parent.
import { type ExportedMessageRepository, type ThreadMessage, fromThreadMessageLike } from "@assistant-ui/react";
import type { UIMessage } from "../thread/types.js";

/** The beginning of the id of a message that stands for another version: that version may begin with the same event. */
const mark = "version ";

/** The version that this message stands for; `null` for one of the active branch. */
export const versionOf = (messageId: string): string | null => (messageId.startsWith(mark) ? messageId.slice(mark.length) : null);

/** The picker only counts it: when the user goes there, the branch is read. */
function standIn(versionId: string, role: UIMessage["role"]): ThreadMessage {
  return fromThreadMessageLike({ id: mark + versionId, role, content: [], createdAt: new Date(0) }, mark + versionId, {
    type: "complete",
    reason: "stop",
  });
}

/** The active branch and the other versions of its messages; `continuations` are those of the message that comes next. */
export function repositoryOf(
  messages: readonly UIMessage[],
  converted: readonly ThreadMessage[],
  continuations: readonly string[],
): ExportedMessageRepository {
  const items: ExportedMessageRepository["messages"] = [];
  const next = { index: continuations.length, ids: continuations };
  for (let at = 0; at <= converted.length; at++) {
    const parentId = converted[at - 1]?.id ?? null;
    const own = converted[at];
    const role = messages[at]?.role ?? (messages.at(-1)?.role === "user" ? "assistant" : "user");
    const { index, ids } = (at < messages.length ? messages[at]!.versions : at === messages.length ? next : null) ?? { index: 0, ids: [] };
    const all = ids.flatMap((id, place) => (place === index ? [] : [standIn(id, role)]));
    if (own) all.splice(index, 0, own);
    for (const message of all) items.push({ message, parentId });
  }
  return { headId: converted.at(-1)?.id ?? null, messages: items };
}

/** A text that is the same as long as all messages have the same other versions. */
export function shapeOf(messages: readonly UIMessage[], continuations: readonly string[]): string {
  return JSON.stringify([messages.flatMap(({ id, versions }) => (versions ? [id, versions] : [])), continuations]);
}
