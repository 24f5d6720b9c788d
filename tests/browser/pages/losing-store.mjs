// A store with a defect on purpose: it reports a commit as done, and writes it only with the next one. A page that dies in
// between has lost what was reported. A test that does not notice this defect proves nothing.

/** Stores in `store`, one commit late. */
export function losing(store) {
  let held;
  const write = async () => {
    const commit = held;
    held = undefined;
    if (commit) await store.commit(...commit);
  };
  const afterwards =
    (method) =>
    async (...given) => {
      await write();
      return store[method](...given);
    };
  const methods = ["list", "load", "events", "indexOf", "files", "readFile", "delete"];
  return {
    name: "losing",
    ...Object.fromEntries(methods.map((method) => [method, afterwards(method)])),
    async commit(...commit) {
      await write();
      held = commit;
    },
    close: () => store.close(),
  };
}
