// A store that several handles share, each through an object of its own, which can be frozen: as if the tab of that handle
// were stuck in the middle of a commit. Runs in Node and in pages.
import { storeMethods } from "./store-with.mjs";

/** A way to `store` under a name that all ways to it have. */
export function freezing(store, name) {
  let thawed;
  let thaw;
  /** The next commit that shall freeze it: { isWritten, chosen, reached }. */
  let awaited;
  const own = {
    name,
    close: () => {},
    /** Awaited before each call, with the name of the method. */
    before: undefined,
    /** From now on no method returns until `thaw()`; calls made before that are carried out then. */
    freeze() {
      thawed ??= new Promise((resolve) => (thaw = resolve));
    },
    thaw() {
      awaited = undefined;
      thaw?.();
      thawed = thaw = undefined;
    },
    /**
     * Freezes it in the next commit for which `chosen` is true, before that or, with `isWritten`, after it is stored. Resolves
     * at that time.
     */
    freezeIn: (isWritten, chosen = () => true) => new Promise((reached) => (awaited = { isWritten, chosen, reached })),
    get isFrozen() {
      return thawed !== undefined;
    },
  };
  for (const method of storeMethods) {
    own[method] = async (...given) => {
      await thawed;
      await own.before?.(method);
      const point = method === "commit" && awaited?.chosen(...given) ? awaited : undefined;
      if (!point) {
        const result = await store[method](...given);
        // A frozen tab does not hear of it either.
        await thawed;
        return result;
      }
      awaited = undefined;
      const written = point.isWritten ? await store.commit(...given) : undefined;
      own.freeze();
      point.reached();
      await thawed;
      return point.isWritten ? written : store.commit(...given);
    };
  }
  return own;
}
