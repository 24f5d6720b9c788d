// Compresses and decompresses one file, and computes its checksum.
import { deflateSync, inflateSync } from "fflate";
import type { Bytes } from "../../input/bytes.js";

/** Larger files are compressed by the platform's streams, which are faster for them and do not block the page. */
const mostAtOnce = 256 << 10;

/** A file as it is stored in an archive. */
export interface Packed {
  /** The zip format's number: 0 for stored, 8 for deflated. */
  method: number;
  bytes: Bytes;
  crc: number;
  size: number;
}

/** Compresses a file; an empty one is stored. */
export async function packed(content: Bytes): Promise<Packed> {
  const crc = crc32(content);
  const size = content.length;
  if (size === 0) return { method: 0, bytes: content, crc, size };
  if (size <= mostAtOnce) return { method: 8, bytes: deflateSync(content) as Bytes, crc, size };
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return { method: 8, bytes: new Uint8Array(await new Response(stream).arrayBuffer()), crc, size };
}

/** Whether a file can be decompressed synchronously. Compressed data that is much longer than its content could take any time. */
export function isSmall(compressedSize: number, size: number): boolean {
  return size <= mostAtOnce && compressedSize <= size + 1024;
}

/** Decompresses into all but the last byte of `into`. Throws if the content has another size. */
export function inflate(packed: Uint8Array, into: Bytes): void {
  const size = into.length - 1;
  if (packed.length === 0 && size === 0) return;
  let length: number;
  try {
    length = inflateSync(packed, { out: into }).length;
  } catch (error) {
    // The library throws a RangeError only if a whole block does not fit.
    if (error instanceof RangeError) throw longer(size);
    throw error;
  }
  if (length > size) throw longer(size);
  if (length < size) throw shorter(length, size);
}

/** Like `inflate`, from a stream, which is cancelled as soon as the content is too long. */
export async function inflateStream(packed: Blob, into: Bytes): Promise<void> {
  const size = into.length - 1;
  const reader = pieces(packed).pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (length + next.value.length > size) {
      void reader.cancel().catch(() => undefined);
      throw longer(size);
    }
    into.set(next.value, length);
    length += next.value.length;
  }
  if (length < size) throw shorter(length, size);
}

/** How much is decompressed at once: a browser decompresses all that it gets, a thousand times as much in the worst case, before somebody can stop it. */
const pieceBytes = 16 << 10;
/** How much of a Blob is read at once, because each read is a message to another process. */
const blockBytes = 1 << 20;

/** The bytes of a Blob in small pieces, which are read when they are asked for. */
function pieces(blob: Blob): ReadableStream<Bytes> {
  let block: Bytes = new Uint8Array(0);
  let read = 0;
  let at = 0;
  const pull = async (controller: ReadableStreamDefaultController<Bytes>) => {
    if (at === block.length && read < blob.size) {
      block = new Uint8Array(await blob.slice(read, read + blockBytes).arrayBuffer());
      read += block.length;
      at = 0;
    }
    if (at === block.length) return controller.close();
    controller.enqueue(block.subarray(at, at + pieceBytes));
    at = Math.min(block.length, at + pieceBytes);
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

function longer(size: number): Error {
  return new Error(`it is longer than its header states (${size} bytes)`);
}

function shorter(length: number, size: number): Error {
  return new Error(`it has ${length} bytes, but its header states ${size}`);
}

/** The checksum of the zip format, computed four bytes at a time. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc = table[768 + (crc & 255)]! ^ table[512 + ((crc >>> 8) & 255)]! ^ table[256 + ((crc >>> 16) & 255)]! ^ table[crc >>> 24]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ table[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}

/** Four numbers for each byte: its effect on the checksum if none to three bytes follow it. */
const table = /* @__PURE__ */ (() => {
  const table = new Int32Array(1024);
  for (let n = 0; n < 1024; n++) {
    let crc = n < 256 ? n : table[n - 256]!;
    for (let bit = n < 256 ? 0 : 8; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    table[n] = n < 256 ? crc : (crc >>> 8) ^ table[crc & 255]!;
  }
  return table;
})();
