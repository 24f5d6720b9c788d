// Uses of the types of everything that is about the conversations of a store. Compiled, never run.
import {
  Conversation,
  emptyTrash,
  type requestPersistence,
  search,
  type searchConversations,
  storageStatus,
  updateConversations,
  updateSearchIndex,
  type ConversationChanges,
  type ConversationInfo,
  type ConversationSize,
  type ListOptions,
  type SearchResult,
  type Store,
  type Tool,
} from "threadkeep";
import { same } from "./same.js";

export async function use(store: Store, id: string): Promise<void> {
  same<Awaited<ReturnType<typeof Conversation.list>>, ConversationInfo[]>(true);
  same<ConversationInfo["pinnedAt" | "archivedAt" | "trashedAt"], Date | null>(true);
  await Conversation.list({ store, subagents: true, trashed: true } satisfies ListOptions);
  same<void, Awaited<ReturnType<typeof updateConversations>>>(true);
  const changes: ConversationChanges = { pinned: true, archived: undefined, trashed: false, tags: { folder: "work", old: null } };
  await updateConversations(id, changes, { store });
  await updateConversations(["one", "other"] as const, { archived: true });
  // @ts-expect-error the library notes the time
  await updateConversations(id, { pinned: new Date() });
  // @ts-expect-error a tag is a text
  await updateConversations(id, { tags: { count: 1 } });
  const deleted: string[] = await emptyTrash({ store, olderThan: 86_400_000, signal: new AbortController().signal });
  deleted.pop();
  // @ts-expect-error it is a number of milliseconds
  await emptyTrash({ olderThan: "30d" });
  same<Awaited<ReturnType<typeof requestPersistence>>, boolean>(true);
  const stored = await storageStatus({ store, signal: new AbortController().signal, conversations: false });
  same<typeof stored.persisted, boolean | null>(true);
  same<typeof stored.quota, number | null>(true);
  same<typeof stored.conversations, ConversationSize[]>(true);
  const sought = await search("x", { store, conversationId: "", limit: 1, perConversation: 1, subagents: true, trashed: false });
  same<typeof sought, SearchResult>(true);
  const [hit] = sought.hits;
  if (hit) same<typeof hit.ranges, Array<[start: number, end: number]>>(true);
  await updateSearchIndex({ store, onProgress: ({ done, total }) => same<number, typeof done | typeof total>(true) });
  same<ReturnType<typeof searchConversations>, Tool>(true);
  // @ts-expect-error hits have an order of their own
  await search("x", { sort: "time" });
  // @ts-expect-error it asks nobody
  await storageStatus({ persist: true });
  const end: () => void = Conversation.onListChange(({ id }) => same<string, typeof id>(true), { store });
  end();
}
