// The directory of a zip archive: its entries and their positions. An inconsistent directory is refused, because other
// programs could find other entries in it.
import type { Bytes } from "../../input/bytes.js";

/** The directory is held in memory. One with 200,000 entries, more than the core accepts, is smaller than this. */
const maxDirectoryBytes = 64 << 20;

const endBytes = 22;
const longestComment = 0xffff;

/** The headers of all entries, by their index in the directory. */
export class ZipDirectory {
  readonly count: number;
  readonly methods: Uint16Array;
  readonly flags: Uint16Array;
  readonly checksums: Uint32Array;
  readonly packedSizes: Float64Array;
  readonly sizes: Float64Array;
  /** Positions of the entries' local headers in the archive. */
  readonly starts: Float64Array;
  readonly #isLink: Uint8Array;
  /** Positions of the records in `#bytes`. */
  readonly #records: Uint32Array;
  readonly #bytes: Bytes;
  readonly #view: DataView;
  /** The sorted starts, followed by the position of the directory. */
  readonly #borders: Float64Array;

  /** Parses `bytes`, which are at `at` in an archive with `prefix` bytes in front of it; `isStated` tests the number of entries. */
  constructor(bytes: Bytes, at: number, prefix: number, isStated: (count: number) => boolean) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const most = Math.floor(bytes.length / 46);
    this.methods = new Uint16Array(most);
    this.flags = new Uint16Array(most);
    this.checksums = new Uint32Array(most);
    this.packedSizes = new Float64Array(most);
    this.sizes = new Float64Array(most);
    this.starts = new Float64Array(most);
    this.#isLink = new Uint8Array(most);
    this.#records = new Uint32Array(most);
    let count = 0;
    let record = 0;
    while (record < bytes.length) {
      if (record + 46 > bytes.length || view.getUint32(record, true) !== 0x02014b50) throw new Error("its directory is damaged");
      const variable = record + 46;
      const nameLength = view.getUint16(record + 28, true);
      const extraLength = view.getUint16(record + 30, true);
      const next = variable + nameLength + extraLength + view.getUint16(record + 32, true);
      if (next > bytes.length) throw new Error("its directory is damaged");
      this.#records[count] = record;
      this.flags[count] = view.getUint16(record + 8, true);
      this.methods[count] = view.getUint16(record + 10, true);
      this.checksums[count] = view.getUint32(record + 16, true);
      // Numbers that need 64 bits follow in an extra field, in this order.
      const [size, packedSize, start] = wide(view, variable + nameLength, variable + nameLength + extraLength, [
        view.getUint32(record + 24, true),
        view.getUint32(record + 20, true),
        view.getUint32(record + 42, true),
      ]);
      this.sizes[count] = size!;
      this.packedSizes[count] = packedSize!;
      this.starts[count] = prefix + start!;
      this.#isLink[count] = ((view.getUint16(record + 40, true) & 0o170000) === 0o120000) as unknown as number;
      count++;
      record = next;
    }
    if (!isStated(count)) throw new Error("its directory states another number of entries than it has");
    this.count = count;
    this.#bytes = bytes;
    this.#view = view;
    this.#borders = new Float64Array(count + 1);
    this.#borders.set(this.starts.subarray(0, count));
    this.#borders[count] = at;
    this.#borders.sort();
  }

  /** The bytes of an entry's name. */
  rawName(entry: number): Uint8Array {
    const record = this.#records[entry]!;
    return this.#bytes.subarray(record + 46, record + 46 + this.#view.getUint16(record + 28, true));
  }

  name(entry: number): string {
    const raw = this.rawName(entry);
    try {
      return utf8.decode(raw);
    } catch {
      return oneByte.decode(raw);
    }
  }

  isEncrypted(entry: number): boolean {
    return (this.flags[entry]! & 0x2041) !== 0;
  }

  isLink(entry: number): boolean {
    return this.#isLink[entry] !== 0;
  }

  /** The position at which an entry must have ended: the start of the next one. `undefined` if another entry starts at the same position. */
  border(entry: number): number | undefined {
    const start = this.starts[entry]!;
    let [low, high] = [0, this.#borders.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#borders[middle]! <= start) low = middle + 1;
      else high = middle;
    }
    return this.#borders[low - 2] === start ? undefined : this.#borders[low];
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const oneByte = new TextDecoder("latin1");

/** The numbers of a record, each replaced by its 64-bit form if it has one. */
function wide(view: DataView, start: number, end: number, numbers: number[]): number[] {
  if (!numbers.includes(0xffffffff)) return numbers;
  for (let at = start; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const last = Math.min(end, at + 4 + view.getUint16(at + 2, true));
    let from = at + 4;
    return numbers.map((number) => {
      if (number !== 0xffffffff || from + 8 > last) return number;
      from += 8;
      return u64(view, from - 8);
    });
  }
  return numbers;
}

function u64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

/**
 * The position of the end record, with which the archive ends. Further bytes, as some servers and mail programs append
 * them, are ignored like `unzip` ignores them, unless they could be the end of another archive.
 */
function endRecord(view: DataView): number {
  let other: number | undefined;
  for (let at = view.byteLength - endBytes; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const rest = view.byteLength - at - endBytes - view.getUint16(at + 20, true);
    if (rest === 0) return at;
    if (rest > 0 && other !== undefined) throw new Error("it has several ends, and further bytes after them");
    if (rest > 0) other = at;
  }
  if (other === undefined) throw new Error("it has no end record, so it is cut off, or no zip archive");
  return other;
}

/** Reads the directory at the end of the archive. The message of an error completes "the archive cannot be read:". */
export async function readDirectory(archive: Blob): Promise<ZipDirectory> {
  const read = async (start: number, end: number) => new Uint8Array(await archive.slice(start, end).arrayBuffer());
  const tailAt = Math.max(0, archive.size - endBytes - longestComment);
  const tail = await read(tailAt, archive.size);
  const view = new DataView(tail.buffer);
  const end = endRecord(view);
  let count = view.getUint16(end + 10, true);
  let size = view.getUint32(end + 12, true);
  let stated = view.getUint32(end + 16, true);
  let directoryEnd = tailAt + end;
  let isComplete = view.getUint16(end + 4, true) === view.getUint16(end + 6, true) && view.getUint16(end + 8, true) === count;
  let disk = view.getUint16(end + 4, true) % 0xffff;
  let isCounted = (entries: number) => entries % 0x10000 === count;

  const locator = end - 20;
  if (locator >= 0 && view.getUint32(locator, true) === 0x07064b50) {
    // The locator is wrong if something was put in front of the archive; then the record is directly before the locator.
    const direct = directoryEnd - 20 - 56;
    for (const at of [u64(view, locator + 8), direct]) {
      const bytes = at >= 0 && at + 56 <= directoryEnd ? await read(at, at + 56) : new Uint8Array(0);
      if (bytes.length < 56) continue;
      const record = new DataView(bytes.buffer);
      if (record.getUint32(0, true) !== 0x06064b50) continue;
      count = u64(record, 32);
      size = u64(record, 40);
      stated = u64(record, 48);
      isComplete = u64(record, 24) === count;
      disk = record.getUint32(16, true);
      directoryEnd = at;
      isCounted = (entries) => entries === count;
      break;
    }
  }
  if (!isComplete || disk !== 0) throw new Error("split archives cannot be read");
  if (size > maxDirectoryBytes) throw new Error("its directory is too large");
  const start = directoryEnd - size;
  if (start < stated) throw new Error("its directory is not at the stated position");
  const bytes = start >= tailAt ? tail.subarray(start - tailAt, directoryEnd - tailAt) : await read(start, directoryEnd);
  return new ZipDirectory(bytes, start, start - stated, isCounted);
}
