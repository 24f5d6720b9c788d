// The keys of servers: in memory, and stored only under a passphrase or a passkey, in an encrypted store of the library.
import { type EncryptedStore, encryptedStore, indexedDBStore, type StoreSecret, ThreadkeepError } from "threadkeep";

/** How keys are kept: in memory until the page closes, or stored under a passphrase or a passkey. */
export type KeyProtection = "memory" | "passphrase" | "passkey";

/** What is stored in plain text: which servers have a key, so that a page knows which of them waits for the secret. */
interface Record {
  id: string;
  protection: "passphrase" | "passkey";
  names: string[];
}

/** The one entry of the encrypted store. */
const entry = "c0ffee00-0000-4000-8000-000000000000";

/**
 * Keys by the name of their server, such as `https://api.openai.com`. They are in memory, and stored only after `protect()`, sealed by
 * `encryptedStore()`. The names are stored in plain text.
 */
export class KeyStore {
  readonly #name: string;
  readonly #keys = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #record: Record | null;
  #store: EncryptedStore | null = null;
  #isOpen = false;
  #asking: Promise<boolean> | null = null;
  /** Asks the user to unlock the keys. Resolves to whether they are. */
  ask: () => Promise<boolean> = async () => false;

  /** Two stores of the same name have the same keys, in all tabs. */
  constructor(name = "threadkeep") {
    this.#name = name;
    this.#record = recordOf(readText(this.#place));
    globalThis.addEventListener?.("storage", ({ key }) => (key === this.#place || key === null) && this.#follow());
  }

  get #place(): string {
    return `threadkeep-keys:${this.#name}`;
  }

  get protection(): KeyProtection {
    return this.#record?.protection ?? "memory";
  }

  /** Whether there are stored keys that nobody has unlocked yet. */
  get isLocked(): boolean {
    return this.#record !== null && !this.#isOpen;
  }

  /** The key of a server; empty if there is none, or if it is locked. */
  get(name: string): string {
    return this.#keys.get(name) ?? "";
  }

  /** Whether a server has a key, also if it is locked. */
  has(name: string): boolean {
    return this.#keys.has(name) || (this.isLocked && this.#record!.names.includes(name));
  }

  /** The key for a request: of a locked one the user is asked. @throws ThreadkeepError `key_locked` */
  async request(name: string): Promise<string> {
    if (!this.#keys.has(name) && this.has(name)) {
      this.#asking ??= this.ask().finally(() => (this.#asking = null));
      await this.#asking;
      if (this.isLocked)
        throw new ThreadkeepError("key_locked", "nothing was sent, because the key is locked: unlock it, or choose another model");
    }
    return this.get(name);
  }

  /** Sets a key; an empty one removes it. @throws ThreadkeepError `key_locked` if it could not be stored beside the others */
  async set(name: string, key: string): Promise<void> {
    if (this.isLocked) throw new ThreadkeepError("key_locked", "the stored keys are locked: unlock them first");
    if (key === "") this.#keys.delete(name);
    else this.#keys.set(name, key);
    if (this.#record !== null) await this.#write(this.#record);
    this.#tell();
  }

  /**
   * Stores all keys under a secret, or no longer. Stored keys that are locked are lost with it.
   * @throws ThreadkeepError of `EncryptedStore.unlock()`; the keys are in memory only then
   */
  async protect(protection: KeyProtection, passphrase = ""): Promise<void> {
    await this.#erase();
    try {
      if (protection === "memory") return;
      await this.#opened().unlock(secretOf(protection, passphrase));
      this.#isOpen = true;
      await this.#write({ id: crypto.randomUUID(), protection, names: [] });
    } finally {
      this.#tell();
    }
  }

  /** Removes all keys, also stored ones. */
  async forget(): Promise<void> {
    this.#keys.clear();
    await this.protect("memory");
  }

  /** @throws ThreadkeepError `permission_required` for a wrong passphrase, or if the device has declined */
  async unlock(passphrase = ""): Promise<void> {
    if (this.#record === null) return;
    await this.#opened().unlock(secretOf(this.#record.protection, passphrase));
    await this.#read();
    this.#isOpen = true;
    this.#tell();
  }

  /** Forgets stored keys until they are unlocked again. */
  lock(): void {
    if (this.#record === null) return;
    this.#store?.lock();
    this.#close();
  }

  /** Calls `listener` when keys have changed, also in another tab. Returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #opened(): EncryptedStore {
    if (this.#store !== null) return this.#store;
    const store = encryptedStore(indexedDBStore(`${this.#name}-keys`));
    store.onLockChange((isLocked) => isLocked && this.#isOpen && this.#store === store && this.#close());
    return (this.#store = store);
  }

  #close(): void {
    this.#isOpen = false;
    this.#keys.clear();
    this.#tell();
  }

  async #read(): Promise<void> {
    const listing = await this.#store!.load(entry);
    const stored = JSON.parse(listing?.baseState ?? "{}") as { [name: string]: string };
    this.#keys.clear();
    for (const [name, key] of Object.entries(stored)) this.#keys.set(name, key);
  }

  async #write(record: Record): Promise<void> {
    const next = { ...record, names: [...this.#keys.keys()] };
    const baseState = JSON.stringify(Object.fromEntries(this.#keys));
    await this.#opened().commit(entry, { expectedLength: 0, events: [], files: [], baseState, at: Date.now(), durability: "strict" });
    try {
      localStorage.setItem(this.#place, JSON.stringify(next));
    } catch (cause) {
      throw new ThreadkeepError("store_unavailable", "this browser stores nothing for the page, so the key is in memory only", { cause });
    }
    this.#record = next;
  }

  /** The keys in memory stay. */
  async #erase(): Promise<void> {
    if (this.#record === null) return;
    this.#record = null;
    this.#isOpen = false;
    this.#store?.lock();
    this.#store = null;
    localStorage.removeItem(this.#place);
    const inner = indexedDBStore(`${this.#name}-keys`);
    for (const id of [entry, ...(await inner.list()).map(({ conversation }) => conversation)]) await inner.delete(id);
  }

  /** Another tab has changed them. */
  #follow(): void {
    const next = recordOf(readText(this.#place));
    const isSame = next?.id === this.#record?.id;
    this.#record = next;
    if (!isSame) {
      this.#store = null;
      return this.#close();
    }
    if (this.#isOpen)
      void this.#read().then(
        () => this.#tell(),
        () => this.#close(),
      );
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const secretOf = (protection: KeyProtection, passphrase: string): StoreSecret =>
  protection === "passkey" ? { passkey: true } : { passphrase };

function recordOf(text: string): Record | null {
  try {
    const { id, protection, names } = JSON.parse(text) as Record;
    const isWhole = typeof id === "string" && ["passphrase", "passkey"].includes(protection) && Array.isArray(names);
    return isWhole ? { id, protection, names } : null;
  } catch {
    return null;
  }
}

/** What is stored under a name for the page; empty where the browser stores nothing. */
export function readText(place: string): string {
  try {
    return localStorage.getItem(place) ?? "";
  } catch {
    return "";
  }
}

/** Whether the browser can ask for passkeys with secrets. Whether the device does is known only after asking it. */
export async function passkeysCanLock(): Promise<boolean> {
  const capabilities = await globalThis.PublicKeyCredential?.getClientCapabilities?.().catch(() => undefined);
  return capabilities?.["extension:prf"] ?? false;
}
