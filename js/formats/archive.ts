// Export and import of zip archives. A chunk of the wasm decides what an archive may contain and what may be exported; the
// zip format itself is read and written in JavaScript, and files are passed between archive and store without the wasm.
// Both are loaded only when one of these functions is used.
import { isA, signalOf } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
import type { Store } from "../store/store.js";
import { load, part } from "../wasm/wasm.js";
import type { ExportOptions, ImportedConversation, TransferOptions, Work } from "./types.js";

/**
 * Imports all conversations of an archive. Everything is checked before anything is stored: a rejected import leaves the
 * store unchanged. Memory is bounded by the largest file in the archive. @internal
 */
export async function importZip(
  zip: Blob | ArrayBuffer | Uint8Array,
  store: Store,
  watching: TransferOptions = {},
): Promise<ImportedConversation[]> {
  // Before anything is awaited: the bytes may change, and a list of files may be emptied by its page.
  const blob = asBlob(zip);
  return (await parts()).importBlob(blob, store, watching);
}

/** The texts of the files in which programs for chats keep conversations, if the archive is one of theirs. @internal */
export async function chatsInZip(zip: Blob, store: Store, { signal }: TransferOptions): Promise<string[]> {
  return (await parts()).chatsIn(zip, store, signal);
}

/** Imports all conversations of a folder, as `importZip` those of an archive. @internal */
export async function importFolder(
  from: FileSystemDirectoryHandle | Iterable<File>,
  store: Store,
  watching: TransferOptions = {},
): Promise<ImportedConversation[]> {
  const folder = asFolder(from);
  return (await parts()).importFiles(folder, store, watching);
}

/** The conversation as one Blob of type `application/zip`. @internal */
export async function exportZip(store: Store, id: string, options: ExportOptions = {}, work?: Work): Promise<Blob> {
  const stream = exportZipStream(store, id, options, work, "exportZip()");
  return (await parts()).blobOf(stream);
}

/**
 * The conversation as a stream of a zip archive, as it is when the first block is read. Nothing happens before that;
 * cancelling the stream releases everything. @internal
 */
export function exportZipStream(
  store: Store,
  id: string,
  options: ExportOptions = {},
  work?: Work,
  method = "exportZipStream()",
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const given = optionsOf(method, options, "workspace onProgress signal");
  signalOf(given.signal);
  type Source = ReturnType<Awaited<ReturnType<typeof parts>>["zipSource"]>;
  let source: Promise<Source> | undefined;
  const open = async () => {
    await load();
    return (await parts()).zipSource(store, id, given, work);
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => (await (source ??= open())).pull(controller),
      cancel: async () => (await source)?.cancel(),
    },
    { highWaterMark: 0 },
  );
}

function parts() {
  return part(import("./archive/parts.js"));
}

function asBlob(zip: unknown): Blob {
  return reading("the archive", () => {
    if (zip instanceof Blob) return zip;
    if (zip instanceof ArrayBuffer) return new Blob([zip]);
    if (ArrayBuffer.isView(zip)) return new Blob([zip as ArrayBufferView<ArrayBuffer>]);
    throw invalidOptions("importZip takes a zip archive as a Blob, an ArrayBuffer or a Uint8Array");
  });
}

function asFolder(from: unknown): FileSystemDirectoryHandle | File[] {
  return reading("the folder", () => {
    if (typeof from === "object" && from !== null) {
      if ("kind" in from && from.kind === "directory") return from as FileSystemDirectoryHandle;
      const files = Symbol.iterator in from ? [...(from as Iterable<File>)] : [];
      if (files.length > 0 && files.every((file) => isA(file, Blob) && typeof file.name === "string")) return files;
    }
    throw invalidOptions("importDirectory takes the handle of a directory, or a list of files");
  });
}
