// A secret from a passkey, which the device gives only after the user has agreed: WebAuthn's PRF extension.
import { ThreadkeepError, textOf } from "../../input/errors.js";
import { fromBase64, random, toBase64 } from "../../input/bytes.js";

export interface Passkey {
  /** Base64. */
  id: string;
  /** Base64: the input of the PRF. */
  salt: string;
}

/** Asks the user for a new passkey, and perhaps a second time for its secret. */
export async function createPasskey(name = location.hostname): Promise<{ passkey: Passkey; secret: BufferSource }> {
  const salt = random(32);
  const created = await asked(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: random(32),
        rp: { name },
        user: { id: random(16), name, displayName: name },
        // ES256 and RS256; every device has one of them.
        pubKeyCredParams: [-7, -257].map((alg) => ({ type: "public-key", alg })),
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        extensions: { prf: { eval: { first: salt } } },
      },
    }),
  );
  const { prf } = created.getClientExtensionResults();
  const passkey = { id: toBase64(new Uint8Array(created.rawId)), salt: toBase64(salt) };
  if (prf?.results) return { passkey, secret: prf.results.first };
  if (!prf?.enabled) throw withoutSecrets();
  // Some devices give the secret only when the passkey is used, not when it is created.
  return { passkey, secret: await secretOf(passkey) };
}

/** Asks the user for the secret of a passkey. */
export async function secretOf({ id, salt }: Passkey): Promise<BufferSource> {
  const [credential, first] = [fromBase64(id), fromBase64(salt)];
  if (!credential || !first) throw new ThreadkeepError("store_corrupt", "the record of the passkey was changed");
  const used = await asked(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: random(32),
        allowCredentials: [{ type: "public-key", id: credential }],
        userVerification: "required",
        extensions: { prf: { eval: { first } } },
      },
    }),
  );
  const secret = used.getClientExtensionResults().prf?.results?.first;
  if (!secret) throw withoutSecrets();
  return secret;
}

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!globalThis.PublicKeyCredential || !globalThis.navigator?.credentials)
    throw new ThreadkeepError("store_unavailable", "there are no passkeys here; use a passphrase");
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (error) {
    throw new ThreadkeepError("permission_required", `the passkey was not used: ${textOf(error)}; ask in the handler of a click`, {
      cause: error,
    });
  }
  if (!(credential instanceof PublicKeyCredential)) throw withoutSecrets();
  return credential;
}

const withoutSecrets = () =>
  new ThreadkeepError("store_unavailable", "this device or browser has no passkeys with secrets (PRF); use a passphrase");
