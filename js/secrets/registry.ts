// `secret_registry` of `base_state.json`: names, descriptions and kinds; values redacted, or as Fernet tokens.
import { type Cipher, tokenPrefix } from "./fernet.js";
import type { StoredSecret } from "../events.js";
import type { LookupSecret, SecretValue } from "./source.js";

/** What stands for a value that is not stored. The SDK reads it as none. */
export const redacted = "**********";

/** What a stored text says: a value, none, or one that cannot be read here. */
export type Read = { value: string } | "none" | "unreadable";

/** Counts tokens, to tell a wrong passphrase from one token that is broken. */
export interface Tally {
  readable: number;
  unreadable: number;
}

/** Reads a value as the SDK does, but for tokens without a passphrase: those are no values. */
export async function readValue(stored: unknown, cipher: Cipher | undefined, tally: Tally): Promise<Read> {
  if (typeof stored !== "string" || stored.trim() === "" || stored === redacted) return "none";
  if (!stored.startsWith(tokenPrefix)) return { value: stored };
  const value = (await cipher?.decrypt(stored)) ?? null;
  tally[value === null ? "unreadable" : "readable"] += 1;
  return value === null ? "unreadable" : { value };
}

/** The source that is stored under a name, and whether all of it could be read. */
export async function readSource(stored: StoredSecret, cipher: Cipher | undefined, tally: Tally): Promise<SecretValue | undefined> {
  if (stored.kind === "StaticSecret") {
    const value = await readValue(stored.value, cipher, tally);
    return typeof value === "object" ? value.value : undefined;
  }
  if (stored.kind !== "LookupSecret" || typeof stored.url !== "string" || !/^https?:/.test(stored.url)) return undefined;
  const headers: Record<string, string> = {};
  let isWhole = true;
  for (const [name, header] of Object.entries(stored.headers ?? {})) {
    const value = isSecretHeader(name) ? await readValue(header, cipher, tally) : { value: header };
    if (typeof value === "object") headers[name] = value.value;
    else isWhole = false;
  }
  return isWhole ? { url: stored.url, headers } : undefined;
}

/**
 * A source in the form in which it is stored, in the order of the SDK's fields. Without a cipher, a token that is there
 * stays: it can be read by who has the passphrase, and asterisks by nobody.
 */
export async function writeSource(source: SecretValue, cipher: Cipher | undefined, before: StoredSecret | undefined): Promise<StoredSecret> {
  const description = before?.description === undefined ? {} : { description: before.description };
  if (typeof source === "object") return { ...description, ...(await writeLookup(source, cipher, before)), kind: "LookupSecret" };
  const kept = before?.kind === "StaticSecret" ? before.value : undefined;
  if (typeof source === "string") return { ...description, value: await write(source, cipher, kept), kind: "StaticSecret" };
  return { ...description, ...(!cipher && isToken(kept) && { value: kept }), kind: "StaticSecret" };
}

async function writeLookup({ url, headers = {} }: LookupSecret, cipher: Cipher | undefined, before: StoredSecret | undefined) {
  const stored: Record<string, string> = {};
  const kept = before?.url === url ? before.headers : undefined;
  for (const [name, value] of Object.entries(headers)) {
    stored[name] = isSecretHeader(name) ? await write(value, cipher, kept?.[name]) : value;
  }
  return { url, headers: stored };
}

/** The same value keeps its token, so that opening a conversation changes nothing in it. */
async function write(value: string, cipher: Cipher | undefined, kept: unknown): Promise<string> {
  if (!cipher) return isToken(kept) ? kept : redacted;
  if (isToken(kept) && (await cipher.decrypt(kept)) === value) return kept;
  return cipher.encrypt(value);
}

export function isToken(stored: unknown): stored is string {
  return typeof stored === "string" && stored.startsWith(tokenPrefix);
}

/** As `is_secret_key` of the SDK has it. */
export function isSecretHeader(name: string): boolean {
  return /AUTHORIZATION|COOKIE|CREDENTIAL|KEY|PASSWORD|SECRET|SESSION|TOKEN/.test(name.toUpperCase());
}
