// The functions of `node:zlib` that the shell library uses, for its commands gzip, gunzip and zcat. The build puts this
// module in place of that of Node.
import { type DeflateOptions, gunzipSync as gunzip, gzipSync as gzip } from "fflate";

export const constants = { Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: 6 };

export function gzipSync(data: Uint8Array, { level = constants.Z_DEFAULT_COMPRESSION }: { level?: number } = {}): Uint8Array {
  return gzip(data, { level: level as NonNullable<DeflateOptions["level"]> });
}

export function gunzipSync(data: Uint8Array, { maxOutputLength = Infinity }: { maxOutputLength?: number } = {}): Uint8Array {
  // The last four bytes name the size, which is allocated at once.
  const size = data.length < 18 ? 0 : new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(data.length - 4, true);
  if (size > maxOutputLength) throw new RangeError(`the content has more than ${maxOutputLength} bytes`);
  return gunzip(data);
}
