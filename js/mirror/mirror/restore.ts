// Imports what a mirror has, one conversation after the other.
import { importFiles } from "../../formats/archive/zip-import.js";
import { listener, untilAborted } from "../../formats/archive/watching.js";
import type { ImportedConversation } from "../../formats/types.js";
import { ThreadkeepError, fromCore } from "../../input/errors.js";
import { recordChange } from "../../store/inventory.js";
import { type Store, indexedDBStore } from "../../store/store.js";
import type { MirrorFiles, RestoreOptions } from "../types.js";
import { placeOf } from "./mirroring.js";
import { inOrder } from "./order.js";
import { type Place, PlaceFailure } from "./place.js";

export async function restore(
  from: Store | MirrorFiles,
  { store = indexedDBStore(), onProgress, signal }: RestoreOptions,
): Promise<ImportedConversation[]> {
  const report = listener(onProgress, "files");
  const place = placeOf(from);
  const imported: ImportedConversation[] = [];
  let refused: ThreadkeepError | undefined;
  let done = 0;
  const read = () => report(++done, done);
  await untilAborted(signal, "restoration", async () => {
    try {
      for (const folder of await place.tops()) {
        signal?.throwIfAborted();
        try {
          const found = await importFiles(inOrder(counted(place, folder, read), true), store, { signal });
          recordChange(store, { stored: found.map(({ id }) => id) });
          imported.push(...found);
        } catch (error) {
          // The place does not work, so that the next one would fail as well.
          if (error instanceof PlaceFailure || signal?.aborted || fromCore(error).code === "network") throw error;
          refused ??= fromCore(error);
        }
      }
    } catch (error) {
      throw error instanceof PlaceFailure ? error.error : error;
    }
  });
  if (!refused) return imported;
  const others = `${imported.length} other conversations were restored`;
  throw new ThreadkeepError(refused.code, `${refused.message} (${others})`, { cause: refused });
}

/** The files of a folder; `read` is called for each that is read. */
async function* counted(place: Place, folder: string, read: () => void): AsyncGenerator<[string, () => Promise<Blob>]> {
  for await (const [path, content] of place.below(folder)) {
    yield [
      path,
      async () => {
        const blob = await content();
        read();
        return blob;
      },
    ];
  }
}
