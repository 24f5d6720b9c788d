// The locks of the conversations that an import writes.
import { type HeldLock, lockConversation } from "../pkg/threadkeep.js";
import { fromCore } from "./errors.js";
import { type Store, coreStore } from "./store.js";

/** Lends an import, which `parts` brings up, the locks of the conversations that it writes. @internal */
export async function locking<P, T>(
  store: Store,
  parts: () => Promise<P>,
  work: (parts: P, claim: (id: string) => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const core = await coreStore(store);
  const locks: Array<Promise<HeldLock | undefined>> = [];
  const claim = async (id: string) => {
    const lock = lockConversation(id, core);
    locks.push(lock);
    return (await lock) !== undefined;
  };
  try {
    return await work(await parts(), claim);
  } catch (error) {
    throw fromCore(error);
  } finally {
    // Before the caller goes on, who may open what came in. A lock that is not given because the wasm crashed need not be
    // released.
    for (const lock of locks) await lock.then((held) => held?.release()).catch(() => {});
  }
}
