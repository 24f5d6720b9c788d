// An export as a stream of a zip archive.
import type { CoreExport } from "../../pkg/threadkeep_archive.js";
import { Uint8ArrayReader, ZipWriter } from "./zip-library.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** The library writes a header here and a few bytes there; whoever reads gets blocks of about this size. */
const blockBytes = 64 << 10;

/** The entries of `source`, which is freed at the end, packed as they are read. `report` is told of files done. */
export function zipStream(source: CoreExport, report: (done: number, total: number) => void): ReadableStream<Bytes> {
  const { readable, writable } = new TransformStream<Bytes, Bytes>(new Blocks());
  // A failure reaches the reader through the stream.
  pack(source, writable, report).catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}

async function pack(source: CoreExport, writable: WritableStream<Bytes>, report: (done: number, total: number) => void): Promise<void> {
  try {
    const writer = new ZipWriter(writable, { useWebWorkers: false, extendedTimestamp: false });
    const lastModDate = new Date(source.modifiedAt);
    for (;;) {
      const entry = await source.next();
      if (entry === undefined) break;
      const { name, content } = entry;
      if (name.endsWith("/")) await writer.add(name, undefined, { directory: true, lastModDate });
      else await writer.add(name, new Uint8ArrayReader(content), { lastModDate });
      report(...source.progress());
    }
    await writer.close();
  } finally {
    source.free();
  }
}

/** Joins small chunks. */
class Blocks implements Transformer<Bytes, Bytes> {
  #chunks: Bytes[] = [];
  #size = 0;

  transform(chunk: Bytes, controller: TransformStreamDefaultController<Bytes>) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= blockBytes) this.flush(controller);
  }

  flush(controller: TransformStreamDefaultController<Bytes>) {
    if (this.#size === 0) return;
    const block = new Uint8Array(this.#size);
    let offset = 0;
    for (const chunk of this.#chunks) {
      block.set(chunk, offset);
      offset += chunk.length;
    }
    this.#chunks = [];
    this.#size = 0;
    controller.enqueue(block);
  }
}
