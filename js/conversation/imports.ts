// Imports, which lists are told of, in this page and in others.
import { chatsInZip, importFolder, importZip as importArchive } from "../formats/archive.js";
import { importJSON as importOther, importTexts } from "../formats/interchange.js";
import type { ImportedConversation, TransferOptions } from "../formats/types.js";
import { isA, signalOf } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
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

/**
 * Imports whatever people have: an archive, as `Conversation.importZip()`; the JSON of another program, as
 * `Conversation.importJSON()`; and the exports of ChatGPT, Claude, Open WebUI, LibreChat, Chatbox and llama.cpp with all their
 * conversations, also in the archives that ChatGPT and Claude send. The file is known by its content, not by its name.
 * @throws ThreadkeepError `archive_invalid` naming what was found and what could be read
 */
export async function importFile(
  file: Blob,
  options: { store?: Store | undefined } & TransferOptions = {},
): Promise<ImportedConversation[]> {
  const { store = indexedDBStore(), ...watching } = optionsOf("importFile()", options, "store onProgress signal");
  signalOf(watching.signal);
  if (!isA(file, Blob)) throw invalidOptions("importFile() takes a file: a File, or another Blob");
  const start = await reading("the file", async () => new Uint8Array(await file.slice(0, 4).arrayBuffer()));
  const isZip = start[0] === 0x50 && start[1] === 0x4b && start[2]! < 8;
  const texts = isZip ? await chatsInZip(file, store, watching) : [await reading("the file", () => file.text())];
  const imported = texts.length > 0 ? await importTexts(texts, store) : await importArchive(file, store, watching);
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
