// The conversations of a store, for a list beside the chat.
import { Conversation, type Store, type ThreadkeepError } from "threadkeep";
import { objectOf } from "./given.js";
import { isSameList } from "./transcript.js";
import type { ConversationList, ConversationListSnapshot } from "./types.js";

/** While changes come one after another, the list is read again after so many times as long as reading it takes. */
const rest = 4;

/**
 * The conversations of a store, newest first, without those of sub-agents. It is read with the first subscription, and again
 * when a conversation was created, renamed, continued or deleted, also by another tab. `store` is `indexedDBStore()` by default.
 * While changes come one after another, a long list is read at intervals; `refresh()` reads it at once.
 * With `trashed: true` they are those in the trash, and otherwise all others.
 */
export function conversationList(options: { store?: Store | undefined; trashed?: boolean | undefined } = {}): ConversationList {
  const { store, trashed } = objectOf("conversationList()", "options", options);
  const listeners = new Set<() => void>();
  let snapshot: ConversationListSnapshot = { phase: "loading", conversations: [], error: null };
  let stop: (() => void) | undefined;
  let reading: Promise<void> | null = null;
  let isOutdated = false;
  /** When the list may be read again without being asked for. */
  let restsUntil = 0;
  let isSoon = false;

  const show = (next: ConversationListSnapshot) => {
    snapshot = next;
    for (const listener of [...listeners]) listener();
  };
  const read = async () => {
    const begun = performance.now();
    try {
      const conversations = await Conversation.list({ store, trashed });
      const known = new Map(snapshot.conversations.map((info) => [info.id, info]));
      const next = conversations.map((info) => same(known.get(info.id), info));
      if (snapshot.phase !== "ready" || !isSameList(next, snapshot.conversations))
        show({ phase: "ready", conversations: next, error: null });
    } catch (error) {
      show({ phase: "failed", conversations: snapshot.conversations, error: error as ThreadkeepError });
    }
    const now = performance.now();
    restsUntil = now + rest * (now - begun);
  };
  /** One reading at a time; a change during one leads to another one. */
  const refresh = (): Promise<void> => {
    isOutdated = true;
    reading ??= (async () => {
      while (isOutdated) {
        isOutdated = false;
        await read();
      }
      reading = null;
    })();
    return reading;
  };

  const changed = async () => {
    if (isSoon) return;
    isSoon = true;
    await reading;
    setTimeout(() => {
      isSoon = false;
      if (listeners.size > 0) void refresh();
    }, restsUntil - performance.now());
  };

  return {
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      if (listeners.size === 1) {
        const end = Conversation.onListChange(() => void changed(), { store });
        // A page that was not in front may not have been told.
        globalThis.document?.addEventListener("visibilitychange", refresh);
        stop = () => {
          end();
          globalThis.document?.removeEventListener("visibilitychange", refresh);
        };
        void refresh();
      }
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stop?.();
      };
    },
    getSnapshot: () => snapshot,
    refresh,
  };
}

/** The entry as it was, if nothing about it has changed. */
function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
