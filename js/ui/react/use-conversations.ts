// The hook for a list of conversations.
import { useMemo, useSyncExternalStore } from "react";
import type { Store } from "threadkeep";
import { type ConversationList, type ConversationListSnapshot, conversationList } from "../thread/index.js";
import { scopeOf } from "./held.js";

export type UseConversations = ConversationListSnapshot & Pick<ConversationList, "refresh">;

const loading: ConversationListSnapshot = { phase: "loading", conversations: [], error: null };

/** The conversations of a store, newest first, always up to date. `store` is `indexedDBStore()` by default. On a server it is `"loading"`. */
export function useConversations({ store }: { store?: Store | undefined } = {}): UseConversations {
  const list = useMemo(() => conversationList({ store }), [scopeOf(store)]);
  const snapshot = useSyncExternalStore(list.subscribe, list.getSnapshot, () => loading);
  return useMemo(() => ({ ...snapshot, refresh: list.refresh }), [snapshot, list]);
}
