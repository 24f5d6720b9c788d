// The stores that come with the library. Their interface is in types.ts.
import { type CoreConversation, CoreStore } from "../../pkg/threadkeep.js";
import { call, invalidOptions, optionsOf, reading, settle } from "../input/errors.js";
import { load } from "../wasm/wasm.js";
import type { Commit, Listing, Store, StoredEvent } from "./types.js";
export type { Commit, Listing, Store, StoredEvent } from "./types.js";

/**
 * Stores conversations in an IndexedDB database of this origin, which is opened with the first call.
 *
 * By default important data (the user's messages, an action before its tool runs) is committed with durability
 * `"strict"` and the rest `"relaxed"`; `durability` sets it for all commits.
 */
export function indexedDBStore(name = "threadkeep", options: { durability?: "strict" | "relaxed" | undefined } = {}): Store {
  const { durability } = optionsOf("indexedDBStore()", options, "durability");
  nameOfStore(name);
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

/** The name of a store, checked. @internal */
export function nameOfStore(name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw invalidOptions("the name of a store must be a text that is not empty");
}

/** Holds conversations in memory; they are lost when the page closes. */
export function memoryStore(): Store {
  return new OwnStore(undefined, () => CoreStore.memory());
}

/** A store that the wasm implements. */
class OwnStore implements Store {
  readonly name?: string;
  readonly spansConversations = true;
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
    return this.#ask((core) => core.list());
  }

  load(conversation: string): Promise<Listing | undefined> {
    return this.#ask((core) => core.load(text(conversation)));
  }

  async events(conversation: string, start: number, end: number): Promise<StoredEvent[]> {
    const [from, to] = [index(start), index(end)];
    return this.#ask((core) => core.events(text(conversation), from, to));
  }

  indexOf(conversation: string, event: string): Promise<number | undefined> {
    return this.#ask((core) => core.indexOf(text(conversation), text(event)));
  }

  commit(conversation: string, commit: Commit): Promise<void> {
    return this.#ask((core) => core.commit(text(conversation), commit));
  }

  files(conversation: string, folder?: string): Promise<string[]> {
    return this.#ask((core) => core.files(text(conversation), typeof folder === "string" ? folder : undefined));
  }

  readFile(conversation: string, path: string): Promise<Uint8Array | undefined> {
    return this.#ask((core) => core.readFile(text(conversation), text(path)));
  }

  delete(conversation: string): Promise<void> {
    return this.#ask((core) => core.delete(text(conversation)));
  }

  close(): void {
    this.isOpen = false;
    this.#core?.then(
      (core) => core.close(),
      () => undefined,
    );
  }

  async #ask<T>(method: (core: CoreStore) => Promise<T>): Promise<T> {
    const core = await this.core();
    return settle(call(() => method(core)));
  }
}

const databases = new Map<string, OwnStore>();
const hosts = new WeakMap<Store, Promise<CoreStore>>();

/** The wasm's object for a store. @internal */
export async function coreStore(store: Store): Promise<CoreStore> {
  if (reading("store", () => store instanceof OwnStore)) return (store as OwnStore).core();
  const name = checkedStore(store);
  await load();
  const core = hosts.get(store) ?? settle(CoreStore.host(store, name));
  hosts.set(store, core);
  return core.catch((error: unknown) => {
    // A chunk did not load: the next call tries again.
    hosts.delete(store);
    throw error;
  });
}

/** The name of what must be a store. @internal */
export function checkedStore(store: Store): string | undefined {
  const [missing, name] = reading("store", () => [
    methods.find((method) => typeof (store as Store | undefined)?.[method] !== "function"),
    store?.name,
  ]);
  if (missing) throw invalidOptions(`store must be indexedDBStore(), memoryStore() or a Store of your own; it has no ${missing}()`);
  return typeof name === "string" ? name : undefined;
}

/** The store for an export of this conversation, which has no events if it is not stored yet. @internal */
export function exported(store: Store, conversation: string, core: CoreConversation): Store {
  if (core.isStored()) return store;
  const [baseState, at] = [core.state(), Date.now()];
  const load = async (id: string) =>
    (await store.load(id)) ?? (id === conversation ? { conversation, baseState, length: 0, createdAt: at, updatedAt: at } : undefined);
  const others = methods.map((name) => [name, (...args: unknown[]) => (store[name] as (...args: unknown[]) => unknown)(...args)]);
  return { ...Object.fromEntries(others), load };
}

/** Whether it is an `indexedDBStore()`. @internal */
export function isInBrowser(store: Store): boolean {
  return store instanceof OwnStore && store.name !== undefined;
}

/** Whether a commit of the store can have the texts of events as bytes in UTF-8: whether it is one of the library's in the wasm. @internal */
export function takesBytes(store: Store): boolean {
  return store instanceof OwnStore;
}

/** Whether a commit of the store can have files of another conversation; `coreStore()` refuses what is no store. @internal */
export const spansConversations = (store: Store): boolean =>
  reading("store", () => (store as Store | undefined | null)?.spansConversations === true);

/** The methods of a store except for `close`. @internal */
export const storeMethods = ["list", "load", "events", "indexOf", "commit", "files", "readFile", "delete"] as const;
const methods = [...storeMethods, "close"] as const;

/** What is not a text is refused as an id or path, like an empty one. */
const text = (value: unknown) => (typeof value === "string" ? value : "");

function index(value: unknown): number {
  if (typeof value === "number" && value >= 0) return value;
  throw invalidOptions("an index of an event is a number of at least 0");
}
