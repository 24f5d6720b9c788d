// The secrets of one open conversation. Loaded when a conversation has any.
import { ThreadkeepError, invalidOptions, settle } from "../errors.js";
import type { ConversationState, StoredSecret } from "../events.js";
import { type Cipher, cipherOf, tokenPrefix } from "./fernet.js";
import { isKey, wordsOf } from "./keys.js";
import { type Tally, isToken, readSource, readValue, writeSource } from "./registry.js";
import { type LookupSecret, type SecretValue, checkedSecrets, resolve } from "./source.js";
import { spellings } from "./spellings.js";

/** So much of what a tool said of its progress is remembered, for a secret that is said in pieces. */
const longestSaid = 20_000;

/** A secret that came with an import, and where it would be fetched from. */
export interface HeldSecret {
  name: string;
  url: string;
}

/** What the wasm does for secrets. */
export interface SecretCore {
  state(): string;
  access(): string;
  /** Masks these texts in everything from now on. */
  hide(texts: string[]): void;
  /** A text without what is hidden. */
  masked(text: string): string;
  /** `storeSecrets` sets or removes entries of the stored registry: a JSON object, where null removes. */
  storeSecrets(sources: string): Promise<unknown>;
  /** What the model's key is where the host gave none (`undefined` where nobody can read it), and what is stored for it. */
  keepKey(key: string | undefined, token: string): void;
}

/** The model as the host gave it, as far as its key is concerned. */
export interface KeyOwner {
  model: string;
  baseUrl?: string | undefined;
  apiKey?: unknown;
}

/** What the host gave, checked. */
export interface GivenSecrets {
  secrets: Record<string, SecretValue | null>;
  cipher?: Cipher;
  /** The model's key, encrypted: what is stored for it. */
  keyToken?: string;
}

/** Checks what the host gave. @throws ThreadkeepError `invalid_options` */
export async function read(secrets: unknown, passphrase?: unknown, llm?: KeyOwner): Promise<GivenSecrets> {
  const checked = checkedSecrets(secrets);
  if (passphrase === undefined) return { secrets: checked };
  if (typeof passphrase !== "string" || passphrase === "") throw invalidOptions("cipher must be a passphrase: a string that is not empty");
  if (!globalThis.crypto?.subtle) {
    throw invalidOptions("cipher needs WebCrypto, which browsers have only in pages served over https: or from localhost");
  }
  const cipher = await cipherOf(passphrase);
  const keyToken = await tokenOf(llm, cipher);
  return { secrets: checked, cipher, ...(keyToken !== undefined && { keyToken }) };
}

/** What is stored for a model's key, where the host gave one. */
async function tokenOf(llm: KeyOwner | undefined, cipher: Cipher): Promise<string | undefined> {
  const key = typeof llm?.apiKey === "string" ? llm.apiKey.trim() : "";
  return key === "" ? undefined : cipher.encrypt(key);
}

export class ConversationSecrets {
  readonly #core: SecretCore;
  #llm: KeyOwner | undefined;
  readonly #cipher: Cipher | undefined;
  readonly #sources = new Map<string, SecretValue>();
  /** Those that an import has brought and that are to be fetched: not before somebody has said so. */
  readonly #held = new Map<string, LookupSecret>();
  readonly #hidden = new Set<string>();
  #hasStoredKey = false;

  private constructor(core: SecretCore, llm: KeyOwner | undefined, cipher: Cipher | undefined) {
    this.#core = core;
    this.#llm = llm;
    this.#cipher = cipher;
  }

  /**
   * Reads what is stored, and takes what the host gave besides.
   * @throws ThreadkeepError `invalid_options` where the passphrase fits nothing that is stored; nothing was written then
   */
  static async open(core: SecretCore, llm: KeyOwner | undefined, given: GivenSecrets | undefined): Promise<ConversationSecrets> {
    const secrets = new ConversationSecrets(core, llm, given?.cipher);
    const tally: Tally = { readable: 0, unreadable: 0 };
    const isHeld = secrets.#state().threadkeep_import?.secrets !== undefined;
    for (const [name, stored] of Object.entries(secrets.#stored())) {
      const source = await readSource(stored, given?.cipher, tally);
      if (source === undefined) continue;
      secrets.#hide(source);
      if (typeof source === "object" && isHeld) secrets.#held.set(name, source);
      else secrets.#sources.set(name, source);
    }
    await secrets.#openKey(tally);
    if (given?.cipher && tally.readable === 0 && tally.unreadable > 0) {
      throw invalidOptions(
        "this passphrase (cipher) is not the one that the secrets of this conversation were encrypted with: open it with " +
          "that one, or without any to leave them as they are and give new values; what is stored of them was not touched",
      );
    }
    if (given && Object.keys(given.secrets).length > 0) await secrets.update(given.secrets);
    return secrets;
  }

  /** What the host has to give again, in words; `undefined` if nothing. */
  missing(): string | undefined {
    const held = this.held.map(({ name, url }) => `${name} from ${new URL(url).origin}`);
    const waiting = held.length > 0 && `secrets that came with an import are not fetched before allowSecrets(): ${held.join(", ")}`;
    return [this.#unknown(), waiting].filter(Boolean).join(". ") || undefined;
  }

  #unknown(): string | undefined {
    const stored = this.#stored();
    const names = Object.keys(stored).filter((name) => !this.#sources.has(name) && !this.#held.has(name));
    const token = this.#state().agent?.llm?.["api_key"];
    const lacksKey = isToken(token) && this.#llm?.apiKey === undefined && !this.#hasStoredKey;
    if (names.length === 0 && !lacksKey) return undefined;
    const what = lacksKey ? [...names, "the model's key"] : names;
    const isEncrypted = !this.#cipher && (lacksKey || names.some((name) => JSON.stringify(stored[name]).includes(`"${tokenPrefix}`)));
    const how = isEncrypted ? "open the conversation with its passphrase (cipher), or give them again" : "give them again";
    return `secrets of this conversation whose values are not here: ${what.join(", ")}; ${how}`;
  }

  /** Sets, replaces and takes away secrets, and stores what may be stored of them. */
  async update(given: Record<string, SecretValue | null>): Promise<void> {
    const stored = this.#stored();
    const changes: Record<string, StoredSecret | null> = {};
    for (const [name, source] of Object.entries(given)) {
      if (source !== null) this.#hide(source);
      changes[name] = source === null ? null : await writeSource(source, this.#cipher, Object.hasOwn(stored, name) ? stored[name] : undefined);
    }
    // A follower has them for as long as it is open: another tab stores them.
    if (this.#core.access() === "writer") await settle(this.#core.storeSecrets(JSON.stringify(changes)));
    for (const [name, source] of Object.entries(given)) {
      this.#held.delete(name);
      if (source === null) this.#sources.delete(name);
      else this.#sources.set(name, source);
    }
  }

  get held(): HeldSecret[] {
    return [...this.#held].map(([name, { url }]) => ({ name, url }));
  }

  /** What came with an import may be fetched, once that is stored. */
  allow(): void {
    for (const [name, source] of this.#held) this.#sources.set(name, source);
    this.#held.clear();
  }

  /**
   * A text that goes on from what was said before, as it may be shown: what was shown is not taken back, but of a secret
   * that began there the rest is hidden.
   */
  continued(said: string, text: string): { masked: string; tail: string } {
    const before = this.#core.masked(said);
    const whole = this.#core.masked(said + text);
    let same = 0;
    while (same < before.length && before[same] === whole[same]) same += 1;
    return { masked: whole.slice(same), tail: (said + text).slice(-longestSaid) };
  }

  /** The value of a secret, which is hidden from then on; `null` where there is none of this name. */
  async value(name: string, signal?: AbortSignal): Promise<string | null> {
    const held = this.#held.get(name);
    if (held) throw new ThreadkeepError("invalid_state", `secret ${name} came with an import and is not fetched from ${new URL(held.url).origin} before allowSecrets()`);
    const source = this.#sources.get(name);
    if (source === undefined) return null;
    const value = await resolve(name, source, signal);
    this.#hide(value);
    return value;
  }

  /** Hides what is known of a source before anybody asks. */
  #hide(source: SecretValue): void {
    const values = typeof source === "string" ? [source] : [];
    if (typeof source === "object") {
      values.push(...wordsOf(source.headers));
    }
    // A tool may ask again and again.
    const texts = values.filter((value) => !this.#hidden.has(value)).flatMap(spellings);
    for (const value of values) this.#hidden.add(value);
    if (texts.length > 0) this.#core.hide(texts);
  }

  /** What is to be stored for the key of another model. */
  async keyTokenOf(llm: KeyOwner): Promise<string | undefined> {
    return this.#cipher && tokenOf(llm, this.#cipher);
  }

  /** Another model answers: the stored key is used for it if it was stored for its server. */
  async keepKeyOf(llm: KeyOwner): Promise<void> {
    this.#llm = llm;
    await this.#openKey({ readable: 0, unreadable: 0 });
  }

  /** A key that is stored is used for the server that it was stored for, where the host gave none. */
  async #openKey(tally: Tally): Promise<void> {
    const { agent, agent_state } = this.#state();
    const token = agent?.llm?.["api_key"];
    if (!isToken(token)) return;
    const key = await readValue(token, this.#cipher, tally);
    if (!this.#llm) return;
    if (typeof key === "object" && isKey(key.value)) this.#hide(key.value);
    // Requests went to another server since, and the key stayed.
    const { model = "", base_url: baseUrl } = (agent_state?.["api_key_server"] ?? agent.llm) as { model?: string; base_url?: string };
    const isSameServer = providerOf(model) === providerOf(this.#llm.model) && (baseUrl ?? undefined) === this.#llm.baseUrl;
    const value = typeof key === "object" ? key.value : undefined;
    if (this.#llm.apiKey === undefined && isSameServer) {
      this.#hasStoredKey = value !== undefined;
      // Without a value the key is locked, and the model is not asked.
      this.#core.keepKey(value, token);
    } else if (value !== undefined && this.#llm.apiKey === value) {
      this.#core.keepKey(undefined, token);
    }
  }

  #state(): ConversationState & { threadkeep_import?: { secrets?: true } } {
    return JSON.parse(this.#core.state());
  }

  #stored(): Record<string, StoredSecret> {
    return this.#state().secret_registry?.secret_sources ?? {};
  }
}

function providerOf(model: string): string {
  return model.includes("/") ? model.slice(0, model.indexOf("/")) : "";
}
