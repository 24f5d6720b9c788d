// Imports what is in an archive or a folder, whose conversations are locked meanwhile.
import { importArchive } from "../../../pkg/threadkeep.js";
import { ThreadkeepError } from "../../input/errors.js";
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

/** Where ChatGPT and Claude keep the conversations of an account. */
const CHATS = /(?:^|\/)conversations(?:-\d+)?\.json$/;
/** The longest such file in bytes, as for any file of an import. */
const longestChats = 128 << 20;

/** The texts of such files, if the archive has no conversation of the library's own layout. */
export function chatsIn(blob: Blob, store: Store, signal: AbortSignal | undefined): Promise<string[]> {
  return untilAborted(signal, "import", async () => {
    const source = new ZipSource(blob, store, signal);
    const found: Array<{ name: string; position: number; size: number }> = [];
    let position = 0;
    for (;;) {
      const entries = await source.nextEntries().catch(() => ({ names: [], numbers: new Float64Array() }));
      if (entries.names.length === 0) break;
      for (const [place, name] of entries.names.entries()) {
        if (/(?:^|\/)base_state\.json$/.test(name)) return [];
        if (CHATS.test(name)) found.push({ name, position, size: entries.numbers[3 * place + 1]! });
        position++;
      }
    }
    const texts: string[] = [];
    for (const { name, position, size } of found) {
      if (size > longestChats)
        throw new ThreadkeepError("archive_invalid", `entry ${name} unpacks to ${size} bytes, more than the ${longestChats} allowed`);
      const content = await source.read(Uint32Array.of(position));
      if (!(content instanceof Uint8Array)) throw new ThreadkeepError("archive_invalid", `entry ${name} cannot be read: ${content.reason}`);
      texts.push(new TextDecoder().decode(content));
    }
    return texts;
  });
}

function importFrom(source: Source, store: Store, onProgress: (done: number, total: number) => void): Promise<ImportedConversation[]> {
  return locking(store, (claim) => importArchive({ source, store, claim, now: Date.now(), onProgress }));
}
