// Imports what is in an archive or a folder, whose conversations are locked meanwhile.
import { importArchive } from "../../../pkg/threadkeep.js";
import { locking } from "../../store/locking.js";
import type { Store } from "../../store/store.js";
import type { ImportedConversation } from "../types.js";
import { FolderSource, type Folder } from "./folder-source.js";
import type { Source } from "./source.js";
import { ZipSource } from "./zip-source.js";

type Report = (done: number, total: number) => void;

export function importBlob(blob: Blob, store: Store, onProgress: Report, signal: AbortSignal | undefined): Promise<ImportedConversation[]> {
  return importFrom(new ZipSource(blob, store, signal), store, onProgress);
}

export async function importFiles(
  folder: Folder,
  store: Store,
  onProgress: Report,
  signal: AbortSignal | undefined,
): Promise<ImportedConversation[]> {
  const source = new FolderSource(folder, store, signal);
  try {
    return await importFrom(source, store, onProgress);
  } catch (error) {
    // The core speaks of archives, and does not know why a file could not be read.
    throw source.failure ?? error;
  }
}

function importFrom(source: Source, store: Store, onProgress: Report): Promise<ImportedConversation[]> {
  return locking(store, (claim) => importArchive({ source, store, claim, now: Date.now(), onProgress }));
}
