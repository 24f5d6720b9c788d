// A store with a defect on purpose: it reports a commit as done, and writes it only with the next one. A page that dies in
// between has lost what was reported. A test that does not notice this defect proves nothing.
import { storeThrough } from "/support/store-with.mjs";

/** Stores in `store`, one commit late. */
export function losing(store) {
  let held;
  const write = async () => {
    const commit = held;
    held = undefined;
    if (commit) await store.commit(...commit);
  };
  const afterwards = async (_method, _given, go) => {
    await write();
    return go();
  };
  return storeThrough(store, afterwards, {
    name: "losing",
    async commit(...commit) {
      await write();
      held = commit;
    },
    close: () => store.close(),
  });
}
