// Images in messages and results. The code that reads a Blob is loaded with the first image.
import type { Content } from "./events.js";
import type { LLM } from "./llm.js";
import { part } from "./wasm.js";

/** An image of the host: a Blob, or a list of URLs (`http(s):` or `data:`) and Blobs. */
export type Image = Blob | { type: "image"; image_urls: ReadonlyArray<string | Blob> };

/**
 * The content with every Blob as a data URL; returned synchronously if there is no image. Rejects if the model is known
 * not to accept images. @internal
 */
export function withImages(content: readonly unknown[], llm?: LLM): readonly unknown[] | Promise<readonly unknown[]> {
  return content.some(isImage) ? part(import("./images/read.js")).then(({ readImages }) => readImages(content, llm)) : content;
}

/** Whether it is a valid part of content. @internal */
export function isContent(part: unknown): part is Content | Image {
  return isImage(part) || (part as Content | null)?.type === "text";
}

function isImage(part: unknown): part is Image {
  return part instanceof Blob || (part as Content | null)?.type === "image";
}
