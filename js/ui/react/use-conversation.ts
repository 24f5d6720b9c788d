// The hook for a conversation.
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { type Thread, type ThreadOptions, type ThreadSnapshot, openingSnapshot } from "../thread/index.js";
import { HeldThread, type ThreadActions } from "./held.js";

/** The fields of the snapshot, and the functions of the thread, which are the same objects at every render. */
export type UseConversation = ThreadSnapshot & ThreadActions & Pick<Thread, "subscribe"> & { getSnapshot(): ThreadSnapshot };

/**
 * Opens a conversation for as long as the component is mounted, and renders the component again when something changes.
 *
 * Another `conversationId` or store opens another conversation. All other options are read when a conversation is opened, so
 * they may be made anew at every render: to change one later, use the methods of `conversation`, such as `switchLLM()`.
 * Without a `conversationId` it is a new conversation, whose id is `conversationId` of the result; giving that id from then
 * on changes nothing. On a server the phase is `"opening"`.
 */
export function useConversation(options: ThreadOptions): UseConversation {
  const { conversationId = null, store } = options;
  const [before, hold] = useState(() => new HeldThread(conversationId, store));
  let held = before;
  // In the middle of the rendering, so that nothing of the other conversation is shown.
  if (!held.isFor(conversationId, store)) hold((held = new HeldThread(conversationId, store)));
  useEffect(() => held.give(conversationId), [held, conversationId]);
  // The other options apply when a conversation is opened.
  useEffect(() => held.open(options), [held]);
  const snapshot = useSyncExternalStore(held.subscribe, held.getSnapshot, () => openingSnapshot);
  return useMemo(() => ({ ...snapshot, ...held.actions, subscribe: held.subscribe, getSnapshot: held.getSnapshot }), [snapshot, held]);
}
