// Seals rows with AES-GCM, under a new random nonce each. A row says inside where it belongs, so that one that was moved to another
// place is noticed, and told from one whose bytes were changed.
import { ThreadkeepError } from "../../input/errors.js";
import { type Bytes, bytesOf, fromBase64, joined, random, textOfBytes, toBase64 } from "../../input/bytes.js";

/** The keys of a store, made of its one random key. */
export interface Keys {
  rows: CryptoKey;
  /** Seals names of files. */
  names: CryptoKey;
  /** Chooses the nonce of each name, so that the same name is always sealed the same. */
  nonces: CryptoKey;
  /** Seals the index of the search. */
  index: CryptoKey;
}

const nonceLength = 12;
/** The parts of a file's name: too long ones are replaced by a hash, and stand in the file only. */
const longestPath = 700;
const longName = "long.";
const before = '{"threadkeep_sealed":"';
const after = '"}';

export async function keysOf(key: Bytes): Promise<Keys> {
  const source = await crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveKey"]);
  const made = (purpose: string, kind: AesKeyGenParams | HmacKeyGenParams, uses: KeyUsage[]) => {
    const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytesOf(`threadkeep store: ${purpose}`) };
    return crypto.subtle.deriveKey(how, source, kind, false, uses);
  };
  const aes = { name: "AES-GCM", length: 256 };
  const [rows, names, index, nonces] = await Promise.all([
    ...["rows", "names", "search index"].map((purpose) => made(purpose, aes, ["encrypt", "decrypt"])),
    made("nonces of names", { name: "HMAC", hash: "SHA-256", length: 256 }, ["sign"]),
  ]);
  return { rows: rows!, names: names!, index: index!, nonces: nonces! };
}

/** Nonce, then what AES-GCM makes of the place's length, the place and the content. */
export async function seal({ rows }: Keys, place: string, content: Uint8Array): Promise<Bytes> {
  const name = bytesOf(place);
  const length = new Uint8Array([name.length >> 8, name.length & 255]);
  const iv = random(nonceLength);
  return joined([iv, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, rows, joined([length, name, content])))]);
}

/** @throws ThreadkeepError `store_corrupt` */
export async function open(keys: Keys, place: string, sealed: Uint8Array): Promise<Bytes> {
  const { place: found, content } = await opened(keys, place, sealed);
  if (found !== place) throw new ThreadkeepError("store_corrupt", `in the sealed store, ${place} has been replaced by ${found}`);
  return content;
}

/** The content and the place for which it was sealed. `what` names it in an error. */
export async function opened({ rows }: Keys, what: string, sealed: Uint8Array): Promise<{ place: string; content: Bytes }> {
  let bytes: Bytes;
  try {
    const iv = sealed.slice(0, nonceLength);
    bytes = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, rows, sealed.slice(nonceLength)));
  } catch {
    throw changed(what);
  }
  const end = 2 + bytes[0]! * 256 + bytes[1]!;
  return { place: textOfBytes(bytes.subarray(2, end)), content: bytes.subarray(end) };
}

export async function sealText(keys: Keys, place: string, text: string): Promise<string> {
  return before + toBase64(await seal(keys, place, bytesOf(text))) + after;
}

export async function openText(keys: Keys, place: string, sealed: string): Promise<string> {
  const isSealed = sealed.startsWith(before) && sealed.endsWith(after);
  const bytes = isSealed ? fromBase64(sealed.slice(before.length, -after.length)) : undefined;
  if (!bytes) throw changed(place);
  return textOfBytes(await open(keys, place, bytes));
}

/** The name under which a file of a conversation is stored: always the same for the same path. */
export async function sealName({ names, nonces }: Keys, conversation: string, path: string): Promise<string> {
  const bytes = bytesOf(path);
  const additionalData = bytesOf(conversation);
  const hash = new Uint8Array(await crypto.subtle.sign("HMAC", nonces, joined([additionalData, bytes])));
  if (bytes.length > longestPath) return longName + forName(hash);
  const iv = hash.slice(0, nonceLength);
  return forName(joined([iv, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, names, bytes))]));
}

/** The path of the file with this name; `undefined` if it stands in the file. */
export async function openName({ names }: Keys, conversation: string, name: string): Promise<string | undefined> {
  if (name.startsWith(longName)) return undefined;
  const sealed = fromBase64(name.replaceAll("-", "+").replaceAll("_", "/"));
  try {
    const how = { name: "AES-GCM", iv: sealed!.slice(0, nonceLength), additionalData: bytesOf(conversation) };
    return textOfBytes(new Uint8Array(await crypto.subtle.decrypt(how, names, sealed!.slice(nonceLength))));
  } catch {
    throw changed(`the name of a file of conversation ${conversation}`);
  }
}

function changed(what: string): ThreadkeepError {
  const text = `in the sealed store, ${what} has been changed, or was sealed with another key`;
  return new ThreadkeepError("store_corrupt", text);
}

/** Base64 in the spelling for names. The length of a multiple of three bytes needs no filling, others are read without it. */
const forName = (bytes: Bytes): string => toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
