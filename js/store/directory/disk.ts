// Reads and writes files of a directory. Errors of the browser become those of the API.
import type { Bytes } from "../../input/bytes.js";
import { type ErrorCode, ThreadkeepError, fieldOf, isA, textOf } from "../../input/errors.js";

export type Directory = FileSystemDirectoryHandle;

/** How many files are read or written at once. */
export const atOnce = 16;

/** The result, or `undefined` if there is no such file or directory. */
export async function found<T>(search: () => Promise<T>): Promise<T | undefined> {
  try {
    return await search();
  } catch (error) {
    if (isNamed(error, "NotFoundError", "TypeMismatchError")) return undefined;
    throw failure(error);
  }
}

export function directoryIn(directory: Directory, name: string): Promise<Directory | undefined> {
  return found(() => directory.getDirectoryHandle(name));
}

/** The directory of this name, which is made if there is none. */
export async function madeIn(directory: Directory, name: string): Promise<Directory> {
  try {
    return await directory.getDirectoryHandle(name, { create: true });
  } catch (error) {
    throw failure(error);
  }
}

/** The directory at these names below another one. */
export async function directoryAt(directory: Directory, names: readonly string[]): Promise<Directory | undefined> {
  let at: Directory | undefined = directory;
  for (const name of names) at = at && (await directoryIn(at, name));
  return at;
}

/** A file as it is now. */
export function fileIn(directory: Directory, name: string): Promise<File | undefined> {
  return found(async () => (await directory.getFileHandle(name)).getFile());
}

export async function readIn(directory: Directory, name: string): Promise<Bytes | undefined> {
  return found(async () => contentOf(await (await directory.getFileHandle(name)).getFile()));
}

export async function contentOf(blob: Blob): Promise<Bytes> {
  return new Uint8Array(await blob.arrayBuffer());
}

/** Differs if a file was written in between. */
export function stampOf(file: File | undefined): string | null {
  return file ? `${file.size}:${file.lastModified}` : null;
}

/**
 * Replaces a file, or makes one: a page that dies leaves the old content, or an empty file if there was none. A browser that is killed
 * may leave an empty one also where there was an old one.
 */
export async function writeIn(directory: Directory, name: string, content: Bytes | Blob): Promise<FileSystemFileHandle> {
  try {
    const file = await directory.getFileHandle(name, { create: true });
    if (!("createWritable" in file)) throw new ThreadkeepError("store_unavailable", "this browser does not write files of a page");
    const writable = await file.createWritable();
    try {
      await writable.write(content);
    } catch (error) {
      await writable.abort().catch(() => {});
      throw error;
    }
    await writable.close();
    return file;
  } catch (error) {
    throw failure(error);
  }
}

/** The name of a file that gets another one as soon as it is complete. */
const unnamed = "new";

/**
 * Makes a file. With `beside`, a directory of OPFS, a page that dies leaves no empty file: the file is written there and moved. Other
 * file systems cannot move files of a page.
 */
export async function makeIn(directory: Directory, name: string, content: Bytes | Blob, beside: Directory | undefined): Promise<void> {
  if (!beside) return void (await writeIn(directory, name, content));
  const file: FileSystemFileHandle & { move?(to: Directory, name: string): Promise<void> } = await writeIn(beside, unnamed, content);
  try {
    await (file.move ? file.move(directory, name) : writeIn(directory, name, content));
  } catch (error) {
    throw failure(error);
  }
}

/** Removes a file or a directory with all that is in it, if it exists. */
export async function removeIn(directory: Directory, name: string): Promise<void> {
  await found(() => directory.removeEntry(name, { recursive: true }));
}

/** The names in a directory, with what they name. */
export async function entriesOf(directory: Directory): Promise<Array<[name: string, kind: FileSystemHandleKind]>> {
  const entries: Array<[string, FileSystemHandleKind]> = [];
  await found(async () => {
    for await (const [name, { kind }] of directory.entries()) entries.push([name, kind]);
  });
  return entries;
}

/** Does something with each of these, some at once, and returns the results in order. */
export async function each<T, R>(all: readonly T[], work: (one: T, place: number) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(all.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < all.length && !failed) {
      const place = next++;
      try {
        results[place] = await work(all[place]!, place);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  // All have ended before it rejects, so that nothing is written afterwards.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return results;
}

const codes: { [name: string]: ErrorCode } = {
  NotAllowedError: "permission_required",
  QuotaExceededError: "store_quota",
  SecurityError: "store_unavailable",
  NotFoundError: "store_unavailable",
  NoModificationAllowedError: "store_blocked",
  InvalidModificationError: "store_blocked",
};

const advice: { [name: string]: string } = {
  NotAllowedError:
    'the page may not use this folder until the user allows it again: call requestPermission({ mode: "readwrite" }) of its handle in the handler of a click',
  NotFoundError: "the folder is not there any more",
};

export function failure(error: unknown): ThreadkeepError {
  if (isA(error, ThreadkeepError)) return error;
  const name = nameOf(error);
  const message = advice[name] ?? `the folder could not be read or written: ${textOf(error)}`;
  return new ThreadkeepError(codes[name] ?? "store_corrupt", message, { cause: error });
}

export function isNamed(error: unknown, ...names: string[]): boolean {
  return names.includes(nameOf(error));
}

function nameOf(error: unknown): string {
  return String(fieldOf(error, "name"));
}
