// One tab at a time mirrors a store to a place: the one that holds a Web Lock. The others show its state, and ask it to catch up.
import { newId } from "../../input/arguments.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { MirrorState } from "../types.js";

/** The words of tabs to each other. An error is its code and message. */
type Message = { state: Told } | { hello: true } | { ask: string } | { done: string; error?: [code: string, message: string] };
type Told = Omit<MirrorState, "error"> & { error: [code: string, message: string] | null };

interface Holder {
  /** This tab is the one that mirrors, from now on or no longer. */
  lead(isLeader: boolean): void;
  /** The state of the tab that mirrors. */
  shown(state: MirrorState): void;
  state(): MirrorState;
  catchUp(): Promise<void>;
}

/** After a lock was taken away, as from a page that was left and is shown again, this many milliseconds pass before the next attempt. */
const again = 1_000;

export class Tabs {
  isLeader = false;
  readonly #holder: Holder;
  readonly #channel: BroadcastChannel | undefined;
  readonly #over = new AbortController();
  readonly #asked = new Map<string, { resolve(): void; reject(error: unknown): void }>();

  /** @param key The same in all tabs for the same store and place; without it, each tab works for itself. */
  constructor(key: string | undefined, holder: Holder) {
    this.#holder = holder;
    const locks = globalThis.navigator?.locks;
    if (key === undefined || !locks) {
      queueMicrotask(() => this.#lead(true));
      return;
    }
    const name = `threadkeep-mirror:${key}`;
    if (typeof BroadcastChannel === "function") {
      this.#channel = new BroadcastChannel(name);
      // In Node it would keep the process alive.
      (this.#channel as { unref?(): void }).unref?.();
      this.#channel.onmessage = ({ data }) => this.#hear(data);
      this.#say({ hello: true });
    }
    void this.#hold(locks, name);
  }

  tell(): void {
    if (this.isLeader) this.#say({ state: told(this.#holder.state()) });
  }

  /** Catches up, in the tab that mirrors; if that ends meanwhile, in the next one. */
  async catchUp(): Promise<void> {
    if (this.isLeader) return this.#holder.catchUp();
    const id = newId();
    const done = new Promise<void>((resolve, reject) => this.#asked.set(id, { resolve, reject }));
    this.#say({ ask: id });
    return done;
  }

  close(): void {
    this.#over.abort();
    this.isLeader = false;
    this.#channel?.close();
    const closed = new ThreadkeepError("invalid_state", "the mirror was closed");
    for (const { reject } of this.#asked.values()) reject(closed);
    this.#asked.clear();
  }

  async #hold(locks: LockManager, name: string): Promise<void> {
    const { signal } = this.#over;
    const over = new Promise((resolve) => signal.addEventListener("abort", resolve));
    while (!signal.aborted) {
      try {
        await locks.request(name, { signal }, () => {
          this.#lead(true);
          return over;
        });
      } catch {
        this.#lead(false);
        await new Promise((resolve) => setTimeout(resolve, again));
      }
    }
  }

  #lead(isLeader: boolean): void {
    if (this.#over.signal.aborted || isLeader === this.isLeader) return;
    this.isLeader = isLeader;
    this.#holder.lead(isLeader);
    if (!isLeader) return;
    // Other tabs ask again, as who was asked may have died.
    this.#say({ hello: true });
    for (const [id, { resolve, reject }] of this.#asked) {
      this.#asked.delete(id);
      this.#holder.catchUp().then(resolve, reject);
    }
  }

  #say(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #hear(message: Message): void {
    if (this.#over.signal.aborted) return;
    if ("state" in message && !this.isLeader) {
      const { error, ...state } = message.state;
      this.#holder.shown({ ...state, error: error && errorOf(error) });
    }
    if ("hello" in message) {
      this.tell();
      if (!this.isLeader) for (const id of this.#asked.keys()) this.#say({ ask: id });
    }
    if ("ask" in message && this.isLeader) {
      const done = message.ask;
      this.#holder.catchUp().then(
        () => this.#say({ done }),
        (error: ThreadkeepError) => this.#say({ done, error: [error.code, error.message] }),
      );
    }
    if ("done" in message) {
      const asked = this.#asked.get(message.done);
      this.#asked.delete(message.done);
      if (message.error) asked?.reject(errorOf(message.error));
      else asked?.resolve();
    }
  }
}

function told({ error, ...state }: MirrorState): Told {
  return { ...state, error: error && [error.code, error.message] };
}

function errorOf([code, message]: [string, string]): ThreadkeepError {
  return new ThreadkeepError(code as ThreadkeepError["code"], message);
}
