// Stores: where conversations live.
import { CoreStore } from "../pkg/threadkeep.js";
import { invalidOptions } from "./errors.js";
import { load } from "./wasm.js";

/** A place for conversations. Made by `indexedDBStore()` or `memoryStore()`. */
export class Store {
  readonly #open: () => CoreStore;
  #core: CoreStore | undefined;

  /** @internal */
  constructor(open: () => CoreStore) {
    this.#open = open;
  }

  /** @internal */
  async core(): Promise<CoreStore> {
    await load();
    return (this.#core ??= this.#open());
  }
}

const databases = new Map<string, Store>();

/** Conversations in an IndexedDB database of this origin. */
export function indexedDBStore(name = "threadkeep", options: { durability?: "strict" | "relaxed" } = {}): Store {
  const key = `${options.durability ?? ""}:${name}`;
  const store = databases.get(key) ?? new Store(() => CoreStore.indexedDb(name, options.durability));
  databases.set(key, store);
  return store;
}

/** Conversations that live as long as the page. */
export function memoryStore(): Store {
  return new Store(() => CoreStore.memory());
}

/** @internal */
export async function coreStore(store: Store): Promise<CoreStore> {
  if (!(store instanceof Store)) throw invalidOptions("store must be what indexedDBStore() or memoryStore() returns");
  return store.core();
}
