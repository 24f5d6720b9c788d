// Export and import of zip archives. A chunk of the wasm decides what an archive may contain and what may be exported; the
// zip format itself is read and written in JavaScript, and files are passed between archive and store without the wasm.
// Both are loaded only when one of these functions is used.
import { isA } from "../input/arguments.js";
import { ThreadkeepError, fromCore, invalidOptions, optionsOf, reading } from "../input/errors.js";
import type { Store } from "../store/store.js";
import { load, part } from "../wasm/wasm.js";
import type { ExportOptions, ImportedConversation, Progress, TransferOptions, Work } from "./types.js";

/**
 * Imports all conversations of an archive. Everything is checked before anything is stored: a rejected import leaves the
 * store unchanged. Memory is bounded by the largest file in the archive. @internal
 */
export async function importZip(
  zip: Blob | ArrayBuffer | Uint8Array,
  store: Store,
  { onProgress, signal }: TransferOptions = {},
): Promise<ImportedConversation[]> {
  const blob = asBlob(zip);
  const report = listener(onProgress, "bytes");
  return untilAborted(signal, "import", async () => (await parts()).importBlob(blob, store, report, signal));
}

/** Imports all conversations of a folder, as `importZip` those of an archive. @internal */
export async function importFolder(
  from: FileSystemDirectoryHandle | Iterable<File>,
  store: Store,
  { onProgress, signal }: TransferOptions = {},
): Promise<ImportedConversation[]> {
  const folder = asFolder(from);
  const report = listener(onProgress, "bytes");
  return untilAborted(signal, "import", async () => (await parts()).importFiles(folder, store, report, signal));
}

/** The conversation as one Blob of type `application/zip`. @internal */
export async function exportZip(store: Store, id: string, options: ExportOptions = {}, work?: Work): Promise<Blob> {
  const parts: Blob[] = [];
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  const reader = exportZipStream(store, id, options, work, "exportZip()").getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    blocks.push(next.value);
    // A Blob can be moved from memory to disk; an array of blocks cannot.
    if (blocks.length === 64) parts.push(new Blob(blocks.splice(0)));
  }
  return new Blob([...parts, ...blocks], { type: "application/zip" });
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
  const { workspace: isIncluded = false, onProgress, signal } = optionsOf(method, options, "workspace onProgress signal");
  if (typeof isIncluded !== "boolean") throw invalidOptions("workspace must be true or false");
  const report = listener(onProgress, "files");
  checkSignal(signal);
  let blocks: AsyncGenerator<Uint8Array<ArrayBuffer>, void> | undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        return untilAborted(signal, "export", async () => {
          if (!blocks) {
            await load();
            blocks = (await parts()).zipBlocks(store, id, report, signal, isIncluded ? work : undefined);
          }
          const { done, value } = await blocks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        });
      },
      async cancel() {
        await blocks?.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Does the work. If it fails because the signal was aborted, the error is `aborted`. */
async function untilAborted<T>(signal: AbortSignal | undefined, what: string, work: () => Promise<T>): Promise<T> {
  checkSignal(signal);
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    if (!signal?.aborted) throw fromCore(error);
    const unchanged = what === "import" ? "; nothing was imported" : "";
    throw new ThreadkeepError("aborted", `the ${what} was stopped by its signal${unchanged}`, { cause: signal.reason });
  }
}

function checkSignal(signal: unknown): void {
  if (signal !== undefined && !isA(signal, AbortSignal)) throw invalidOptions("signal is not an AbortSignal");
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

/** Wraps the host's listener: if it throws, the work continues, and the error surfaces as an uncaught one. */
function listener(onProgress: ((progress: Progress) => void) | undefined, unit: Progress["unit"]) {
  if (onProgress !== undefined && typeof onProgress !== "function") throw invalidOptions("onProgress is not a function");
  return (done: number, total: number) => {
    try {
      onProgress?.({ done, total, unit });
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
