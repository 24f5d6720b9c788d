// Zip archives by hand, so that every field can be wrong.
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";

const u16 = (n) => Buffer.from(Uint16Array.of(n).buffer);
const u32 = (n) => Buffer.from(Uint32Array.of(n).buffer);
const u64 = (n) => Buffer.from(BigUint64Array.of(BigInt(n)).buffer);

/**
 * The bytes of an archive of these entries. Beyond `name` and `content` an entry may have: `method` (8), `packed` (the
 * bytes in place of the packed content), `flags`, `crc`, `size`, `compressedSize` (what the headers say),
 * `localName`, `localMethod`, `descriptor` (sizes after the content), `zip64`, `attributes`, `offset` (what the directory says), `inside` (only the
 * directory knows it; its bytes lie at `offset` in another entry).
 * The archive: `comment`, `prefix` (bytes before it), `disk`, `count`, `zip64`, `encryptedDirectory`.
 */
export function zip(entries, archive = {}) {
  const parts = [archive.prefix ?? Buffer.alloc(0)];
  let offset = parts[0].length;
  const push = (...buffers) => {
    for (const buffer of buffers) {
      parts.push(buffer);
      offset += buffer.length;
    }
  };
  const directory = [];
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? "");
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const crc = entry.crc ?? crc32(content);
    const size = entry.size ?? content.length;
    const compressedSize = entry.compressedSize ?? packed.length;
    const flags = (entry.flags ?? 0x800) | (entry.descriptor ? 8 : 0);
    const name = Buffer.from(entry.name);
    const localName = Buffer.from(entry.localName ?? entry.name);
    const version = entry.zip64 ? 45 : 20;
    const [said, saidCompressed] = entry.zip64 ? [0xffffffff, 0xffffffff] : [size, compressedSize];
    const extra = entry.zip64 ? Buffer.concat([u16(1), u16(16), u64(size), u64(compressedSize)]) : Buffer.alloc(0);
    const start = offset;
    const inLocal = entry.descriptor ? [u32(0), u32(0), u32(0)] : [u32(crc), u32(saidCompressed), u32(said)];
    if (!entry.inside) push(u32(0x04034b50), u16(version), u16(flags), u16(entry.localMethod ?? method), u32(0x5a210000), ...inLocal);
    if (!entry.inside)
      push(u16(localName.length), u16(entry.descriptor ? 0 : extra.length), localName, entry.descriptor ? Buffer.alloc(0) : extra, packed);
    if (entry.descriptor) push(u32(0x08074b50), u32(crc), u32(compressedSize), u32(size));
    directory.push(
      u32(0x02014b50),
      u16(0x0300 | version),
      u16(version),
      u16(flags),
      u16(method),
      u32(0x5a210000),
      u32(crc),
      u32(saidCompressed),
      u32(said),
      u16(name.length),
      u16(extra.length),
      u16(0),
      u16(archive.disk ?? 0),
      u16(0),
      u32(entry.attributes ?? 0o100644 * 0x10000),
      u32(entry.offset ?? start),
      name,
      extra,
    );
  }
  const at = offset;
  const records = Buffer.concat(directory);
  push(records);
  const count = archive.count ?? entries.length;
  if (archive.zip64) {
    const record = offset;
    push(u32(0x06064b50), u64(44), u16(45), u16(45), u32(0), u32(0), u64(count), u64(count), u64(records.length), u64(at));
    push(u32(0x07064b50), u32(0), u64(record), u32(1));
  }
  const [saidCount, saidAt] = archive.zip64 ? [0xffff, 0xffffffff] : [count, at];
  const comment = Buffer.from(archive.comment ?? "");
  push(u32(0x06054b50), u16(archive.disk ?? 0), u16(archive.disk ?? 0), u16(saidCount), u16(saidCount));
  push(u32(records.length), u32(saidAt), u16(comment.length), comment);
  return Buffer.concat(parts);
}

/** The entries of an archive as the central directory has them, and the content of each. */
export async function unzip(bytes) {
  const { ZipReader, Uint8ArrayReader, Uint8ArrayWriter } = await import("@zip.js/zip.js/lib/zip-core-native.js");
  const entries = await new ZipReader(new Uint8ArrayReader(new Uint8Array(bytes)), { useWebWorkers: false }).getEntries();
  return Promise.all(
    entries.map(async (entry) => ({
      name: entry.filename,
      date: entry.lastModDate,
      method: entry.compressionMethod,
      content: entry.directory
        ? Buffer.alloc(0)
        : Buffer.from(await entry.getData(new Uint8ArrayWriter(), { checkCrc32: true, useWebWorkers: false })),
    })),
  );
}

/** Zeros packed without ever being there. */
export async function deflatedZeros(length) {
  const deflate = createDeflateRaw({ level: 9 });
  const chunks = deflate.toArray();
  const zeros = Buffer.alloc(1 << 20);
  for (let written = 0; written < length; written += zeros.length) {
    if (!deflate.write(zeros)) await new Promise((resolve) => deflate.once("drain", resolve));
  }
  deflate.end();
  return Buffer.concat(await chunks);
}
