// The thread of a conversation that is opened with its first message: until then nothing of the library is loaded.

import { openingSnapshot, type Thread } from "threadkeep/thread";
import { settings } from "../settings/settings.ts";

type Snapshot = ReturnType<Thread["getSnapshot"]>;

/** The same object as long as it is about the same place. */
const here: Snapshot = { ...openingSnapshot, phase: "open", conversationId: "new", access: "writer", home: "here" };
const onServer: Snapshot = { ...here, home: "server", access: "follower" };

/** `create` opens the conversation; its failure rejects `send()`, which then can be called again. */
export function nextThread(create: () => Promise<Thread>): Thread {
  let thread: Thread | null = null;
  const listeners = new Map<() => void, () => void>();
  const own: Partial<Thread> = {
    subscribe(listener) {
      const key = (): void => listener();
      listeners.set(key, thread?.subscribe(key) ?? (() => undefined));
      return () => {
        listeners.get(key)?.();
        listeners.delete(key);
      };
    },
    getSnapshot: () => thread?.getSnapshot() ?? (settings().agentServer !== null && settings().beginsOnServer ? onServer : here),
    async send(message, options) {
      if (thread === null) {
        thread = await create();
        for (const listener of listeners.keys()) listeners.set(listener, thread.subscribe(listener));
      }
      return thread.send(message, options);
    },
    close: async () => thread?.close(),
  };
  // Before the first message there is nothing that anything else could be done with.
  return new Proxy(own as Thread, { get: (_, name: keyof Thread) => own[name] ?? thread?.[name] });
}
