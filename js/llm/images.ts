// Images in messages and results. The code that reads a Blob is loaded with the first image.
import type { Content } from "../events/types.js";
import { invalidOptions, reading } from "../input/errors.js";
import type { LLM } from "./llm.js";
import { part } from "../wasm/wasm.js";

/** An image of the host: a Blob, or a list of URLs (`http(s):` or `data:`) and Blobs. */
export type Image = Blob | { type: "image"; image_urls: ReadonlyArray<string | Blob> };

/**
 * The content with every Blob as a data URL; returned synchronously if there is no image. Rejects if the model is known
 * not to accept images. @internal
 */
export function withImages(content: readonly unknown[], llm?: LLM): readonly unknown[] | Promise<readonly unknown[]> {
  return content.some(isImage) ? part(import("./images/read.js")).then(({ readImages }) => readImages(content, llm)) : content;
}

/** The content of a message as JSON; a promise only if it has images. @internal */
export function contentOf(message: unknown, llm: LLM): string | Promise<string> {
  const given = reading("the message", () => {
    const content: unknown = typeof message === "string" ? [{ type: "text", text: message }] : message;
    if (!Array.isArray(content)) throw invalidOptions("a message is a string or an array of text and image parts");
    return withImages(content, llm);
  });
  const toJSON = (content: readonly unknown[]) => reading("the message", () => JSON.stringify(content));
  return given instanceof Promise ? given.then(toJSON) : toJSON(given);
}

/** Whether it is a valid part of content. @internal */
export function isContent(part: unknown): part is Content | Image {
  return isImage(part) || (part as Content | null)?.type === "text";
}

function isImage(part: unknown): part is Image {
  return part instanceof Blob || (part as Content | null)?.type === "image";
}
