// `secret_registry` of `base_state.json`: names, descriptions and kinds; values are redacted or Fernet tokens.
import type { StoredSecret } from "../events/types.js";
import { type Cipher, tokenPrefix } from "./fernet.js";
import type { LookupSecret, SecretValue } from "./source.js";
import type { Read, Tally } from "./types.js";

/** Written in place of a value that is not stored. The SDK reads it as no value. */
export const redacted = "**********";

/** Reads a value as the SDK does, except that a token without a passphrase is no value. */
export async function readValue(stored: unknown, cipher: Cipher | undefined, tally: Tally): Promise<Read> {
  if (typeof stored !== "string" || stored.trim() === "" || stored === redacted) return "none";
  if (!stored.startsWith(tokenPrefix)) return { value: stored };
  const value = (await cipher?.decrypt(stored)) ?? null;
  tally[value === null ? "unreadable" : "readable"] += 1;
  return value === null ? "unreadable" : { value };
}

/** The stored source of a secret; `undefined` if a part of it could not be read. */
export async function readSource(stored: StoredSecret, cipher: Cipher | undefined, tally: Tally): Promise<SecretValue | undefined> {
  if (stored.kind === "StaticSecret") {
    const value = await readValue(stored.value, cipher, tally);
    return typeof value === "object" ? value.value : undefined;
  }
  if (stored.kind !== "LookupSecret" || typeof stored.url !== "string" || !/^https?:/.test(stored.url)) return undefined;
  const headers: Record<string, string> = {};
  let isComplete = true;
  for (const [name, header] of Object.entries(stored.headers ?? {})) {
    const value = isSecretHeader(name) ? await readValue(header, cipher, tally) : { value: header };
    if (typeof value === "object") headers[name] = value.value;
    else isComplete = false;
  }
  return isComplete ? { url: stored.url, headers } : undefined;
}

/**
 * A source as it is stored, with the SDK's field order. Without a cipher an existing token stays, because somebody with
 * the passphrase can still read it.
 */
export async function writeSource(
  source: SecretValue,
  cipher: Cipher | undefined,
  before: StoredSecret | undefined,
): Promise<StoredSecret> {
  const description = before?.description === undefined ? {} : { description: before.description };
  if (typeof source === "object") return { ...description, ...(await writeLookup(source, cipher, before)), kind: "LookupSecret" };
  const token = before?.kind === "StaticSecret" ? before.value : undefined;
  if (typeof source === "string") return { ...description, value: await write(source, cipher, token), kind: "StaticSecret" };
  return { ...description, ...(!cipher && isToken(token) && { value: token }), kind: "StaticSecret" };
}

async function writeLookup({ url, headers = {} }: LookupSecret, cipher: Cipher | undefined, before: StoredSecret | undefined) {
  const stored: Record<string, string> = {};
  const tokens = before?.url === url ? before.headers : undefined;
  for (const [name, value] of Object.entries(headers)) {
    stored[name] = isSecretHeader(name) ? await write(value, cipher, tokens?.[name]) : value;
  }
  return { url, headers: stored };
}

/** An unchanged value keeps its token, so that opening a conversation changes nothing in the file. */
async function write(value: string, cipher: Cipher | undefined, token: unknown): Promise<string> {
  if (!cipher) return isToken(token) ? token : redacted;
  if (isToken(token) && (await cipher.decrypt(token)) === value) return token;
  return cipher.encrypt(value);
}

export function isToken(stored: unknown): stored is string {
  return typeof stored === "string" && stored.startsWith(tokenPrefix);
}

/** The SDK's `is_secret_key`. */
export function isSecretHeader(name: string): boolean {
  return /AUTHORIZATION|COOKIE|CREDENTIAL|KEY|PASSWORD|SECRET|SESSION|TOKEN/.test(name.toUpperCase());
}
