// Imports, which lists are told of, in this page and in others.
import { importFolder, importZip as importArchive } from "../formats/archive.js";
import { importJSON as importOther } from "../formats/interchange.js";
import type { ImportedConversation, TransferOptions } from "../formats/types.js";
import { optionsOf } from "../input/errors.js";
import { recordChange } from "../store/inventory.js";
import { indexedDBStore, type Store } from "../store/store.js";

/** See `Conversation.importZip()`. @internal */
export async function importZip(
  zip: Blob | ArrayBuffer | Uint8Array,
  options: { store?: Store | undefined } & TransferOptions,
): Promise<ImportedConversation[]> {
  const { store = indexedDBStore(), ...watching } = optionsOf("importZip()", options, "store onProgress signal");
  const imported = await importArchive(zip, store, watching);
  recordChange(store, { stored: imported.map(({ id }) => id) });
  return imported;
}

/**
 * Imports all conversations of a folder: an archive that was unpacked, the folder in which Python keeps conversations, or one of
 * them. `from` is the handle of a directory, of OPFS or picked, or the files of an `<input type="file" webkitdirectory>`. All else is
 * as with `Conversation.importZip()`: everything is checked before anything is stored, and what is stored of each conversation.
 */
export async function importDirectory(
  from: FileSystemDirectoryHandle | FileList | readonly File[],
  options: { store?: Store | undefined } & TransferOptions = {},
): Promise<ImportedConversation[]> {
  const { store = indexedDBStore(), ...watching } = optionsOf("importDirectory()", options, "store onProgress signal");
  const imported = await importFolder(from, store, watching);
  recordChange(store, { stored: imported.map(({ id }) => id) });
  return imported;
}

/** See `Conversation.importJSON()`. @internal */
export async function importJSON(json: unknown, options: { store?: Store | undefined }): Promise<ImportedConversation> {
  const { store = indexedDBStore() } = optionsOf("importJSON()", options, "store");
  const imported = await importOther(json, store);
  recordChange(store, { stored: [imported.id] });
  return imported;
}
