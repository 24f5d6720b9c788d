// A store that does what no store may do: it says that a commit is done, and keeps it back until the next one comes.
// Whoever dies in between has lost what was reported. A test that cannot tell it from an honest store proves nothing.

/** The conversations of `store`, each without its last commit. */
export async function losing(store) {
  const core = await store.core();
  let held;
  const write = async () => {
    const commit = held;
    held = undefined;
    if (commit) await core.commit(...commit);
  };
  const afterwards = (method) => async (...given) => {
    await write();
    return core[method](...given);
  };
  const methods = ["list", "load", "events", "indexOf", "files", "readFile", "delete"];
  const contract = {
    ...Object.fromEntries(methods.map((method) => [method, afterwards(method)])),
    async commit(...commit) {
      await write();
      held = commit;
    },
    close() {},
  };
  const hosted = core.constructor.host(contract, "losing");
  return new store.constructor(() => hosted);
}
