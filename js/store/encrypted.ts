// A store that seals what another one holds. Its code is loaded with its first call.
import { isFunction } from "../input/arguments.js";
import { invalidOptions, optionsOf } from "../input/errors.js";
import { part } from "../wasm/wasm.js";
import type { SealedStore } from "./encrypted/store.js";
import type { EncryptedStore, EncryptedStoreOptions } from "./encrypted/types.js";
import { later } from "./later.js";
import { sealings } from "./sealing.js";
import { type Store, checkedStore, nameOfStore, spansConversations, storeMethods } from "./store.js";

/**
 * Seals everything that `inner` holds with AES-GCM, by WebCrypto: events, states with titles and times, files with their names,
 * and the index of the search. One random key seals all of it; the passphrase or the passkey opens that key, which stands in the
 * inner store, too, so a copy of that store can be opened with the secret alone.
 *
 * While it is locked, calls fail with `permission_required`. A row that was changed, or put in the place of another one, is
 * `store_corrupt`, and the message says which. Archives and copies in other stores are not encrypted.
 */
export function encryptedStore(inner: Store, options: EncryptedStoreOptions = {}): EncryptedStore {
  const given = optionsOf("encryptedStore()", options, "passphrase passkey lockAfter name");
  const innerName = checkedStore(inner);
  const name = given.name === undefined ? innerName && `encrypted:${innerName}` : nameOfStore(given.name);
  const listeners = new Set<(isLocked: boolean) => void>();
  let isLocked = true;
  let sealed: SealedStore | undefined;
  const load = async () => {
    const { SealedStore } = await part(import("./encrypted/store.js"));
    return (sealed ??= new SealedStore(inner, { ...given, name }, (locked) => {
      isLocked = locked;
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener(locked));
    }));
  };
  const { close, ...methods } = later([...storeMethods, "unlock", "setSecret", "removeSecret", "indexKey"], load);
  const onLockChange = (listener: (isLocked: boolean) => void) => {
    if (!isFunction(listener)) throw invalidOptions("onLockChange() takes a function");
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const { indexKey, ...shown } = methods;
  const store: EncryptedStore = {
    ...shown,
    ...(name !== undefined && { name }),
    spansConversations: spansConversations(inner),
    get isLocked() {
      return isLocked;
    },
    // Without its code it has no keys, and the secret that it was given is forgotten.
    lock: () => void (delete given.passphrase, delete given.passkey, sealed?.lock()),
    onLockChange,
    close() {
      close();
      sealed?.close();
      inner.close();
    },
  };
  sealings.set(store, { inner, indexKey, onLock: (listener) => onLockChange((locked) => void (locked && listener())) });
  return store;
}
