// A store of the host in front of another one.

const methods = ["list", "load", "events", "indexOf", "commit", "files", "readFile", "delete", "close"];

/** A store that does as `store`, under no name, except for these methods and properties. */
export const storeWith = (store, changed = {}) => ({
  ...Object.fromEntries(methods.map((name) => [name, (...given) => store[name](...given)])),
  ...changed,
});
