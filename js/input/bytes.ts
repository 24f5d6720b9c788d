// Bytes, as texts and from texts.

/** @internal */
export type Bytes = Uint8Array<ArrayBuffer>;

/** @internal */
export function toBase64(bytes: Uint8Array & { toBase64?: () => string }): string {
  return bytes.toBase64?.() ?? btoa(binaryOf(bytes));
}

/** A text with one character for each byte. @internal */
export function binaryOf(bytes: Uint8Array): string {
  let text = "";
  // A limited number of arguments, because engines have a maximum.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

/** `undefined` for a text that is not base64. @internal */
export function fromBase64(text: string): Bytes | undefined {
  try {
    const { fromBase64: read } = Uint8Array as unknown as { fromBase64?: (text: string) => Bytes };
    return read ? read.call(Uint8Array, text) : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();
/** A text that breaks off inside of a character gets a replacement character; a byte order mark is a part of the text. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** @internal */
export const bytesOf = (text: string): Bytes => encoder.encode(text);
/** @internal */
export const textOfBytes = (bytes: Uint8Array): string => decoder.decode(bytes);
/** @internal */
export const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

/** @internal */
export function joined(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The body of a response, which is cancelled if `take` throws: it is called with the length of each piece that has come. @internal */
export async function bodyOf(response: Response, take: (length: number) => void): Promise<Bytes> {
  const parts: Uint8Array[] = [];
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    try {
      take(next.value.length);
    } catch (error) {
      void reader!.cancel().catch(() => {});
      throw error;
    }
    parts.push(next.value);
  }
  return joined(parts);
}

/** Half of the SHA-256, as hex digits: tells contents apart. @internal */
export async function hashOf(bytes: Bytes): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
