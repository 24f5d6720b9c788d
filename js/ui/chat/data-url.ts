/** A `data:` URL needs no release, and a strict policy for images often allows it. `null` for what cannot be read. */
export function dataUrl(media: Blob): Promise<string | null> {
  const reader = new FileReader();
  return new Promise((resolve) => {
    reader.onloadend = () =>
      resolve(typeof reader.result === "string" && /^data:(image|audio)\//.test(reader.result) ? reader.result : null);
    reader.readAsDataURL(media);
  });
}
