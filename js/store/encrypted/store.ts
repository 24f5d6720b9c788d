// The store that seals what another one holds. Of that one it needs nothing but the interface, so the rules of its commits hold here
// as well: what they compare is compared there.
//
// The inner store sees ids of conversations and events, lengths and numbers of writers. The times and the length of a conversation
// are sealed with its base state, which is therefore written with each commit that changes them.
import { ThreadkeepError, fieldOf, invalidOptions, optionsOf, reading } from "../../input/errors.js";
import type { Commit, Listing, Store } from "../store.js";
import type { Bytes } from "../../input/bytes.js";
import { Keyring, type SecretKind } from "./keyring.js";
import { type Keys, keysOf, open, openName, openText, opened, seal, sealName, sealText } from "./rows.js";
import type { EncryptedStoreOptions, StoreSecret } from "./types.js";

/** The conversation whose base state is the record of keys. It is never listed, and has no events. */
export const keyConversation = "5ea1ed00-0000-4000-8000-000000000000";
/** The file with the times of a conversation that has no base state yet, as an import stores it in several commits. */
const begunFile = "begun";
/** How often a base state that is sealed anew is read again, if another writer was faster. */
const mostTries = 5;

/** The times and the length of a conversation, which the inner store should not tell. */
interface Head {
  createdAt: number;
  updatedAt: number;
  length: number;
}

/** A conversation as it is stored. */
interface Known {
  head: Head;
  /** Without one while an import is under way. */
  listing: Listing | undefined;
  baseState: string | undefined;
  /** `createdAt` in the inner store. */
  innerCreatedAt: number;
}

export class SealedStore implements Omit<Store, "close"> {
  readonly #inner: Store;
  /** A secret of the options that was not used yet. */
  #secret: StoreSecret | undefined;
  readonly #lockAfter: number | undefined;
  readonly #changed: (isLocked: boolean) => void;
  #keys: Keys | undefined;
  #opening: Promise<Keys> | undefined;
  /** Of locking while it was being opened: then it stays locked. */
  #locks = 0;
  #usedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #channel: BroadcastChannel | undefined;

  /** @param changed Called when the store was locked or opened. @throws ThreadkeepError `invalid_options` */
  constructor(inner: Store, options: EncryptedStoreOptions, changed: (isLocked: boolean) => void) {
    const { passphrase, passkey, lockAfter, name } = options;
    if (lockAfter !== undefined && !(typeof lockAfter === "number" && lockAfter >= 1000 && lockAfter < 2 ** 31))
      throw invalidOptions("lockAfter of encryptedStore() must be a number of milliseconds from 1000 to 2147483647");
    if (passphrase !== undefined && passkey !== undefined)
      throw invalidOptions("encryptedStore() takes a passphrase or a passkey; set the other one by setSecret()");
    this.#inner = inner;
    this.#lockAfter = lockAfter;
    this.#changed = changed;
    if (passphrase !== undefined) this.#secret = checkedSecret({ passphrase });
    if (passkey !== undefined) this.#secret = checkedSecret({ passkey });
    if (name === undefined || typeof BroadcastChannel !== "function") return;
    this.#channel = new BroadcastChannel(`threadkeep-lock:${name}`);
    this.#channel.onmessage = () => this.#forget();
    // In Node it would keep the process alive.
    (this.#channel as { unref?(): void }).unref?.();
  }

  async unlock(secret: StoreSecret): Promise<void> {
    await this.#open(checkedSecret(secret));
  }

  lock(): void {
    this.#forget();
    this.#channel?.postMessage("lock");
  }

  close(): void {
    this.#forget();
    this.#channel?.close();
  }

  async indexKey(): Promise<CryptoKey> {
    return (await this.#unlocked()).index;
  }

  async setSecret(secret: StoreSecret, options: { current: StoreSecret }): Promise<void> {
    const next = checkedSecret(secret);
    const { current } = optionsOf("setSecret()", options, "current");
    await this.#changeRing(checkedSecret(current), (ring, key) => ring.with(next, key));
  }

  async removeSecret(kind: SecretKind, options: { current: StoreSecret }): Promise<void> {
    const { current } = optionsOf("removeSecret()", options, "current");
    if (kind !== "passphrase" && kind !== "passkey") throw invalidOptions('removeSecret() takes "passphrase" or "passkey"');
    await this.#changeRing(checkedSecret(current), async (ring) => ring.without(kind));
  }

  async list(): Promise<Listing[]> {
    const keys = await this.#unlocked();
    const listings = (await this.#inner.list()).filter(({ conversation }) => conversation !== keyConversation);
    return Promise.all(listings.map((listing) => this.#listed(keys, listing)));
  }

  async load(conversation: string): Promise<Listing | undefined> {
    const keys = await this.#unlocked();
    const listing = await this.#load(conversation);
    return listing && shown(listing, await stateOf(keys, listing));
  }

  async events(conversation: string, start: number, end: number) {
    const keys = await this.#unlocked();
    const events = await this.#inner.events(conversation, start, end);
    return Promise.all(
      events.map(async ({ index, id, json }) => ({ index, id, json: await openText(keys, eventPlace(conversation, index, id), json) })),
    );
  }

  async indexOf(conversation: string, event: string): Promise<number | undefined> {
    await this.#unlocked();
    return this.#inner.indexOf(conversation, event);
  }

  async files(conversation: string, folder?: string): Promise<string[]> {
    const keys = await this.#unlocked();
    const names = (await this.#inner.files(conversation)).filter((name) => name !== begunFile);
    const paths = await Promise.all(names.map((name) => this.#pathOf(keys, conversation, name)));
    return paths.filter((path) => path !== undefined && (folder === undefined || path.startsWith(`${folder}/`))) as string[];
  }

  async readFile(conversation: string, path: string): Promise<Uint8Array | undefined> {
    const keys = await this.#unlocked();
    const sealed = await this.#inner.readFile(conversation, await sealName(keys, conversation, path));
    return sealed && open(keys, filePlace(conversation, path), sealed);
  }

  /** One at a time for each conversation, in the order of the calls: each needs what the one before has stored. */
  commit(conversation: string, commit: Commit): Promise<void> {
    const before = this.#turns.get(conversation) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(() => this.#commit(conversation, commit));
    this.#turns.set(conversation, turn);
    const end = () => this.#turns.get(conversation) === turn && this.#turns.delete(conversation);
    turn.then(end, end);
    return turn;
  }

  async delete(conversation: string): Promise<void> {
    await this.#unlocked();
    if (conversation !== keyConversation) await this.#inner.delete(conversation);
  }

  async #commit(conversation: string, commit: Commit): Promise<void> {
    if (conversation === keyConversation) throw invalidOptions(`conversation ${conversation} has the keys of the store; use another id`);
    const keys = await this.#unlocked();
    for (let tries = 1; ; tries++) {
      const { sealed, isReplaceable } = await this.#sealed(keys, conversation, commit);
      try {
        return await this.#inner.commit(conversation, sealed);
      } catch (error) {
        const isConflict = (error as { code?: unknown } | undefined)?.code === "locked_elsewhere";
        if (!isConflict || !isReplaceable || tries === mostTries) throw error;
      }
    }
  }

  /**
   * The commit as the inner store gets it. `isReplaceable` says that it contains the base state as it was read, which has to be read
   * again if the conversation has another writer by then.
   */
  async #sealed(keys: Keys, conversation: string, commit: Commit): Promise<{ sealed: Commit; isReplaceable: boolean }> {
    const { expectedLength, createdAt, writer, truncateTo, events, baseState, files, filesOf, at, durability } = commit;
    const start = Math.min(truncateTo ?? expectedLength, expectedLength);
    // All at once: the time of sealing is mostly that of waiting for it.
    const [known, sealedEvents, sealedFiles] = await Promise.all([
      this.#known(keys, conversation),
      Promise.all(
        events.map(async ({ id, json }, place) => ({ id, json: await sealText(keys, eventPlace(conversation, start + place, id), json) })),
      ),
      this.#sealedFiles(keys, conversation, files),
    ]);
    if (createdAt !== undefined && known?.head.createdAt !== createdAt) throw replaced(conversation);
    const sealed: Commit = {
      expectedLength,
      // Of an unfinished import the store has to know how old it is.
      at: known ? 0 : baseState === undefined ? at : randomTime(),
      durability,
      events: sealedEvents,
      files: sealedFiles,
    };
    if (createdAt !== undefined) sealed.createdAt = known!.innerCreatedAt;
    if (truncateTo !== undefined) sealed.truncateTo = truncateTo;
    if (writer) sealed.writer = writer;
    if (filesOf) {
      const other = await this.#known(keys, filesOf.conversation);
      if (other?.head.createdAt !== filesOf.createdAt) throw replaced(filesOf.conversation);
      sealed.filesOf = {
        ...filesOf,
        createdAt: other.innerCreatedAt,
        files: await this.#sealedFiles(keys, filesOf.conversation, filesOf.files),
      };
    }
    const isFilesOnly = files.length > 0 && events.length === 0 && baseState === undefined && truncateTo === undefined;
    if (isFilesOnly && known) return { sealed, isReplaceable: false };
    const text = baseState ?? known?.baseState;
    const head: Head = {
      createdAt: known?.head.createdAt ?? at,
      updatedAt: Math.max(known?.head.updatedAt ?? at, at),
      length: start + events.length,
    };
    if (text === undefined) {
      sealed.files.push({ path: begunFile, content: await seal(keys, begunPlace(conversation), bytesOfHead(head)) });
      return { sealed, isReplaceable: false };
    }
    sealed.baseState = await sealText(keys, statePlace(conversation), `${JSON.stringify(head)}\n${text}`);
    if (known && !known.listing) sealed.files.push({ path: begunFile, content: null });
    const isReplaceable = baseState === undefined && writer === undefined && known?.listing?.writer !== undefined;
    // Compares the number, so that no base state of another writer is replaced by the one before it.
    if (isReplaceable) sealed.writer = { expected: known.listing!.writer!, next: known.listing!.writer! };
    return { sealed, isReplaceable };
  }

  #sealedFiles(keys: Keys, conversation: string, files: Commit["files"]): Promise<Commit["files"]> {
    return Promise.all(
      files.map(async ({ path, content }) => ({
        path: await sealName(keys, conversation, path),
        content: content && (await seal(keys, filePlace(conversation, path), content)),
      })),
    );
  }

  async #known(keys: Keys, conversation: string): Promise<Known | undefined> {
    const listing = await this.#load(conversation);
    if (listing) return { ...(await stateOf(keys, listing)), listing, innerCreatedAt: listing.createdAt };
    const begun = await this.#inner.readFile(conversation, begunFile);
    if (!begun) return undefined;
    const head = headIn(new TextDecoder().decode(await open(keys, begunPlace(conversation), begun)));
    return { head, listing, baseState: undefined, innerCreatedAt: head.createdAt };
  }

  async #load(conversation: string): Promise<Listing | undefined> {
    return conversation === keyConversation ? undefined : this.#inner.load(conversation);
  }

  /** One that was changed is listed as it is, so that the others are listed as well; loading it says that it was changed. */
  async #listed(keys: Keys, listing: Listing): Promise<Listing> {
    try {
      return shown(listing, await stateOf(keys, listing));
    } catch {
      return { ...listing, createdAt: 0, updatedAt: 0 };
    }
  }

  async #pathOf(keys: Keys, conversation: string, name: string): Promise<string | undefined> {
    const path = await openName(keys, conversation, name);
    if (path !== undefined) return path;
    const sealed = await this.#inner.readFile(conversation, name);
    // It was removed meanwhile.
    if (!sealed) return undefined;
    const { place } = await opened(keys, `a file of conversation ${conversation}`, sealed);
    return place.slice(filePlace(conversation, "").length);
  }

  /** The keys, with which each call begins. */
  async #unlocked(): Promise<Keys> {
    const lockAfter = this.#lockAfter;
    const now = Date.now();
    // A timer may be late: the device may have slept.
    if (this.#keys && lockAfter !== undefined && now - this.#usedAt > lockAfter) this.#forget();
    this.#usedAt = now;
    if (this.#keys) return this.#keys;
    const secret = this.#secret;
    if (!this.#opening && secret) {
      this.#secret = undefined;
      return this.#open(secret);
    }
    if (!this.#opening) throw new ThreadkeepError("permission_required", "the store is locked; call its unlock(), and repeat this");
    return this.#opening;
  }

  async #open(secret: StoreSecret): Promise<Keys> {
    if (!globalThis.crypto?.subtle)
      throw new ThreadkeepError("store_unavailable", "an encrypted store needs WebCrypto, which pages have only at https: or localhost");
    const locks = this.#locks;
    const opening = this.#keysFor(secret).then((keys) => {
      if (this.#locks !== locks) throw new ThreadkeepError("permission_required", "the store was locked while it was being opened");
      this.#keys = keys;
      this.#usedAt = Date.now();
      this.#watch();
      this.#changed(false);
      return keys;
    });
    this.#opening = opening;
    try {
      return await opening;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async #keysFor(secret: StoreSecret): Promise<Keys> {
    const stored = await this.#inner.load(keyConversation);
    if (stored) return keysFrom(await Keyring.parse(stored.baseState).open(secret));
    if ((await this.#inner.list()).length > 0) {
      const text = "the inner store has conversations and no record of keys; give an empty one, and import into it what the other has";
      throw new ThreadkeepError("store_unavailable", text);
    }
    const { ring, key } = await Keyring.create(secret);
    try {
      await this.#storeRing(ring, undefined);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "locked_elsewhere") throw error;
      // Another tab was faster.
      return this.#keysFor(secret);
    }
    return keysFrom(key);
  }

  async #changeRing(current: StoreSecret, change: (ring: Keyring, key: Bytes) => Promise<Keyring>): Promise<void> {
    const stored = await this.#inner.load(keyConversation);
    if (!stored) throw new ThreadkeepError("invalid_state", "the store has no secret yet; unlock() sets it");
    const ring = Keyring.parse(stored.baseState);
    const key = await ring.open(current);
    try {
      await this.#storeRing(await change(ring, key), stored.writer ?? 0);
    } catch (error) {
      if (fieldOf(error, "code") !== "locked_elsewhere") throw error;
      const text =
        "the secrets of this store were changed by another call or tab at the same moment, and this call has changed nothing; repeat it with a secret that opens the store now";
      throw new ThreadkeepError("locked_elsewhere", text, { cause: error });
    } finally {
      key.fill(0);
    }
  }

  #storeRing(ring: Keyring, writer: number | undefined): Promise<void> {
    return this.#inner.commit(keyConversation, {
      expectedLength: 0,
      writer: { expected: writer ?? 0, next: (writer ?? 0) + 1 },
      events: [],
      baseState: ring.text,
      files: [],
      at: 0,
      durability: "strict",
    });
  }

  #forget(): void {
    this.#secret = undefined;
    this.#locks++;
    clearTimeout(this.#timer);
    if (!this.#keys) return;
    this.#keys = undefined;
    this.#changed(true);
  }

  /** Locks when `lockAfter` has passed since the last call. */
  #watch(): void {
    const lockAfter = this.#lockAfter;
    if (lockAfter === undefined) return;
    clearTimeout(this.#timer);
    const left = this.#usedAt + lockAfter - Date.now();
    this.#timer = setTimeout(() => (Date.now() - this.#usedAt >= lockAfter ? this.#forget() : this.#watch()), Math.max(left, 0));
    // In Node it would keep the process alive.
    (this.#timer as { unref?(): void }).unref?.();
  }
}

/** A secret that the host gave. @throws ThreadkeepError `invalid_options` */
function checkedSecret(given: StoreSecret): StoreSecret {
  return reading("the secret of a store", () => {
    const { passphrase, passkey, ...others } = { ...(given as { passphrase?: unknown; passkey?: unknown }) };
    const isOne = (passphrase === undefined) !== (passkey === undefined) && Object.keys(others).length === 0;
    if (isOne && typeof passphrase === "string" && passphrase !== "") return { passphrase };
    if (isOne && passkey === true) return { passkey };
    const { name, ...more } = { ...(passkey as { name?: unknown }) };
    if (isOne && typeof name === "string" && name !== "" && Object.keys(more).length === 0) return { passkey: { name } };
    throw invalidOptions(
      "the secret of a store is { passphrase } with a text that is not empty, { passkey: true } or { passkey: { name } }",
    );
  });
}

async function keysFrom(key: Bytes): Promise<Keys> {
  const keys = await keysOf(key);
  key.fill(0);
  return keys;
}

const statePlace = (conversation: string) => `the state of conversation ${conversation}`;
const begunPlace = (conversation: string) => `the beginning of conversation ${conversation}`;
const eventPlace = (conversation: string, index: number, id: string) => `event ${index} (${id}) of conversation ${conversation}`;
const filePlace = (conversation: string, path: string) => `a file of conversation ${conversation}: ${path}`;

const bytesOfHead = (head: Head): Uint8Array => new TextEncoder().encode(JSON.stringify(head));
const headIn = (text: string): Head => JSON.parse(text) as Head;

async function stateOf(keys: Keys, { conversation, baseState, length }: Listing): Promise<{ head: Head; baseState: string }> {
  const text = await openText(keys, statePlace(conversation), baseState);
  const end = text.indexOf("\n");
  const head = headIn(text.slice(0, end));
  if (head.length !== length) {
    const what = `in the sealed store, conversation ${conversation} has ${length} events, and not ${head.length} as its state says`;
    throw new ThreadkeepError("store_corrupt", `${what}: some were removed or added outside of the store`);
  }
  return { head, baseState: text.slice(end + 1) };
}

function shown({ conversation, length, writer }: Listing, { head, baseState }: { head: Head; baseState: string }): Listing {
  const { createdAt, updatedAt } = head;
  return { conversation, baseState, length, createdAt, updatedAt, ...(writer !== undefined && { writer }) };
}

/** Tells the inner store nothing of when a conversation began, and yet one from another that had its id. */
const randomTime = (): number => Math.floor(crypto.getRandomValues(new Uint32Array(1))[0]! / 4) + 1;

const replaced = (conversation: string) =>
  new ThreadkeepError("locked_elsewhere", `conversation ${conversation} was deleted, or created again, since it was opened`);
