// A store in which a commit hangs, before or after it is written: a page that dies then has died in the middle of it.
import { storeWith } from "/support/store-with.mjs";

/**
 * Stores in `store`. Once `hang` is called, the next commit for which `chosen(id, commit)` is true never answers, and the
 * promise that `hang` returned resolves. With `isWritten` the commit is written before.
 */
export function hanging(store) {
  let awaited;
  return storeWith(store, {
    name: "hanging",
    async commit(id, commit) {
      if (!awaited?.chosen(id, commit)) return store.commit(id, commit);
      const { isWritten, reached } = awaited;
      awaited = undefined;
      if (isWritten) await store.commit(id, commit);
      reached();
      return new Promise(() => {});
    },
    hang: (isWritten, chosen = () => true) => new Promise((reached) => (awaited = { isWritten, chosen, reached })),
  });
}
