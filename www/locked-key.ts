// A key encrypted under a passphrase. Slow on purpose: whoever copied the browser's profile has to guess as slowly.

const ROUNDS = 600_000;

interface Locked {
  rounds: number;
  salt: string;
  iv: string;
  text: string;
}

export async function lockKey(key: string, passphrase: string): Promise<string> {
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const text = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await derive(passphrase, salt, ROUNDS), new TextEncoder().encode(key));
  const locked: Locked = { rounds: ROUNDS, salt: toBase64(salt), iv: toBase64(iv), text: toBase64(new Uint8Array(text)) };
  return JSON.stringify(locked);
}

/** Null for another passphrase. */
export async function unlockedKey(stored: string, passphrase: string): Promise<string | null> {
  try {
    const { rounds, salt, iv, text } = JSON.parse(stored) as Locked;
    const derived = await derive(passphrase, fromBase64(salt), rounds);
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: fromBase64(iv) }, derived, fromBase64(text)));
  } catch {
    return null;
  }
}

async function derive(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
