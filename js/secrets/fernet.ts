// Fernet tokens as the SDK's `Cipher` writes and reads them: https://github.com/fernet/spec.
//
// The key is the SHA-256 of the passphrase: its first half signs, its second half encrypts. One round of a fast hash
// is what the SDK has, so a passphrase must be long and random to resist guessing by whoever holds the file.
import { fromBase64, joined, toBase64 } from "../input/bytes.js";

/** The beginning of every token: version 0x80 and the high bits of a current timestamp. */
export const tokenPrefix = "gAAAAA";

/** Encrypts and decrypts with a passphrase. */
export interface Cipher {
  encrypt(text: string): Promise<string>;
  /** `null` if the token was not encrypted with this passphrase, or has been changed since. */
  decrypt(token: string): Promise<string | null>;
}

const headLength = 9;
const ivLength = 16;
const macLength = 32;

/** The cipher of a passphrase. Rejects in insecure contexts, because browsers have no WebCrypto there. */
export async function cipherOf(passphrase: string): Promise<Cipher> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(passphrase));
  const signing = await crypto.subtle.importKey("raw", hash.slice(0, 16), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const encryption = await crypto.subtle.importKey("raw", hash.slice(16), "AES-CBC", false, ["encrypt", "decrypt"]);
  return {
    async encrypt(text) {
      const head = new Uint8Array(headLength);
      head[0] = 0x80;
      new DataView(head.buffer).setBigUint64(1, BigInt(Math.floor(Date.now() / 1000)));
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const encrypted = await crypto.subtle.encrypt({ name: "AES-CBC", iv }, encryption, new TextEncoder().encode(text));
      const signed = joined([head, iv, new Uint8Array(encrypted)]);
      const mac = await crypto.subtle.sign("HMAC", signing, signed);
      return tokenOf(joined([signed, new Uint8Array(mac)]));
    },
    async decrypt(token) {
      const bytes = bytesIn(token);
      if (bytes?.[0] !== 0x80 || bytes.length < headLength + ivLength + macLength) return null;
      const end = bytes.length - macLength;
      const signed = bytes.subarray(0, end);
      // Unsigned data is never decrypted, because padding errors would reveal information about it.
      if (!(await crypto.subtle.verify("HMAC", signing, bytes.subarray(end), signed))) return null;
      const iv = bytes.subarray(headLength, headLength + ivLength);
      const text = await crypto.subtle.decrypt({ name: "AES-CBC", iv }, encryption, signed.subarray(headLength + ivLength));
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
    },
  };
}

/** In the alphabet of URLs. */
const tokenOf = (bytes: Uint8Array): string => toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_");
const bytesIn = (token: string) => fromBase64(token.trim().replaceAll("-", "+").replaceAll("_", "/"));
