// The locks that an import holds on the conversations it writes.
import { type HeldLock, lockConversation } from "../../pkg/threadkeep.js";
import { fromCore } from "../input/errors.js";
import { type Store, coreStore } from "./store.js";

/** Runs an import; `claim` locks a conversation until it ends. @internal */
export async function locking<T>(store: Store, work: (claim: (id: string) => Promise<boolean>) => Promise<T>): Promise<T> {
  const core = await coreStore(store);
  const locks: Array<Promise<HeldLock | undefined>> = [];
  const claim = async (id: string) => {
    const lock = lockConversation(id, core);
    locks.push(lock);
    return (await lock) !== undefined;
  };
  try {
    return await work(claim);
  } catch (error) {
    throw fromCore(error);
  } finally {
    // Released before the caller continues, who may open an imported conversation. A lock that was not granted because the
    // wasm crashed has nothing to release.
    for (const lock of locks) await lock.then((held) => held?.release()).catch(() => {});
  }
}
