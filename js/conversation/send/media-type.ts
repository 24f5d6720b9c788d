// The kinds of files that some models are given themselves, by their bytes: names and types of the platform may be wrong.

const beginnings: ReadonlyArray<readonly [type: string, beginning: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
  ["audio/wav", /^RIFF[^]{4}WAVE/],
  // A tag, or the first frame of an MPEG layer III.
  ["audio/mpeg", /^(ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
  // Some programs write a few bytes before the header.
  ["application/pdf", /%PDF-/],
];

/** The media type, if it is one of those that models are given. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 1024));
  return beginnings.find(([, beginning]) => beginning.test(start))?.[0];
}

/** In hexadecimal digits; `undefined` in a page that is no secure context. */
export async function sha256Of(bytes: Uint8Array): Promise<string | undefined> {
  const { subtle } = globalThis.crypto;
  if (!subtle) return undefined;
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes as BufferSource));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
