// Files for the next message: which are taken, as what, and why others are refused.
import type { Content, Image } from "threadkeep";
import { textOfAttached } from "./attached-text.js";
import type { ControlLabels } from "./labels.js";

/** In bytes. A text goes to the model as it is, and this much is about 50,000 tokens. */
const longestText = 200_000;
export const mostAttachments = 20;

/** For the file dialog. Files that are dropped or pasted are recognized by their content. */
export const acceptedFiles =
  "image/png,image/jpeg,image/gif,image/webp,image/*,text/*,application/json,application/xml,.md,.csv,.log,.yaml,.yml,.toml";

export interface Attachment {
  key: number;
  name: string;
  part: Content | Image;
  /** A `data:` URL of an image, for the thumbnail. */
  preview: string | null;
}

let made = 0;

/** Resolves to the attachment, or to the sentence that says why the file is refused. Never rejects. */
export async function readAttachment(file: Blob, labels: ControlLabels): Promise<Attachment | string> {
  const named = file instanceof File ? file.name : "";
  try {
    const start = new Uint8Array(await file.slice(0, 5).arrayBuffer());
    if (file.type === "application/pdf" || String.fromCharCode(...start) === "%PDF-") return labels.refusedPdf(named || labels.unnamedFile);
    // An SVG is a text for models, and no browser turns it into another image here.
    if (file.type.startsWith("image/") && !file.type.startsWith("image/svg")) {
      return { key: made++, name: named || labels.unnamedImage, part: file, preview: await dataUrl(file) };
    }
    const name = named || labels.unnamedFile;
    if (file.size > longestText)
      return isText(file.slice(0, 1000)).then((is) => (is ? labels.refusedLarge(name, size(longestText)) : labels.refusedKind(name)));
    const text = decoded(await file.arrayBuffer());
    if (text === null) return labels.refusedKind(name);
    return { key: made++, name, part: { type: "text", text: textOfAttached({ name, text }) }, preview: null };
  } catch {
    // A folder, or a file that is gone.
    return labels.refusedUnreadable(named || labels.unnamedFile);
  }
}

/** Whether the beginning of a file is text; the last character may be cut. */
async function isText(start: Blob): Promise<boolean> {
  const bytes = await start.arrayBuffer();
  return [0, 1, 2, 3].some((cut) => decoded(bytes.slice(0, bytes.byteLength - cut)) !== null);
}

/** `null` if it is no UTF-8, or has a character that no text has. */
function decoded(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

const size = (bytes: number): string =>
  new Intl.NumberFormat("en", { style: "unit", unit: "kilobyte", unitDisplay: "short" }).format(bytes / 1000);

/** A `data:` URL needs no release, and a strict policy for images often allows it. */
function dataUrl(image: Blob): Promise<string | null> {
  const reader = new FileReader();
  return new Promise((resolve) => {
    reader.onloadend = () => resolve(typeof reader.result === "string" && reader.result.startsWith("data:image/") ? reader.result : null);
    reader.readAsDataURL(image);
  });
}
