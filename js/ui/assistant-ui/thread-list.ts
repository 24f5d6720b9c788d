// The conversations of the store as assistant-ui's list of threads.
import type { ExternalStoreThreadData, ExternalStoreThreadListAdapter } from "@assistant-ui/react";
import { useMemo } from "react";
import { Conversation, type ConversationInfo, type Store } from "threadkeep";
import { useConversations } from "../react/use-conversations.js";
import type { Current } from "./current.js";

/** The tag of a conversation that the user has put aside. */
const archivedTag = "archived";

/** The adapter for the list; the same object until something in it changes. */
export function useThreadList({ id, thread, show, withConversation }: Current, store: Store | undefined): ExternalStoreThreadListAdapter {
  const { phase, conversations } = useConversations({ store });
  const lists = useMemo(() => {
    // A conversation without an event was opened and never used.
    const shown = conversations.filter((info) => info.eventCount > 0 || info.id === id);
    const isArchived = ({ tags }: ConversationInfo) => tags[archivedTag] !== undefined;
    return {
      threads: shown.filter((info) => !isArchived(info)).map((info) => entryOf(info, "regular")),
      archivedThreads: shown.filter(isArchived).map((info) => entryOf(info, "archived")),
    };
  }, [conversations, id]);

  return useMemo(() => {
    const setTag = (id: string, name: string, value: string | null) =>
      withConversation(id, async (conversation) => {
        const { [name]: _, ...others } = conversation.state.tags;
        await conversation.setTags(value === null ? others : { ...others, [name]: value });
      });
    const leave = async (left: string) => {
      if (left !== id) return;
      show(null);
      await thread?.thread.close();
    };
    return {
      ...lists,
      threadId: id ?? undefined,
      isLoading: phase === "loading",
      onSwitchToThread: (id) => show(id),
      onSwitchToNewThread: () => show(null),
      onRename: (id, title) => setTag(id, "title", title),
      onArchive: async (id) => {
        await setTag(id, archivedTag, "true");
        await leave(id);
      },
      onUnarchive: (id) => setTag(id, archivedTag, null),
      onDelete: async (id) => {
        await leave(id);
        await Conversation.delete(id, { store });
      },
    };
  }, [lists, phase, id, thread, show, withConversation, store]);
}

function entryOf<Status extends "regular" | "archived">(
  { id, title, createdAt, updatedAt, executionStatus, eventCount }: ConversationInfo,
  status: Status,
): ExternalStoreThreadData<Status> {
  return { id, status, title: title ?? undefined, custom: { createdAt, updatedAt, executionStatus, eventCount } };
}
