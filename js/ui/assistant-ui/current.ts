// The conversation that the runtime shows: opened with it, and closed when the user has left it and it runs no more.
import { type AppendMessage, MessageNotSentError, type ThreadMessage } from "@assistant-ui/react";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Conversation, ThreadkeepError } from "threadkeep";
import { scopeOf } from "../react/held.js";
import { openingSnapshot } from "../thread/snapshot.js";
import { openThread } from "../thread/thread.js";
import type { Thread } from "../thread/types.js";
import { contentOfAppended } from "./attachments.js";
import { type ThreadkeepRuntimeOptions, split } from "./options.js";
import { ThreadView, type View } from "./view.js";

export interface Current {
  id: string | null;
  /** `null` for a new conversation, and until it is opened. */
  thread: ThreadView | null;
  view: View;
  /** The first message of a conversation that is being created. */
  first: ThreadMessage | null;
  /** The failure of the last message, if it was sent before there was a conversation. */
  error: ThreadkeepError | null;
  show(id: string | null): void;
  /** Sends a message; in a new conversation it creates the conversation. @throws MessageNotSentError if it is not stored */
  send(message: AppendMessage): Promise<void>;
  /** Stops the run, also that of a conversation that is being created. */
  stop(): Promise<void>;
  /** Opens this conversation for an action, if it is not open. */
  withConversation<T>(id: string, action: (conversation: Conversation) => Promise<T>): Promise<T>;
}

const opening: View = { snapshot: openingSnapshot, repository: { headId: null, messages: [] }, kept: undefined };
const newConversation: View = { ...opening, snapshot: { ...openingSnapshot, phase: "open" } };
const never = () => () => {};

export function useCurrent(options: ThreadkeepRuntimeOptions): Current {
  const { conversationId } = split(options).ui;
  const [id, setId] = useState(conversationId);
  const [held, hold] = useState<{ id: string; thread: ThreadView } | null>(null);
  const [first, setFirst] = useState<ThreadMessage | null>(null);
  const [error, setError] = useState<ThreadkeepError | null>(null);
  const [threads] = useState(() => new OpenThreads());
  const latest = useRef({ options, id });
  const beginning = useRef<Promise<Thread> | null>(null);
  useEffect(() => void (latest.current = { options, id }));
  useEffect(() => setId(conversationId), [conversationId]);

  useEffect(() => {
    if (id === null) return undefined;
    const thread = threads.take(id) ?? openThread({ ...split(latest.current.options).conversation, conversationId: id });
    const view = new ThreadView(thread);
    hold({ id, thread: view });
    return () => {
      view.end();
      threads.leave(thread);
    };
  }, [id, scopeOf(options.store), threads]);
  useEffect(() => () => threads.close(), [threads]);

  const thread = held !== null && held.id === id ? held.thread : null;
  const empty = id === null ? newConversation : opening;
  const view = useSyncExternalStore(thread?.subscribe ?? never, thread?.getView ?? (() => empty), () => empty);

  const show = useCallback((next: string | null) => {
    setError(null);
    setId(next);
    if (next !== latest.current.id) split(latest.current.options).ui.onConversationChange?.(next);
  }, []);

  const begin = useCallback(
    async (message: AppendMessage) => {
      setError(null);
      setFirst({ ...message, id: "first" } as ThreadMessage);
      try {
        const opened = await (beginning.current = created(latest.current.options, message));
        threads.give(opened);
        if (latest.current.id === null) show(opened.getSnapshot().conversationId);
        else threads.leave(opened);
      } catch (error) {
        setError(error as ThreadkeepError);
        throw error;
      } finally {
        beginning.current = null;
        setFirst(null);
      }
    },
    [show, threads],
  );

  const stop = useCallback(async () => (thread?.thread ?? (await beginning.current))?.stop(), [thread]);

  const send = useCallback(
    async (message: AppendMessage) => {
      try {
        if (thread === null) await begin(message);
        else await thread.thread.send(contentOfAppended(message), { pending: split(latest.current.options).ui.pending });
      } catch (error) {
        // The composer takes the text back.
        throw new MessageNotSentError(error instanceof Error ? error.message : String(error));
      }
    },
    [thread, begin],
  );

  const withConversation = useCallback(async <T>(id: string, action: (conversation: Conversation) => Promise<T>) => {
    const opened = openThread({ ...split(latest.current.options).conversation, conversationId: id });
    try {
      return await action(await opened.opened());
    } finally {
      await opened.close();
    }
  }, []);

  return { id, thread, view, first, error, show, send, stop, withConversation };
}

/** A new conversation with its first message. If the message is not stored, nothing is left. */
async function created(options: ThreadkeepRuntimeOptions, message: AppendMessage): Promise<Thread> {
  const thread = openThread(split(options).conversation);
  try {
    await thread.send(contentOfAppended(message));
    return thread;
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** Threads that are open and not shown. */
class OpenThreads {
  readonly #left = new Set<Thread>();
  #given: Thread | null = null;

  /** Keeps a thread until the view of its conversation takes it. */
  give(thread: Thread): void {
    this.#given = thread;
  }

  take(conversationId: string): Thread | null {
    const thread = this.#given;
    if (thread?.getSnapshot().conversationId !== conversationId) return null;
    this.#given = null;
    return thread;
  }

  /** Closes a thread once its run has ended: going to another conversation does not stop an answer. */
  leave(thread: Thread): void {
    if (this.#given === thread) this.#given = null;
    this.#left.add(thread);
    const unsubscribe = thread.subscribe(() => closeIfIdle());
    const closeIfIdle = () => {
      if (thread.getSnapshot().isRunning) return;
      unsubscribe();
      this.#left.delete(thread);
      void thread.close().catch(() => {});
    };
    closeIfIdle();
  }

  /** Closes all of them. */
  close(): void {
    for (const thread of [...this.#left, ...(this.#given ? [this.#given] : [])]) void thread.close().catch(() => {});
    this.#left.clear();
    this.#given = null;
  }
}
