// What is used of the zip library: its core without workers, evaluated code or a codec of its own, so that it runs
// under any content security policy, on the platform's CompressionStream.
export {
  BlobReader,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
  type Entry,
  type FileEntry,
} from "@zip.js/zip.js/lib/zip-core-custom.js";
