// Stores: where conversations live. The contract for a store of your own, and the two that come with the library.
import { CoreStore } from "../pkg/threadkeep.js";
import { call, invalidOptions, optionsOf, reading, settle } from "./errors.js";
import { load } from "./wasm.js";

/** A conversation without its events. */
export interface Listing {
  /** The conversation's id: a UUID with dashes. */
  conversation: string;
  /** The text of `base_state.json`. */
  baseState: string;
  /** How many events the log has. */
  length: number;
  /** `at` of the first commit, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** `at` of the last commit. */
  updatedAt: number;
}

/** An event as it is stored. */
export interface StoredEvent {
  /** Its place in the log. */
  index: number;
  /** The id in its file name: hex digits and dashes, at least eight. */
  id: string;
  /** The exact text of its file. */
  json: string;
}

/** One atomic change to a conversation. Applied in the order of the fields. */
export interface Commit {
  /** The log's length as the writer knows it; 0 for a conversation that does not exist. */
  expectedLength: number;
  /**
   * `createdAt` of the conversation that the writer knows, which is the `at` of the commit that made it: it may have been
   * deleted and made anew since. Left out, any conversation of this id is meant.
   */
  createdAt?: number;
  /** Cuts the log to this length first, if it is longer. */
  truncateTo?: number;
  /** Appended in this order. */
  events: Array<{ id: string; json: string }>;
  /** Replaces the text of `base_state.json`. */
  baseState?: string;
  /** Further files: new content, or `null` to remove. The last word on a path counts. */
  files: Array<{ path: string; content: Uint8Array | null }>;
  /** When this happened, in milliseconds since the Unix epoch; never moves `updatedAt` backwards. */
  at: number;
  /** What the completed commit survives: `"strict"` a power cut, `"relaxed"` the death of the process. */
  durability: "strict" | "relaxed";
}

/**
 * Keeps conversations: names and bytes, no meanings. Implement it to keep them elsewhere, and run the suite of
 * `threadkeep/testing` on what you wrote. The contract:
 *
 * - **A commit is one transaction.** All of it is kept or none, also when the process dies, and the promise
 *   resolves only once it is kept.
 * - **One log, compared and swapped.** If the log does not have `expectedLength` events, or the commit has a `createdAt`
 *   and the conversation another one, `commit` changes nothing and rejects with an error whose `code` is
 *   `"locked_elsewhere"`.
 * - **The log has no gaps**: the events are `0..length`, and an event never changes.
 * - **A conversation exists once it has a base state.** Before that `load` and `list` do not know it, which is how
 *   an import stays invisible until its last commit. What never gets one may be cleared away after a day.
 * - **Reading what is not there** is no error, and the log of a deleted conversation has the length 0.
 * - **Cost.** `load`, `commit`, `events` and `indexOf` cost what they carry, not what the log holds.
 *
 * A failure is an error with a `code`: `"locked_elsewhere"` for a conflict, `"store_quota"` for a full storage,
 * `"store_blocked"` for a database that another tab keeps, `"invalid_state"` after `close()`, `"store_corrupt"` for
 * what cannot be read. `ThreadkeepError` has such a code; anything else that is thrown is passed on by its name and
 * message. A method that has not settled after half a minute has
 * failed with `"store_blocked"` for its caller.
 */
export interface Store {
  /**
   * The same for all stores that share their conversations, in any tab: two writers of one conversation are kept
   * apart by it. Without a name they are kept apart only if they use this very object.
   */
  readonly name?: string | undefined;
  /** Every conversation, in any order, without reading events. */
  list(): Promise<Listing[]>;
  /** The base state and the log's length, or `undefined` if there is no such conversation. */
  load(conversation: string): Promise<Listing | undefined>;
  /** The events from `start` up to, not including, `end`, ascending; indices beyond the end are left out. */
  events(conversation: string, start: number, end: number): Promise<StoredEvent[]>;
  /** The index of the first event with this id. */
  indexOf(conversation: string, event: string): Promise<number | undefined>;
  /** Applies all of `commit` or nothing. */
  commit(conversation: string, commit: Commit): Promise<void>;
  /** The further files' paths, in any order. */
  files(conversation: string): Promise<string[]>;
  /** One further file. */
  readFile(conversation: string, path: string): Promise<Uint8Array | undefined>;
  /** Removes the conversation with its log and its files, in one transaction; nothing happens if there is none. */
  delete(conversation: string): Promise<void>;
  /** Lets go of connections. Later calls reject with the code `"invalid_state"`. */
  close(): void;
}

/**
 * Conversations in an IndexedDB database of this origin, which is opened with the first call.
 *
 * By default what would hurt to lose (what the user wrote, an action before its tool runs) is committed
 * `"strict"`ly and the rest `"relaxed"`; `durability` decides for all of it.
 */
export function indexedDBStore(name = "threadkeep", options: { durability?: "strict" | "relaxed" | undefined } = {}): Store {
  const { durability } = optionsOf("indexedDBStore()", options, "durability");
  if (typeof name !== "string" || name === "") throw invalidOptions("the name of a store must be a text that is not empty");
  if (durability !== undefined && durability !== "strict" && durability !== "relaxed") {
    throw invalidOptions('durability must be "strict" or "relaxed"');
  }
  const key = JSON.stringify([name, durability]);
  const known = databases.get(key);
  if (known?.isOpen) return known;
  const store = new OwnStore(name, () => CoreStore.indexedDb(name, durability));
  databases.set(key, store);
  return store;
}

/** Conversations that live as long as the page. */
export function memoryStore(): Store {
  return new OwnStore(undefined, () => CoreStore.memory());
}

/** A store that the library itself implements. */
class OwnStore implements Store {
  readonly name?: string;
  isOpen = true;
  readonly #make: () => CoreStore | Promise<CoreStore>;
  #core: Promise<CoreStore> | undefined;

  constructor(name: string | undefined, make: () => CoreStore | Promise<CoreStore>) {
    if (name !== undefined) this.name = name;
    this.#make = make;
  }

  async core(): Promise<CoreStore> {
    await load();
    this.#core ??= settle(Promise.resolve(call(this.#make)));
    try {
      const core = await this.#core;
      if (!this.isOpen) core.close();
      return core;
    } catch (error) {
      // A chunk did not load: the next call tries again.
      this.#core = undefined;
      throw error;
    }
  }

  list(): Promise<Listing[]> {
    return this.#ask("list");
  }

  load(conversation: string): Promise<Listing | undefined> {
    return this.#ask("load", conversation);
  }

  async events(conversation: string, start: number, end: number): Promise<StoredEvent[]> {
    return this.#ask("events", conversation, index(start), index(end));
  }

  indexOf(conversation: string, event: string): Promise<number | undefined> {
    return this.#ask("indexOf", conversation, event);
  }

  commit(conversation: string, commit: Commit): Promise<void> {
    return this.#ask("commit", conversation, commit);
  }

  files(conversation: string): Promise<string[]> {
    return this.#ask("files", conversation);
  }

  readFile(conversation: string, path: string): Promise<Uint8Array | undefined> {
    return this.#ask("readFile", conversation, path);
  }

  delete(conversation: string): Promise<void> {
    return this.#ask("delete", conversation);
  }

  close(): void {
    this.isOpen = false;
    this.#core?.then((core) => core.close(), () => undefined);
  }

  async #ask<T>(method: (typeof methods)[number], ...args: unknown[]): Promise<T> {
    const core = await this.core();
    return (await settle(call(() => core.call(method, args)))) as T;
  }
}

const databases = new Map<string, OwnStore>();
const hosts = new WeakMap<Store, Promise<CoreStore>>();

/** The wasm's handle on a store. @internal */
export async function coreStore(store: Store): Promise<CoreStore> {
  if (reading("store", () => store instanceof OwnStore)) return (store as OwnStore).core();
  const [missing, name] = reading("store", () => [methods.find((method) => typeof (store as Store | undefined)?.[method] !== "function"), store?.name]);
  if (missing) throw invalidOptions(`store must be indexedDBStore(), memoryStore() or a Store of your own; it has no ${missing}()`);
  await load();
  const core = hosts.get(store) ?? settle(CoreStore.host(store, typeof name === "string" ? name : undefined));
  hosts.set(store, core);
  return core.catch((error: unknown) => {
    // A chunk did not load: the next call tries again.
    hosts.delete(store);
    throw error;
  });
}

/** Whether it is a database of the browser. @internal */
export function isInBrowser(store: Store): boolean {
  return store instanceof OwnStore && store.name !== undefined;
}

const methods = ["list", "load", "events", "indexOf", "commit", "files", "readFile", "delete", "close"] as const;

function index(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw invalidOptions("an index of an event is a number of at least 0");
}
