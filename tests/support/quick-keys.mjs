// The record of keys of a sealed store, with a passphrase that is derived in one round instead of 600,000: the suite of stores opens more
// than a hundred handles, and what it checks does not depend on how slow guessing is.

const keyConversation = "5ea1ed00-0000-4000-8000-000000000000";
const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** Gives a store that is to be sealed such a record, if it has none. */
export async function withQuickKeys(inner, passphrase) {
  if (await inner.load(keyConversation)) return inner;
  const [salt, nonce, key] = [16, 12, 32].map((length) => crypto.getRandomValues(new Uint8Array(length)));
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(passphrase), "PBKDF2", false, ["deriveKey"]);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 1 };
  const under = await crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  const sealed = base64(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, under, key));
  const slot = { kind: "passphrase", rounds: 1, salt: base64(salt), nonce: base64(nonce), key: sealed };
  const baseState = JSON.stringify({ threadkeep_keys: [slot] });
  await inner.commit(keyConversation, { expectedLength: 0, events: [], files: [], at: 1, durability: "relaxed", baseState });
  return inner;
}
