// Files for the next message: images go to the model as such, any other file into the workspace.
import type { FileContent, Image } from "threadkeep";
import { dataUrl } from "../data-url.js";
import { sizeText } from "../file-size.js";
import type { ControlLabels } from "./labels.js";

/** In bytes, as the library allows. */
export const largestFile = 32 * 2 ** 20;
export const mostAttachments = 20;

export interface Attachment {
  key: number;
  name: string;
  /** In bytes. */
  size: number;
  part: FileContent | Image;
  /** A `data:` URL of an image, for the thumbnail. */
  preview: string | null;
}

let made = 0;
export const nextKey = (): number => made++;

/** Resolves to the attachment, or to the sentence that says why the file is refused, as others than images are on a server. Never rejects. */
export async function readAttachment(file: Blob, labels: ControlLabels, isOnServer: boolean): Promise<Attachment | string> {
  const named = file instanceof File ? file.name : "";
  const name = named || labels.unnamedFile;
  const { size } = file;
  if (size > largestFile) return labels.refusedLarge(name, sizeText(size), `${largestFile / 2 ** 20} MiB`);
  try {
    // A folder, or a file that is gone, cannot be read.
    await file.slice(0, 1).arrayBuffer();
    // An SVG is a text for models, and no browser turns it into another image here.
    if (file.type.startsWith("image/") && !file.type.startsWith("image/svg"))
      return { key: nextKey(), name: named || labels.unnamedImage, size, part: file, preview: await dataUrl(file) };
    if (isOnServer) return labels.refusedByServer(name);
    return { key: nextKey(), name, size, part: { type: "file", file, name }, preview: null };
  } catch {
    return labels.refusedUnreadable(name);
  }
}
