// Encrypted keys: with a passphrase, or with a secret from a passkey.
//
// Deriving a key from a passphrase is slow on purpose, so that guessing is slow for somebody who copied the browser's profile.

import { type Passkey, createPasskey, fromBase64, random, secretOf, toBase64 } from "./passkey.ts";

const ROUNDS = 600_000;

interface Encrypted {
  iv: string;
  text: string;
}

type Locked = Encrypted & ({ rounds: number; salt: string } | { passkey: Passkey });

export async function lockKey(key: string, passphrase: string): Promise<string> {
  const salt = random(16);
  const locked: Locked = {
    rounds: ROUNDS,
    salt: toBase64(salt),
    ...(await encrypted(key, await fromPassphrase(passphrase, salt, ROUNDS))),
  };
  return JSON.stringify(locked);
}

/** Encrypts with a new passkey; null if the user or the device declined. */
export async function lockKeyWithPasskey(key: string): Promise<string | null> {
  const made = await createPasskey();
  if (!made) return null;
  const locked: Locked = { passkey: made.passkey, ...(await encrypted(key, await fromSecret(made.secret))) };
  return JSON.stringify(locked);
}

export function isUnderPasskey(stored: string): boolean {
  return stored !== "" && "passkey" in (JSON.parse(stored) as Locked);
}

/** Decrypts; null for a wrong passphrase, or if the user or the device declined. A passkey needs no passphrase. */
export async function unlockedKey(stored: string, passphrase = ""): Promise<string | null> {
  try {
    const locked = JSON.parse(stored) as Locked;
    if (!("passkey" in locked)) return await decrypted(locked, await fromPassphrase(passphrase, fromBase64(locked.salt), locked.rounds));
    const secret = await secretOf(locked.passkey);
    return secret && (await decrypted(locked, await fromSecret(secret)));
  } catch {
    return null;
  }
}

async function encrypted(key: string, under: CryptoKey): Promise<Encrypted> {
  const iv = random(12);
  const text = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, under, new TextEncoder().encode(key));
  return { iv: toBase64(iv), text: toBase64(new Uint8Array(text)) };
}

async function decrypted({ iv, text }: Encrypted, under: CryptoKey): Promise<string> {
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: fromBase64(iv) }, under, fromBase64(text)));
}

async function fromPassphrase(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, material, ...aes);
}

/** The secret is as random as a key and used for nothing else, so it needs no slow derivation. */
async function fromSecret(secret: BufferSource): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode("threadkeep demo: the model's key");
  return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, material, ...aes);
}

const aes = [{ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]] satisfies [AesKeyGenParams, boolean, KeyUsage[]];
