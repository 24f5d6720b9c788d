// The store's one random key, sealed under each of the secrets that open the store. So another passphrase changes a few bytes, and no
// row has to be written again.
//
// Deriving a key from a passphrase is slow on purpose, so that guessing is slow for somebody who has copied the disk.
import { ThreadkeepError, invalidOptions } from "../../input/errors.js";
import { type Bytes, bytesOf, fromBase64, random, toBase64 } from "../../input/bytes.js";
import { type Passkey, createPasskey, secretOf } from "./passkey.js";
import type { StoreSecret } from "./types.js";

const rounds = 600_000;
/** More than this many rounds would keep a page busy for a minute. */
const mostRounds = 10_000_000;
const field = "threadkeep_keys";

interface Sealed {
  nonce: string;
  key: string;
}

/** The key as one secret opens it. */
type Slot = Sealed & ({ kind: "passphrase"; rounds: number; salt: string } | ({ kind: "passkey" } & Passkey));

export type SecretKind = Slot["kind"];

/** The secrets that open a store. Its text is the base state of a conversation that nobody sees. */
export class Keyring {
  readonly #slots: readonly Slot[];

  private constructor(slots: readonly Slot[]) {
    this.#slots = slots;
  }

  /** @throws ThreadkeepError `store_corrupt` */
  static parse(text: string): Keyring {
    let slots: unknown;
    try {
      slots = JSON.parse(text)[field];
    } catch {
      // Reported below.
    }
    if (!Array.isArray(slots) || slots.length === 0 || !slots.every(isSlot)) throw corrupt();
    return new Keyring(slots);
  }

  /** A new key under this secret. */
  static async create(secret: StoreSecret): Promise<{ ring: Keyring; key: Bytes }> {
    const key = random(32);
    return { ring: new Keyring([await slotOf(secret, key)]), key };
  }

  get text(): string {
    return JSON.stringify({ [field]: this.#slots });
  }

  /** The store's key. @throws ThreadkeepError `permission_required` for a secret that does not open it */
  async open(secret: StoreSecret): Promise<Bytes> {
    const kind = kindOf(secret);
    const slot = this.#slots.find((each) => each.kind === kind);
    if (!slot) throw refused(`no ${kind} opens this store; give its ${this.#slots.map((each) => each.kind).join(" or ")}`);
    const under = await underOf(slot, secret);
    const nonce = fromBase64(slot.nonce);
    const sealed = fromBase64(slot.key);
    if (!nonce || !sealed) throw corrupt();
    try {
      return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: nonce }, under, sealed));
    } catch {
      throw refused(`this is not the ${kind} of the store, or its record of keys was changed; nothing was opened`);
    }
  }

  /** With this secret, in the place of one of its kind. */
  async with(secret: StoreSecret, key: Bytes): Promise<Keyring> {
    const slot = await slotOf(secret, key);
    return new Keyring([...this.#slots.filter(({ kind }) => kind !== slot.kind), slot]);
  }

  without(kind: SecretKind): Keyring {
    const slots = this.#slots.filter((slot) => slot.kind !== kind);
    if (slots.length === this.#slots.length) throw invalidOptions(`no ${kind} opens this store`);
    if (slots.length === 0) throw invalidOptions(`the ${kind} is the only secret that opens this store; set another one first`);
    return new Keyring(slots);
  }
}

const kindOf = (secret: StoreSecret): SecretKind => ("passphrase" in secret ? "passphrase" : "passkey");

async function slotOf(secret: StoreSecret, key: Bytes): Promise<Slot> {
  const nonce = random(12);
  const seal = async (under: CryptoKey): Promise<Sealed> => {
    const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, under, key));
    return { nonce: toBase64(nonce), key: toBase64(sealed) };
  };
  if ("passphrase" in secret) {
    const salt = random(16);
    return { kind: "passphrase", rounds, salt: toBase64(salt), ...(await seal(await fromPassphrase(secret.passphrase, salt, rounds))) };
  }
  const { passkey, secret: given } = await createPasskey(secret.passkey === true ? undefined : secret.passkey.name);
  return { kind: "passkey", ...passkey, ...(await seal(await fromSecret(given))) };
}

async function underOf(slot: Slot, secret: StoreSecret): Promise<CryptoKey> {
  if (slot.kind === "passkey") return fromSecret(await secretOf(slot));
  const salt = fromBase64(slot.salt);
  if (!salt) throw corrupt();
  return fromPassphrase((secret as { passphrase: string }).passphrase, salt, slot.rounds);
}

async function fromPassphrase(passphrase: string, salt: Bytes, iterations: number): Promise<CryptoKey> {
  // Devices spell the same letter with an accent in two ways.
  const material = await crypto.subtle.importKey("raw", bytesOf(passphrase.normalize("NFC")), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, material, ...aes);
}

/** The secret is as random as a key and used for nothing else, so it needs no slow derivation. */
async function fromSecret(secret: BufferSource): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const info = bytesOf("threadkeep store: the key under a passkey");
  return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, material, ...aes);
}

const aes = [{ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]] satisfies [AesKeyGenParams, boolean, KeyUsage[]];

function isSlot(value: unknown): value is Slot {
  const slot = (value ?? {}) as Record<string, unknown>;
  const isText = (name: string) => typeof slot[name] === "string";
  if (!isText("nonce") || !isText("key") || !isText("salt")) return false;
  if (slot["kind"] === "passkey") return isText("id");
  const count = slot["rounds"];
  return slot["kind"] === "passphrase" && Number.isInteger(count) && (count as number) > 0 && (count as number) <= mostRounds;
}

const refused = (message: string) => new ThreadkeepError("permission_required", message);

function corrupt(): ThreadkeepError {
  return new ThreadkeepError("store_corrupt", "the sealed store cannot be opened: its record of keys was changed");
}
