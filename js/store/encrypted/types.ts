// The types of an encrypted store.
import type { Store } from "../store.js";

/**
 * A secret that opens an encrypted store: a passphrase, or a passkey of the device. `name` is shown when a passkey is made; by default
 * it is the host name of the page. A passkey needs a page, and is asked for in the handler of a click.
 */
export type StoreSecret = { passphrase: string } | { passkey: true | { name: string } };

/** The options of `encryptedStore()`. */
export interface EncryptedStoreOptions {
  /**
   * The passphrase, used with the first call and then forgotten. It becomes that of an empty store. Without `passphrase` and `passkey`
   * the store is locked until `unlock()`.
   */
  passphrase?: string | undefined;
  /** As `passphrase`: the user is asked for the passkey with the first call, so make that in the handler of a click. */
  passkey?: true | { name: string } | undefined;
  /** After so many milliseconds without a call it is locked. Default: it stays open as long as the page. */
  lockAfter?: number | undefined;
  /** The name of the store (`Store.name`). Default: made of that of the inner one. */
  name?: string | undefined;
}

/** A store whose rows are sealed. */
export interface EncryptedStore extends Store {
  /** Whether it is locked, or was not opened yet: then each call fails with `permission_required`, or opens it with the secret given. */
  readonly isLocked: boolean;
  /**
   * Opens it; the secret of an empty store becomes its secret.
   * @throws ThreadkeepError `permission_required` for a secret that does not open it, and if the user has declined; `store_unavailable`
   * where there is no WebCrypto or no such passkey, and if the inner store has conversations that are not sealed; `store_corrupt` if its
   * record of keys was changed
   */
  unlock(secret: StoreSecret): Promise<void>;
  /** Forgets the keys, here and in all tabs; what is being stored is completed. */
  lock(): void;
  /**
   * Stores another secret in the place of the one of its kind, or beside one of the other kind. No row is written again. Whoever has a
   * copy of the disk from before, and the secret from before, can still open everything that is written with the store's key.
   */
  setSecret(secret: StoreSecret, options: { current: StoreSecret }): Promise<void>;
  /** Removes the secret of a kind, if it is not the only one. */
  removeSecret(kind: "passphrase" | "passkey", options: { current: StoreSecret }): Promise<void>;
  /** Calls `listener` when it was locked or opened. Returns the function that ends this. */
  onLockChange(listener: (isLocked: boolean) => void): () => void;
}
