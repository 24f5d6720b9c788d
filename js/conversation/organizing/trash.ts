// Empties the trash.
import { signalOf } from "../../input/arguments.js";
import { invalidOptions, optionsOf, settle, ThreadkeepError } from "../../input/errors.js";
import { remove } from "../../store/inventory.js";
import { list } from "../../store/listing.js";
import { type Listing, coreStore, indexedDBStore } from "../../store/store.js";
import type { EmptyTrashOptions } from "../types.js";

/** Thirty days. */
const defaultAge = 30 * 86_400_000;

/** See `emptyTrash()`. */
export async function empty(options: EmptyTrashOptions): Promise<string[]> {
  const { store = indexedDBStore(), olderThan = defaultAge, signal: given } = optionsOf("emptyTrash()", options, "store olderThan signal");
  if (typeof olderThan !== "number" || !(olderThan >= 0)) throw invalidOptions("olderThan must be a number of milliseconds");
  const signal = signalOf(given);
  const core = await coreStore(store);
  const now = Date.now();
  // The clock of another device may be ahead.
  const isLater = (time: number) => Math.min(time, now) > now - olderThan;
  const deleted: string[] = [];
  for (const { id, trashedAt, tags, eventCount } of await list({ store, trashed: true })) {
    if (signal?.aborted) throw new ThreadkeepError("aborted", "emptyTrash() was stopped by its signal", { cause: signal.reason });
    if (isLater(Number(trashedAt))) continue;
    // It may have been restored, or gone on, while others were deleted.
    const listing = await settle(core.load(id));
    if (listing?.length !== eventCount || trashedIn(listing) !== tags.trashed) continue;
    // An import may have brought it that another device has trashed long ago, or what had gone on there. Lists show the times of there.
    if (isLater(listing.updatedAt)) continue;
    try {
      await remove(id, store);
      deleted.push(id);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "locked_elsewhere") throw error;
    }
  }
  return deleted;
}

const trashedIn = ({ baseState }: Listing) => (JSON.parse(baseState) as { tags?: Record<string, unknown> }).tags?.trashed;
