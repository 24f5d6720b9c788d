// A folder as a source of files: one that was unpacked, that Python has written, or that a store in a directory keeps.
import type { ZipEntries, ZipUnreadable } from "../../../pkg/threadkeep.js";
import { ThreadkeepError, textOf } from "../../input/errors.js";
import { asideIn } from "../../store/directory/further.js";
import { each, failure } from "../../store/directory/disk.js";
import type { Store } from "../../store/store.js";
import type { Bytes } from "../../input/bytes.js";
import { Source } from "./source.js";

/** Files by their paths, with functions that read them. */
export type FoundFiles = AsyncIterable<[path: string, file: () => Promise<Blob>]>;
/** The handle of a directory, or files with their paths in one. */
export type Folder = FileSystemDirectoryHandle | readonly File[] | FoundFiles;

/** How many files the core gets at once. */
const entriesAtOnce = 2000;
/** The files that a store in a directory has stored aside, in the folder of a conversation. */
const aside = /^(.*[0-9a-f]{32}\/)\.threadkeep\/aside\/[^/]+$/;

export class FolderSource extends Source {
  /** The error of the file that could not be read. */
  failure: ThreadkeepError | undefined;
  #size = 0;
  readonly #found: AsyncIterator<[path: string, file: () => Promise<Blob>]>;
  readonly #files: Array<{ name: string; content: Blob }> = [];

  /** Reads and writes no more once `signal` is aborted. */
  constructor(folder: Folder, store: Store, signal: AbortSignal | undefined) {
    super(store, signal);
    const found: FoundFiles =
      Symbol.asyncIterator in folder && !("kind" in folder)
        ? folder
        : Array.isArray(folder)
          ? named(folder as readonly File[])
          : below(folder as FileSystemDirectoryHandle);
    this.#found = found[Symbol.asyncIterator]();
  }

  /** The size of the files so far: nothing is packed. */
  get size(): number {
    return this.#size;
  }

  async nextEntries(): Promise<ZipEntries> {
    await this.pageYield.wait();
    try {
      const found: Array<[string, () => Promise<Blob>]> = [];
      while (found.length < entriesAtOnce) {
        const next = await this.#found.next();
        if (next.done) break;
        found.push(next.value);
      }
      const files = await each(found, async ([path, file]) => entryOf(path, await file()));
      this.#files.push(...files);
      const numbers = new Float64Array(3 * files.length);
      for (const [place, { content }] of files.entries()) {
        this.#size += content.size;
        numbers.set([content.size, content.size], 3 * place);
      }
      return { names: files.map(({ name }) => name), numbers };
    } catch (error) {
      this.failure = failure(error);
      throw error;
    }
  }

  /** A file is read as a whole when it is stored; here only whether it can be. */
  async check(positions: Uint32Array): Promise<ZipUnreadable | undefined> {
    await this.pageYield.wait();
    for (const position of positions) {
      try {
        await this.#files[position]!.content.slice(0, 1).arrayBuffer();
      } catch (error) {
        return this.#unreadable(position, error);
      }
    }
    return undefined;
  }

  protected async contents(positions: ArrayLike<number> & Iterable<number>): Promise<Map<number, Bytes> | ZipUnreadable> {
    const contents = new Map<number, Bytes>();
    let unreadable: ZipUnreadable | undefined;
    await each(Array.from(positions), async (position) => {
      try {
        const { content } = this.#files[position]!;
        const bytes = new Uint8Array(await content.arrayBuffer());
        if (bytes.length !== content.size) throw new Error("it has changed meanwhile");
        contents.set(position, bytes);
      } catch (error) {
        unreadable ??= this.#unreadable(position, error);
      }
    });
    return unreadable ?? contents;
  }

  protected used(): void {
    // Nothing is kept.
  }

  #unreadable(position: number, error: unknown): ZipUnreadable {
    const { name } = this.#files[position]!;
    const message = `the file ${name} of the folder cannot be read: ${textOf(error)}; nothing is damaged if it has only changed: try again`;
    this.failure ??= new ThreadkeepError("archive_invalid", message, { cause: error });
    return { position, reason: textOf(error) };
  }
}

/** Files with their paths, as a form has them. */
async function* named(files: readonly File[]): AsyncGenerator<[string, () => Promise<File>]> {
  for (const file of files) yield [file.webkitRelativePath || file.name, async () => file];
}

/** All files below a directory, with paths that begin with its name. */
async function* below(directory: FileSystemDirectoryHandle): AsyncGenerator<[string, () => Promise<File>]> {
  const pending: Array<[string, FileSystemDirectoryHandle]> = [[directory.name === "" ? "" : `${directory.name}/`, directory]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [before, folder] = next;
    const handles: Array<FileSystemDirectoryHandle | FileSystemFileHandle> = [];
    for await (const handle of folder.values()) handles.push(handle);
    handles.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const handle of handles) {
      if (handle.kind === "directory") pending.push([`${before}${handle.name}/`, handle]);
      else yield [before + handle.name, () => handle.getFile()];
    }
  }
}

async function entryOf(path: string, file: Blob): Promise<{ name: string; content: Blob }> {
  const place = aside.exec(path);
  if (!place) return { name: path, content: file };
  // If it does not say of which path it is, it is one of the files that an import ignores.
  const own = await asideIn(file).catch(() => undefined);
  return own ? { name: place[1] + own.path, content: own.content } : { name: path, content: file };
}
