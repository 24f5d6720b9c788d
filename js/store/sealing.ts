// The key with which the search index of a store is sealed, for stores that seal their rows.
import type { Store } from "./store.js";

/** @internal */
export interface Sealing {
  /** The store that holds the rows. */
  readonly inner: Store;
  /** A key for AES-GCM, not extractable. Rejects while the store is locked. */
  indexKey(): Promise<CryptoKey>;
  /** `listener` is called when the store is locked: the key must be forgotten then. Returns the function that ends this. */
  onLock(listener: () => void): () => void;
}

/** The sealed stores. @internal */
export const sealings = new WeakMap<Store, Sealing>();
