/** @jsxImportSource preact */
// The content of a file as the page can show it: as an image, as text, or not at all. The bytes decide, because agents and
// archives choose the names.

import { render } from "preact";
import { PlainText } from "threadkeep/preact";
import { el } from "../shell/dom.ts";

/** Images that browsers show without executing anything in them: no SVG. */
const IMAGES: ReadonlyArray<[type: string, at: number, bytes: readonly number[]]> = [
  ["image/png", 0, [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", 0, [0xff, 0xd8, 0xff]],
  ["image/gif", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", 8, [0x57, 0x45, 0x42, 0x50]],
];

/** The view of a file, and a function that releases its resources. */
export function contentView(bytes: Uint8Array, name: string): { element: HTMLElement; release: () => void } {
  const type = imageType(bytes);
  if (type !== undefined) {
    const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
    return { element: el("img", { src: url, alt: name, class: "file-image" }), release: () => URL.revokeObjectURL(url) };
  }
  return { element: textView(textOf(bytes)), release: () => undefined };
}

function textView(text: string | null): HTMLElement {
  if (text === null)
    return el("p", { class: "quiet" }, "This is not text, and not an image that this page shows. Download it to open it elsewhere.");
  if (text === "") return el("p", { class: "quiet" }, "The file is empty.");
  return plainView(text, "Content");
}

/** Text as it is, which can be scrolled. */
export function plainView(text: string, name: string): HTMLElement {
  const pre = el("pre", { class: "file-text", tabindex: 0, role: "group", "aria-label": name });
  render(<PlainText text={text} />, pre);
  return pre;
}

function imageType(bytes: Uint8Array): string | undefined {
  return IMAGES.find(([, at, first]) => first.every((byte, index) => bytes[at + index] === byte))?.[0];
}

/** Null for other content than text. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, 8_000).includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
