// An export as a stream of blocks, and that as a Blob.
import { invalidOptions } from "../../input/errors.js";
import type { Store } from "../../store/store.js";
import type { ExportOptions, Work } from "../types.js";
import type { Bytes } from "../../input/bytes.js";
import { listener, untilAborted } from "./watching.js";
import { zipBlocks } from "./zip-export.js";

/** The functions of a stream that reads the conversation as it is now. */
export function zipSource(
  store: Store,
  id: string,
  { workspace: isIncluded = false, onProgress, signal }: ExportOptions,
  work: Work | undefined,
): { pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void>; cancel(): Promise<void> } {
  if (typeof isIncluded !== "boolean") throw invalidOptions("workspace must be true or false");
  const blocks = zipBlocks(store, id, listener(onProgress, "files"), signal, isIncluded ? work : undefined);
  return {
    pull: (controller) =>
      untilAborted(signal, "export", async () => {
        const { done, value } = await blocks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      }),
    cancel: async () => void (await blocks.return()),
  };
}

export async function blobOf(stream: ReadableStream<Bytes>): Promise<Blob> {
  const parts: Blob[] = [];
  const blocks: Bytes[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    blocks.push(next.value);
    // A Blob can be moved from memory to disk; an array of blocks cannot.
    if (blocks.length === 64) parts.push(new Blob(blocks.splice(0)));
  }
  return new Blob([...parts, ...blocks], { type: "application/zip" });
}
