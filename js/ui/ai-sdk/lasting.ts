// A handle on a conversation that lasts, also when the chat is opened again with another agent: whoever got the first handle keeps
// one that works.
import type { Conversation, VersionedWorkspace } from "threadkeep";

/** Something that is begun on each handle, and ended with it or by whoever began it. */
interface Kept {
  begin(conversation: Conversation): () => void;
  end(): void;
}

export class LastingHandle {
  /** The conversation, whichever handle is open. Subscriptions and watches go on with the next one. */
  readonly conversation: Conversation;
  #current: Conversation;
  readonly #kept = new Set<Kept>();

  constructor(first: Conversation) {
    this.#current = first;
    const workspace = forwarding<VersionedWorkspace>(first.workspace, () => this.#current.workspace, {
      watch: (listener) => this.#keep((conversation) => conversation.workspace.watch(listener)),
    });
    this.conversation = forwarding<Conversation>(first, () => this.#current, {
      workspace,
      subscribe: (listener) => this.#keep((conversation) => conversation.subscribe(listener)),
    });
  }

  /** Goes on with the next handle on the same conversation. */
  follow(next: Conversation): void {
    this.#current = next;
    for (const kept of this.#kept) kept.end = kept.begin(next);
  }

  #keep(begin: Kept["begin"]): () => void {
    const kept: Kept = { begin, end: begin(this.#current) };
    this.#kept.add(kept);
    return () => void (this.#kept.delete(kept) && kept.end());
  }
}

/** An object of the class of `first` that has the members `own`, and otherwise those of what is current. */
function forwarding<T extends object>(first: T, current: () => T, own: Partial<T>): T {
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(first, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof T];
      // Read on the object itself, because only that has its private fields.
      const value: unknown = Reflect.get(current(), name);
      if (typeof value !== "function" || name === "constructor") return value;
      const method =
        methods.get(name) ??
        ((...args: unknown[]) => (Reflect.get(current(), name) as (...args: unknown[]) => unknown).apply(current(), args));
      methods.set(name, method);
      return method;
    },
  });
}
