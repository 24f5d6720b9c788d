// A zip archive as the core reads it: its directory entry by entry, then contents by their place in the directory.
import type { ZipEntry, ZipSource as CoreSource } from "../../pkg/threadkeep_archive.js";
import { BlobReader, Uint8ArrayWriter, ZipReader, type Entry, type FileEntry } from "./zip-library.js";

/** A directory of 200,000 entries, more than the core accepts, stays below this; it is read into memory at once. */
const maxReadBytes = 128 << 20;

const readerOptions = {
  // The core judges names, and says which is wrong.
  filenameValidation: "tolerant",
  useWebWorkers: false,
} as const;

const contentOptions = {
  checkCrc32: true,
  checkOverlappingEntry: true,
  // A name that is another one in the entry's own header would be unpacked under that name elsewhere.
  checkLocalFilename: true,
  useWebWorkers: false,
} as const;

export class ZipSource implements CoreSource {
  readonly size: number;
  readonly #zip: ZipReader<unknown>;
  readonly #directory: AsyncGenerator<Entry, boolean>;
  /** Where `read` stands in the directory, which it walks again because holding all of it would cost kilobytes each. */
  #walk: AsyncGenerator<Entry, boolean> | undefined;
  #position = 0;
  /** Entries that the walk has passed without their being asked for. */
  readonly #passed = new Map<number, Entry>();
  readonly #forgotten = new Set<number>();
  #finding: Promise<unknown> = Promise.resolve();

  constructor(blob: Blob) {
    this.size = blob.size;
    this.#zip = new ZipReader(new BoundedReader(blob), readerOptions);
    this.#directory = this.#zip.getEntriesGenerator();
  }

  async nextEntry(): Promise<ZipEntry | undefined> {
    const { done, value } = await inItsWords(this.#directory.next());
    if (done) return undefined;
    return {
      name: value.filename,
      compressedSize: value.compressedSize,
      size: value.uncompressedSize,
      isDirectory: value.directory,
      isSymlink: Boolean(value.symlink),
      isEncrypted: value.encrypted,
      method: value.compressionMethod,
    };
  }

  async read(position: number): Promise<Uint8Array> {
    // Reads run side by side, but the directory has one cursor.
    const found = this.#finding.then(() => this.#find(position));
    this.#finding = found.catch(() => undefined);
    const entry = await inItsWords(found);
    return inItsWords(entry.getData(new Uint8ArrayWriter(), contentOptions));
  }

  forget(position: number): void {
    this.#forgotten.add(position);
    this.#passed.delete(position);
  }

  async #find(position: number): Promise<FileEntry> {
    const passed = this.#passed.get(position);
    if (passed !== undefined) {
      this.#passed.delete(position);
      return file(passed);
    }
    if (this.#walk === undefined || position < this.#position) {
      this.#walk = this.#zip.getEntriesGenerator();
      this.#position = 0;
      this.#passed.clear();
    }
    for (;;) {
      const { done, value } = await this.#walk.next();
      if (done) throw new Error("the entry is not there any more");
      const at = this.#position++;
      if (at === position) return file(value);
      if (!this.#forgotten.has(at)) this.#passed.set(at, value);
    }
  }
}

function file(entry: Entry): FileEntry {
  if (entry.directory) throw new Error("it is a directory");
  return entry;
}

interface Block {
  start: number;
  bytes: Uint8Array;
}

/** Reads blocks where the library asks for a few bytes: each read of a Blob is a message to another process. */
class BoundedReader extends BlobReader {
  static readonly #blockSize = 256 << 10;
  /** The newest first. The directory and the contents are read side by side, and neither should drive the other out. */
  #blocks: Block[] = [];

  override async readUint8Array(index: number, length: number): Promise<Uint8Array> {
    if (length > maxReadBytes) throw new Error("its directory is too large");
    if (length > BoundedReader.#blockSize / 4) return super.readUint8Array(index, length);
    const { start, bytes } = this.#blocks.find((block) => holds(block, index, length)) ?? (await this.#readBlock(index));
    return bytes.slice(index - start, index - start + length);
  }

  async #readBlock(start: number): Promise<Block> {
    const block = { start, bytes: await super.readUint8Array(start, BoundedReader.#blockSize) };
    this.#blocks = [block, ...this.#blocks.slice(0, 2)];
    return block;
  }
}

function holds({ start, bytes }: Block, index: number, length: number): boolean {
  return start <= index && index + length <= start + bytes.length;
}

/** The library says what is ambiguous about an archive in a second property. */
async function inItsWords<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const { message, reason } = error as { message?: unknown; reason?: unknown };
    throw typeof reason === "string" ? new Error(`${message}: ${reason}`, { cause: error }) : error;
  }
}
