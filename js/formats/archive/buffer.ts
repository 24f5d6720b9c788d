// A buffer for building archives.
import type { Bytes } from "../../input/bytes.js";

/** A growing buffer. Numbers are little-endian, as the zip format requires. */
export class Buffer {
  size = 0;
  #bytes: Bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);

  u16(...numbers: number[]): this {
    this.#need(2 * numbers.length);
    for (const number of numbers) {
      this.#view.setUint16(this.size, number, true);
      this.size += 2;
    }
    return this;
  }

  u32(...numbers: number[]): this {
    this.#need(4 * numbers.length);
    for (const number of numbers) {
      this.#view.setUint32(this.size, number, true);
      this.size += 4;
    }
    return this;
  }

  u64(...numbers: number[]): this {
    for (const number of numbers) this.u32(number % 2 ** 32, Math.floor(number / 2 ** 32));
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#need(bytes.length);
    this.#bytes.set(bytes, this.size);
    this.size += bytes.length;
    return this;
  }

  /** Returns the content, and empties the buffer. */
  take(): Bytes {
    const isLarge = this.size > 1 << 20;
    const taken = isLarge ? this.#bytes.subarray(0, this.size) : this.#bytes.slice(0, this.size);
    if (isLarge) this.#use(new Uint8Array(1024));
    this.size = 0;
    return taken;
  }

  #need(more: number): void {
    if (this.size + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.size + more, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.size));
    this.#use(larger);
  }

  #use(bytes: Bytes): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}
