// Uses of the types of everything that is about the conversations of a store. Compiled, never run.
import {
  Conversation,
  directoryStore,
  emptyTrash,
  encryptedStore,
  memoryStore,
  mirror,
  type requestPersistence,
  restoreMirror,
  search,
  type searchConversations,
  storageStatus,
  updateConversations,
  updateSearchIndex,
  type ConversationChanges,
  type ConversationInfo,
  type ConversationSize,
  type ImportedConversation,
  type ListOptions,
  type Mirror,
  type MirrorFiles,
  type MirrorState,
  type SearchResult,
  type Store,
  type Tool,
} from "threadkeep";
import type { CoreImported } from "../../pkg/threadkeep.js";
import { same } from "./same.js";

export async function use(store: Store, id: string): Promise<void> {
  // What the core says of an import is what the host gets.
  same<Pick<CoreImported, keyof CoreImported>, Pick<ImportedConversation, keyof ImportedConversation>>(true);
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

export async function keepElsewhere(store: Store, folder: FileSystemDirectoryHandle): Promise<void> {
  const place: MirrorFiles = {
    list: async () => [],
    read: async () => undefined,
    write: async (path: string, bytes: Uint8Array<ArrayBuffer>) => void (await fetch(path, { method: "PUT", body: bytes })),
    remove: async () => {},
  };
  const follower = await mirror(store, place, { onChange: ({ status, events }) => void `${status} ${events + 1}`, deletions: "follow" });
  same<typeof follower, Mirror>(true);
  same<typeof follower.state, MirrorState>(true);
  same<Awaited<ReturnType<typeof restoreMirror>>, ImportedConversation[]>(true);
  // @ts-expect-error the state is read only
  follower.state = { ...follower.state };
  // @ts-expect-error nobody writes there
  await mirror(store, { list: place.list, read: place.read });
  const follows = await mirror(memoryStore(), memoryStore(), { onChange: undefined, signal: undefined, deletions: undefined });
  await follows.verify({ onProgress: undefined, signal: undefined });
  await restoreMirror(memoryStore(), { store: undefined, onProgress: undefined, signal: undefined });
  const locked = encryptedStore(directoryStore(folder), { passphrase: "x", lockAfter: 60_000, name: undefined });
  same<Awaited<ReturnType<typeof locked.list>>, Awaited<ReturnType<Store["list"]>>>(true);
  await locked.unlock({ passkey: { name: "Chats" } });
  await locked.setSecret({ passkey: true }, { current: { passphrase: "x" } });
  await locked.removeSecret("passphrase", { current: { passkey: true } });
  same<typeof locked.isLocked, boolean>(true);
  // @ts-expect-error one secret at a time
  await locked.unlock({ passphrase: "x", passkey: false });
  // @ts-expect-error there is no such kind
  await locked.removeSecret("password", { current: { passphrase: "x" } });
}
