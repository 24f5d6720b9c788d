// Writes a zip archive, entry by entry: names in UTF-8, sizes before contents, 64-bit records if they are needed.
import type { Bytes } from "../../input/bytes.js";
import { Buffer } from "./buffer.js";
import type { Packed } from "./packing.js";

const encoder = new TextEncoder();

export class ZipWriter {
  readonly #out = new Buffer();
  readonly #directory = new Buffer();
  readonly #time: number;
  readonly #date: number;
  #count = 0;
  /** The number of bytes that were taken. */
  #taken = 0;

  /** `modifiedAt` is the date of every entry, in milliseconds since the Unix epoch. The format allows the years 1980 to 2107. */
  constructor(modifiedAt: number) {
    const earliest = new Date(1980, 0, 1).getTime();
    const latest = new Date(2107, 11, 31, 23, 59, 58).getTime();
    const date = new Date(Math.min(Math.max(modifiedAt, earliest), latest) || earliest);
    this.#time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
    this.#date = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  }

  /** The number of bytes that can be taken. */
  get size(): number {
    return this.#out.size;
  }

  /** Adds an entry. A name that ends in `/` is a directory. */
  add(name: string, { method, bytes, crc, size }: Packed): void {
    const at = this.#taken + this.#out.size;
    const isFar = at >= 0xffffffff;
    const encoded = encoder.encode(name);
    // Version 2.0, names in UTF-8.
    this.#out.u32(0x04034b50).u16(20, 0x800, method, this.#time, this.#date).u32(crc, bytes.length, size);
    this.#out.u16(encoded.length, 0).bytes(encoded).bytes(bytes);
    // Marked as made on Unix, readable for all and writable for the owner.
    this.#directory.u32(0x02014b50).u16(0x0300 | (isFar ? 45 : 20), isFar ? 45 : 20, 0x800, method, this.#time, this.#date);
    this.#directory.u32(crc, bytes.length, size).u16(encoded.length, isFar ? 12 : 0, 0, 0, 0);
    this.#directory.u32(name.endsWith("/") ? 0o40755 * 0x10000 + 16 : 0o100644 * 0x10000, isFar ? 0xffffffff : at);
    this.#directory.bytes(encoded);
    if (isFar) this.#directory.u16(1, 8).u64(at);
    this.#count++;
  }

  /** Writes the directory. */
  end(): void {
    const at = this.#taken + this.#out.size;
    const size = this.#directory.size;
    const count = this.#count;
    this.#out.bytes(this.#directory.take());
    if (count >= 0xffff || at >= 0xffffffff) {
      this.#out
        .u32(0x06064b50)
        .u64(44)
        .u16(0x0300 | 45, 45)
        .u32(0, 0)
        .u64(count, count, size, at);
      this.#out
        .u32(0x07064b50, 0)
        .u64(at + size)
        .u32(1);
    }
    const short = Math.min(count, 0xffff);
    this.#out.u32(0x06054b50).u16(0, 0, short, short).u32(size, Math.min(at, 0xffffffff)).u16(0);
  }

  /** The next bytes of the archive. */
  take(): Bytes {
    const bytes = this.#out.take();
    this.#taken += bytes.length;
    return bytes;
  }
}
