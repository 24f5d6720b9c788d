import { el } from "./dom.js";

/** Offers bytes as a download. Without a type of its own, no browser opens the file as a page of this origin. */
export function saveFile(bytes: Uint8Array, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/octet-stream" }));
  el("a", { href: url, download: name }).click();
  // The browser reads it after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
