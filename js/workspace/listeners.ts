// The listeners of a workspace.
import type { WorkspaceChange } from "./types.js";

type Listener = (change: WorkspaceChange) => void;

export class Watchers {
  readonly #listeners = new Set<{ listener: Listener }>();

  /** Adds a listener, also one that is there already. Returns a function that removes it. */
  add(listener: Listener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls all listeners. The error of a listener does not stop the caller; it surfaces as an uncaught error. */
  notify(path: string, type: WorkspaceChange["type"]): void {
    for (const { listener } of [...this.#listeners]) {
      try {
        listener({ path, type });
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
