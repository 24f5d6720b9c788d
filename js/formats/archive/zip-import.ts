// Imports what is in an archive or a folder, whose conversations are locked meanwhile.
import { importArchive } from "../../../pkg/threadkeep.js";
import { locking } from "../../store/locking.js";
import type { Store } from "../../store/store.js";
import type { ImportedConversation, TransferOptions } from "../types.js";
import { FolderSource, type Folder } from "./folder-source.js";
import type { Source } from "./source.js";
import { listener, untilAborted } from "./watching.js";
import { ZipSource } from "./zip-source.js";

export function importBlob(blob: Blob, store: Store, { onProgress, signal }: TransferOptions): Promise<ImportedConversation[]> {
  const report = listener(onProgress, "bytes");
  return untilAborted(signal, "import", () => importFrom(new ZipSource(blob, store, signal), store, report));
}

export function importFiles(folder: Folder, store: Store, { onProgress, signal }: TransferOptions): Promise<ImportedConversation[]> {
  const report = listener(onProgress, "bytes");
  return untilAborted(signal, "import", async () => {
    const source = new FolderSource(folder, store, signal);
    try {
      return await importFrom(source, store, report);
    } catch (error) {
      // The core speaks of archives, and does not know why a file could not be read.
      throw source.failure ?? error;
    }
  });
}

function importFrom(source: Source, store: Store, onProgress: (done: number, total: number) => void): Promise<ImportedConversation[]> {
  return locking(store, (claim) => importArchive({ source, store, claim, now: Date.now(), onProgress }));
}
