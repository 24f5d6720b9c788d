// A store of the host in front of another one. Runs in Node and in pages.

/** What a store is asked; it is closed besides. */
export const storeMethods = ["list", "load", "events", "indexOf", "commit", "files", "readFile", "delete"];

/**
 * A store under no name each method of which, also `close`, does what `call(method, given, go)` does, where `go()` has `store` do it;
 * except for these methods and properties.
 */
export const storeThrough = (store, call, changed = {}) => ({
  ...Object.fromEntries(
    [...storeMethods, "close"].map((method) => [method, (...given) => call(method, given, () => store[method](...given))]),
  ),
  ...changed,
});

/** A store that does as `store`, under no name, except for these methods and properties. */
export const storeWith = (store, changed = {}) => storeThrough(store, (_method, _given, go) => go(), changed);
