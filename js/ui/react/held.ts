// The thread that a component has open: opened when the component is mounted, closed when it is unmounted.
import type { Store } from "threadkeep";
import { type Thread, type ThreadOptions, type ThreadSnapshot, openThread, openingSnapshot } from "../thread/index.js";

/** The functions of a thread that a component may call. */
export type ThreadActions = Omit<Thread, "subscribe" | "getSnapshot" | "opened" | "close">;

/** The names of all of them: one that is missing here does not compile. */
const names = Object.keys({
  send: true,
  resume: true,
  stop: true,
  pause: true,
  retryNow: true,
  approve: true,
  reject: true,
  editAction: true,
  alwaysAllow: true,
  regenerate: true,
  editMessage: true,
  removeMessage: true,
  branches: true,
  navigateTo: true,
  showVersion: true,
  loadEarlier: true,
} satisfies Record<keyof ThreadActions, true>) as ReadonlyArray<keyof ThreadActions>;

/** Stores of the same name hold the same conversations. */
export const scopeOf = (store: Store | undefined): unknown => store?.name ?? store;

export class HeldThread {
  /** The functions of the thread, the same objects all the time. Called before it is opened, they wait. */
  readonly actions: ThreadActions;
  readonly #scope: unknown;
  readonly #listeners = new Set<() => void>();
  /** The id that the component has given last. */
  #given: string | null;
  /** The id of the conversation: the given one, or after the first opening that of a new one. */
  #id: string | null;
  #thread: Thread | null = null;
  #resolve!: () => void;
  readonly #opened = new Promise<void>((resolve) => (this.#resolve = resolve));

  constructor(id: string | null, store: Store | undefined) {
    this.#given = this.#id = id;
    this.#scope = scopeOf(store);
    const action =
      (name: keyof ThreadActions) =>
      (...args: unknown[]) => {
        // StrictMode closes the first thread at once, so the one that counts is that of the moment of the call.
        const call = () => (this.#thread![name] as (...args: unknown[]) => unknown)(...args);
        return this.#thread ? call() : this.#opened.then(call);
      };
    this.actions = Object.fromEntries(names.map((name) => [name, action(name)])) as object as ThreadActions;
  }

  /** Whether it is the thread of this conversation. A component may give the id of the new conversation once it knows it. */
  isFor(id: string | null, store: Store | undefined): boolean {
    return (id === this.#given || (id !== null && id === this.#id)) && scopeOf(store) === this.#scope;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  getSnapshot = (): ThreadSnapshot => this.#thread?.getSnapshot() ?? openingSnapshot;

  /** Opens the thread, and returns a function that closes it. */
  open(options: ThreadOptions): () => void {
    const thread = openThread({ ...options, conversationId: this.#id });
    this.#id = thread.getSnapshot().conversationId;
    this.#thread = thread;
    const changed = () => this.#listeners.forEach((listener) => listener());
    const unsubscribe = thread.subscribe(changed);
    this.#resolve();
    changed();
    return () => {
      unsubscribe();
      void thread.close().catch(() => {});
    };
  }

  /** Remembers the id that the component gives now. */
  give(id: string | null): void {
    this.#given = id;
  }
}
