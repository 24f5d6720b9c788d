// Offers bytes to the user as a download.

import { el } from "../shell/dom.ts";

/** Without a type of its own, no browser opens the file as a page of this origin. */
export function download(content: Blob | Uint8Array, name: string): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type: "application/octet-stream" });
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  // The download reads the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
