// A zip archive as a source of files: its directory, and files by their index in it.
import type { ZipEntries, ZipUnreadable } from "../../../pkg/threadkeep.js";
import { textOf } from "../../input/errors.js";
import type { Store } from "../../store/store.js";
import type { Bytes } from "../../input/bytes.js";
import { crc32, inflate, inflateStream, isSmall } from "./packing.js";
import { Source } from "./source.js";
import { type ZipDirectory, readDirectory } from "./zip-directory.js";

/** How many bytes of the files that were decompressed for checking are cached until they are stored: enough for most conversations. */
const cacheBytes = 32 << 20;
/** How many entries of the directory the core gets at once. */
const entriesAtOnce = 2000;
/** The length of the fixed part of a local header, and an upper bound of what usually follows its name. */
const [headerBytes, extraBytes] = [30, 512];

export class ZipSource extends Source {
  readonly size: number;
  readonly #blob: Blob;
  readonly #blocks: Blocks;
  #directory: ZipDirectory | undefined;
  #next = 0;
  readonly #cache = new Map<number, Bytes>();
  #room = cacheBytes;

  /** Reads and writes no more once `signal` is aborted. */
  constructor(blob: Blob, store: Store, signal: AbortSignal | undefined) {
    super(store, signal);
    this.size = blob.size;
    this.#blob = blob;
    this.#blocks = new Blocks(blob);
  }

  async nextEntries(): Promise<ZipEntries> {
    await this.pageYield.wait();
    const directory = (this.#directory ??= await readDirectory(this.#blob));
    const end = Math.min(directory.count, this.#next + entriesAtOnce);
    const names: string[] = [];
    const numbers = new Float64Array(3 * (end - this.#next));
    for (let at = 0; this.#next < end; at += 3) {
      const entry = this.#next++;
      names.push(directory.name(entry));
      numbers[at] = directory.packedSizes[entry]!;
      numbers[at + 1] = directory.sizes[entry]!;
      numbers[at + 2] = directory.methods[entry]! | (directory.isEncrypted(entry) ? 1 << 16 : 0) | (directory.isLink(entry) ? 1 << 17 : 0);
    }
    return { names, numbers };
  }

  async check(positions: Uint32Array): Promise<ZipUnreadable | undefined> {
    await this.pageYield.wait();
    const contents = await this.contents(positions);
    return contents instanceof Map ? undefined : contents;
  }

  protected used(positions: readonly number[]): void {
    for (const position of positions) this.#cache.delete(position);
  }

  /** The files at these positions. Decompressed files share one buffer, and are cached while there is room. */
  protected async contents(positions: ArrayLike<number> & Iterable<number>): Promise<Map<number, Bytes> | ZipUnreadable> {
    const directory = this.#directory!;
    const contents = new Map<number, Bytes>();
    let size = 0;
    for (const position of positions) if (!this.#cache.has(position)) size += directory.sizes[position]!;
    let position = 0;
    try {
      // One additional byte, to detect content that is too long.
      const buffer = new Uint8Array(size + 1);
      const isCached = buffer.length <= this.#room;
      if (isCached) this.#room -= buffer.length;
      let at = 0;
      for (position of positions) {
        let content = this.#cache.get(position);
        if (content === undefined) {
          const end = at + directory.sizes[position]!;
          const unpacking = this.#unpack(position, buffer.subarray(at, end + 1));
          if (unpacking !== undefined) await unpacking;
          content = buffer.subarray(at, end);
          if (crc32(content) !== directory.checksums[position]) throw new Error("its checksum (CRC) does not match");
          if (isCached) this.#cache.set(position, content);
          at = end;
        }
        contents.set(position, content);
      }
    } catch (error) {
      return { position, reason: textOf(error) };
    }
    return contents;
  }

  /** Decompresses an entry into a buffer with one additional byte; synchronously if it is small and was already read. */
  #unpack(position: number, into: Bytes): Promise<void> | undefined {
    const directory = this.#directory!;
    const start = directory.starts[position]!;
    const border = directory.border(position);
    const nameBytes = directory.rawName(position).length;
    const packedSize = directory.packedSizes[position]!;
    const most = headerBytes + nameBytes + extraBytes;
    const isSmallOne = isSmall(packedSize, into.length - 1);
    if (border === undefined) throw new Error(outside);
    const header = this.#blocks.read(start, Math.min(border, start + most + (isSmallOne ? packedSize : 0)));
    return header instanceof Promise
      ? header.then((header) => this.#unpackFrom(position, header, into, border))
      : this.#unpackFrom(position, header, into, border);
  }

  #unpackFrom(position: number, header: Bytes, into: Bytes, border: number): Promise<void> | undefined {
    const directory = this.#directory!;
    const [start, packedSize, method] = [directory.starts[position]!, directory.packedSizes[position]!, directory.methods[position]!];
    const offset = headerLength(directory, position, header);
    const [from, to] = [start + offset, start + offset + packedSize];
    if (to > border) throw new Error(outside);
    if (!isSmall(packedSize, into.length - 1)) {
      const packed = this.#blob.slice(from, to);
      return method === 0 ? packed.arrayBuffer().then((bytes) => store(new Uint8Array(bytes), into)) : inflateStream(packed, into);
    }
    const unpack = method === 0 ? store : inflate;
    if (offset + packedSize <= header.length) return void unpack(header.subarray(offset, offset + packedSize), into);
    const packed = this.#blocks.read(from, to);
    return packed instanceof Promise ? packed.then((packed) => unpack(packed, into)) : void unpack(packed, into);
  }
}

const outside = "it overlaps another entry, or the end of the archive";
/** The length of an entry's local header, which must describe the same file as the directory. */
function headerLength(directory: ZipDirectory, position: number, header: Bytes): number {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  if (header.length < headerBytes || view.getUint32(0, true) !== 0x04034b50) throw new Error("it is not at the position in the directory");
  const name = directory.rawName(position);
  const nameEnd = headerBytes + view.getUint16(26, true);
  const own = header.subarray(headerBytes, nameEnd);
  // With another name in its local header, other programs would unpack it under that name.
  if (own.length !== name.length || own.some((byte, at) => byte !== name[at])) throw new Error("it has another name in its local header");
  if (view.getUint16(8, true) !== directory.methods[position]) throw new Error("it has another compression method in its local header");
  return nameEnd + view.getUint16(28, true);
}

function store(content: Bytes, into: Bytes): void {
  if (content.length !== into.length - 1) throw new Error("it is shorter than its header states");
  into.set(content);
}

/** Reads blocks even if only a few bytes are needed, because each read of a Blob is a message to another process. */
class Blocks {
  readonly #blob: Blob;
  #start = 0;
  #bytes: Bytes = new Uint8Array(0);

  constructor(blob: Blob) {
    this.#blob = blob;
  }

  /** The bytes in this range; fewer at the end of the archive. */
  read(start: number, end: number): Bytes | Promise<Bytes> {
    const offset = start - this.#start;
    if (offset >= 0 && end <= this.#start + this.#bytes.length) return this.#bytes.subarray(offset, end - this.#start);
    return this.#load(start, end);
  }

  async #load(start: number, end: number): Promise<Bytes> {
    // Sequential reads get large blocks; for random access most of a large block would be unused.
    const blockEnd = this.#start + this.#bytes.length;
    const isSequential = start <= blockEnd && end > blockEnd;
    const last = Math.max(end, start + (isSequential ? 1 << 20 : 64 << 10));
    this.#bytes = new Uint8Array(await this.#blob.slice(start, last).arrayBuffer());
    this.#start = start;
    return this.#bytes.subarray(0, end - start);
  }
}
