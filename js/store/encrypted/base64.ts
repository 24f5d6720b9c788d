// Bytes as text, in pieces that an engine takes as arguments.

export type Bytes = Uint8Array<ArrayBuffer>;

export function toBase64(bytes: Uint8Array & { toBase64?: () => string }): string {
  if (bytes.toBase64) return bytes.toBase64();
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** `undefined` for a text that is not base64. */
export function fromBase64(text: string): Bytes | undefined {
  try {
    const { fromBase64: read } = Uint8Array as unknown as { fromBase64?: (text: string) => Bytes };
    return read ? read.call(Uint8Array, text) : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const bytesOf = (text: string): Bytes => encoder.encode(text);
export const textIn = (bytes: Uint8Array): string => decoder.decode(bytes);
export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

export function joined(...parts: Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
