// The thread of a conversation that is created with its first message, so that an unused one is never stored.

import type { Content, FileContent, Image } from "threadkeep";
import { openingSnapshot, type Thread } from "threadkeep/thread";
import { settings } from "../settings/settings.ts";

const here: ReturnType<Thread["getSnapshot"]> = {
  ...openingSnapshot,
  phase: "open",
  conversationId: "new",
  access: "writer",
  home: "here",
};

/** The same object as long as it is about the same place. */
const onServer: typeof here = { ...here, home: "server", access: "follower" };

/** `create` opens the conversation; its failure rejects `send()`, which then can be called again. */
export function nextThread(create: (title: string) => Promise<Thread>): Thread {
  let thread: Thread | null = null;
  const listeners = new Map<() => void, () => void>();
  const opened = (): Thread => {
    if (thread === null) throw new Error("the conversation begins with its first message");
    return thread;
  };
  const begin = async (message: string | ReadonlyArray<Content | FileContent | Image>): Promise<Thread> => {
    if (thread !== null) return thread;
    thread = await create(titleFrom(message));
    for (const listener of listeners.keys()) listeners.set(listener, thread.subscribe(listener));
    return thread;
  };
  return {
    subscribe(listener) {
      const own = (): void => listener();
      listeners.set(own, thread?.subscribe(own) ?? (() => undefined));
      return () => {
        listeners.get(own)?.();
        listeners.delete(own);
      };
    },
    getSnapshot: () => thread?.getSnapshot() ?? (settings().agentServer !== null && settings().beginsOnServer ? onServer : here),
    opened: async () => opened().opened(),
    send: async (message, options) => (await begin(message)).send(message, options),
    resume: () => opened().resume(),
    stop: () => opened().stop(),
    pause: () => opened().pause(),
    retryNow: () => opened().retryNow(),
    approve: (ids) => opened().approve(ids),
    reject: (reason, ids) => opened().reject(reason, ids),
    editAction: (id, args) => opened().editAction(id, args),
    alwaysAllow: (tool) => opened().alwaysAllow(tool),
    regenerate: () => opened().regenerate(),
    editMessage: (id, message) => opened().editMessage(id, message),
    removeMessage: (id) => opened().removeMessage(id),
    branches: () => opened().branches(),
    navigateTo: (id) => opened().navigateTo(id),
    showVersion: (id) => opened().showVersion(id),
    loadEarlier: (options) => opened().loadEarlier(options),
    close: async () => thread?.close(),
  };
}

function titleOf(part: Content | FileContent | Image): string | undefined {
  if (part instanceof Blob) return undefined;
  return part.type === "text" ? part.text : part.type === "file" ? part.name : undefined;
}

const TITLE_LENGTH = 60;

function titleFrom(message: string | ReadonlyArray<Content | FileContent | Image>): string {
  const line = (typeof message === "string" ? message : (message.map(titleOf).find(Boolean) ?? "An image")).split("\n")[0]!.trim();
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).replace(/\s+\S*$/, "")}…`;
}
