// A secret from a passkey, which the device gives only after the user agreed: WebAuthn's PRF extension.

export interface Passkey {
  /** Base64. */
  id: string;
  /** Base64: the input of the PRF. */
  salt: string;
}

/** Whether the browser supports this. Whether the device does is known only after asking it. */
export async function passkeysCanLock(): Promise<boolean> {
  if (!globalThis.PublicKeyCredential) return false;
  const capabilities = await PublicKeyCredential.getClientCapabilities?.().catch(() => undefined);
  return capabilities?.["extension:prf"] ?? false;
}

/** Creates a passkey and returns its secret; null if the user or the device declined. */
export async function createPasskey(): Promise<{ passkey: Passkey; secret: BufferSource } | null> {
  const salt = random(32);
  const created = await orNull(
    navigator.credentials.create({
      publicKey: {
        challenge: random(32),
        rp: { name: "threadkeep demo" },
        user: { id: random(16), name: "threadkeep demo", displayName: "The key of the threadkeep demo" },
        // ES256 and RS256; every device has one of them.
        pubKeyCredParams: [
          { type: "public-key", alg: -7 },
          { type: "public-key", alg: -257 },
        ],
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        extensions: { prf: { eval: { first: salt } } },
      },
    }),
  );
  if (!(created instanceof PublicKeyCredential)) return null;
  const { prf } = created.getClientExtensionResults();
  const passkey = { id: toBase64(new Uint8Array(created.rawId)), salt: toBase64(salt) };
  if (prf?.results) return { passkey, secret: prf.results.first };
  // Some devices give the secret only when the passkey is used, not when it is created.
  const secret = prf?.enabled ? await secretOf(passkey) : null;
  return secret && { passkey, secret };
}

/** The secret of a passkey; null if the user or the device declined. */
export async function secretOf({ id, salt }: Passkey): Promise<BufferSource | null> {
  const used = await orNull(
    navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: [{ type: "public-key", id: fromBase64(id) }],
        userVerification: "required",
        extensions: { prf: { eval: { first: fromBase64(salt) } } },
      },
    }),
  );
  return used instanceof PublicKeyCredential ? (used.getClientExtensionResults().prf?.results?.first ?? null) : null;
}

/** The result, or null if the browser rejects because the user or the device declined. */
const orNull = (asked: Promise<Credential | null>): Promise<Credential | null> => asked.catch(() => null);

export const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));
export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
