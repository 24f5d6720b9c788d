// A store that does what no store may do: it says that a commit is done, and keeps it back until the next one comes.
// Whoever dies in between has lost what was reported. A test that cannot tell it from an honest store proves nothing.

/** The conversations of `store`, each without its last commit. */
export function losing(store) {
  let held;
  const write = async () => {
    const commit = held;
    held = undefined;
    if (commit) await store.commit(...commit);
  };
  const afterwards = (method) => async (...given) => {
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
