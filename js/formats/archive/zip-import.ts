// Imports what is in an archive, whose conversations are locked meanwhile.
import { importArchive } from "../../../pkg/threadkeep.js";
import { locking } from "../../store/locking.js";
import type { Store } from "../../store/store.js";
import type { ImportedConversation } from "../types.js";
import { ZipSource } from "./zip-source.js";

export function importBlob(
  blob: Blob,
  store: Store,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal | undefined,
): Promise<ImportedConversation[]> {
  const source = new ZipSource(blob, store, signal);
  return locking(store, (claim) => importArchive({ source, store, claim, now: Date.now(), onProgress }));
}
