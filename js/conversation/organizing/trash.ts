// Empties the trash.
import { invalidOptions, optionsOf } from "../../input/errors.js";
import { signalOf } from "../../input/arguments.js";
import { ThreadkeepError } from "../../input/errors.js";
import { remove } from "../../store/inventory.js";
import { list } from "../../store/listing.js";
import { indexedDBStore } from "../../store/store.js";
import type { EmptyTrashOptions } from "../types.js";

/** Thirty days. */
const defaultAge = 30 * 86_400_000;

/** See `emptyTrash()`. */
export async function empty(options: EmptyTrashOptions): Promise<string[]> {
  const { store = indexedDBStore(), olderThan = defaultAge, signal: given } = optionsOf("emptyTrash()", options, "store olderThan signal");
  if (typeof olderThan !== "number" || !(olderThan >= 0)) throw invalidOptions("olderThan must be a number of milliseconds");
  const signal = signalOf(given);
  const before = Date.now() - olderThan;
  const deleted: string[] = [];
  for (const { id, trashedAt, createdAt, updatedAt } of await list({ store, trashed: true })) {
    if (signal?.aborted) throw new ThreadkeepError("aborted", "emptyTrash() was stopped by its signal", { cause: signal.reason });
    // An import may bring a conversation that another device has put into its trash long ago, or what had gone on here meanwhile.
    if (Math.max(Number(trashedAt), Number(createdAt), Number(updatedAt)) > before) continue;
    try {
      await remove(id, store);
      deleted.push(id);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "locked_elsewhere") throw error;
    }
  }
  return deleted;
}
