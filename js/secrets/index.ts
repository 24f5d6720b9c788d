// The secrets of one open conversation. Loaded when a conversation has any.
import { wellFormed } from "../input/arguments.js";
import { ThreadkeepError, invalidOptions, settle, textOf } from "../input/errors.js";
import type { ConversationState } from "../events/events.js";
import type { StoredSecret } from "../events/types.js";
import { type Cipher, cipherOf, tokenPrefix } from "./fernet.js";
import { isKey, secretsOf } from "./keys.js";
import { isToken, readSource, readValue, writeSource } from "./registry.js";
import { type LookupSecret, type SecretValue, checkedSecrets, resolve } from "./source.js";
import { spellings } from "./spellings.js";
import type { GivenSecrets, HeldSecret, KeyOwner, SecretCore, Tally } from "./types.js";

/** So many characters of a tool's progress are remembered, to find a secret that is reported in pieces. */
const maxRemembered = 20_000;

/** Checks the options of the host. @throws ThreadkeepError `invalid_options` */
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

/** The encrypted key of a model, if the host gave one. */
async function tokenOf(llm: KeyOwner | undefined, cipher: Cipher): Promise<string | undefined> {
  const key = typeof llm?.apiKey === "string" ? llm.apiKey.trim() : "";
  return key === "" ? undefined : cipher.encrypt(key);
}

export class ConversationSecrets {
  readonly #core: SecretCore;
  #llm: KeyOwner | undefined;
  readonly #cipher: Cipher | undefined;
  readonly #sources = new Map<string, SecretValue>();
  /** Secrets of an import that have to be fetched: not before the host calls `allowSecrets()`. */
  readonly #held = new Map<string, LookupSecret>();
  readonly #hidden = new Set<string>();
  #hasStoredKey = false;

  private constructor(core: SecretCore, llm: KeyOwner | undefined, cipher: Cipher | undefined) {
    this.#core = core;
    this.#llm = llm;
    this.#cipher = cipher;
  }

  /**
   * Reads the stored secrets, and sets those that the host gave.
   * @throws ThreadkeepError `invalid_options` if the passphrase decrypts none of the tokens; nothing is written then
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
          "that one, or without a passphrase to leave them unchanged and give new values; the stored values were not changed",
      );
    }
    if (given && Object.keys(given.secrets).length > 0) {
      await secrets.#set(given.secrets, (sources) => core.openWithSecrets(sources));
    }
    return secrets;
  }

  /** A sentence that names the secrets that the host has to give again or allow; `undefined` if there are none. */
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
    return `the values of these secrets of the conversation are not known here: ${what.join(", ")}; ${how}`;
  }

  /** Sets, replaces and removes secrets, and stores the parts that may be stored. */
  update(given: Record<string, SecretValue | null>): Promise<void> {
    return this.#set(given, (sources) => this.#core.storeSecrets(sources));
  }

  async #set(given: Record<string, SecretValue | null>, store: (sources: string) => Promise<unknown>): Promise<void> {
    const stored = this.#stored();
    const changes: Record<string, StoredSecret | null> = {};
    for (const [name, source] of Object.entries(given)) {
      if (source !== null) this.#hide(source);
      changes[name] =
        source === null ? null : await writeSource(source, this.#cipher, Object.hasOwn(stored, name) ? stored[name] : undefined);
    }
    // A follower holds them only while it is open; the writer in another tab stores its own.
    if (this.#core.access() === "writer") await settle(store(JSON.stringify(changes)));
    for (const [name, source] of Object.entries(given)) {
      this.#held.delete(name);
      if (source === null) this.#sources.delete(name);
      else this.#sources.set(name, source);
    }
  }

  get held(): HeldSecret[] {
    return [...this.#held].map(([name, { url }]) => ({ name, url }));
  }

  /** Lets tools fetch the secrets of an import, after this was stored. */
  allow(): void {
    for (const [name, source] of this.#held) this.#sources.set(name, source);
    this.#held.clear();
  }

  /**
   * Masks a text that continues the previous ones. Text that was already shown cannot be changed, but if a secret began
   * there, the rest of it is hidden.
   */
  continued(previous: string, text: string): { masked: string; tail: string } {
    const before = this.#core.masked(previous);
    const after = this.#core.masked(previous + text);
    let same = 0;
    while (same < before.length && before[same] === after[same]) same += 1;
    return { masked: after.slice(same), tail: (previous + text).slice(-maxRemembered) };
  }

  /** The value of a secret, which is hidden from then on; `null` if there is none of this name. */
  async value(given: string, signal?: AbortSignal): Promise<string | null> {
    const name = wellFormed(textOf(given));
    const held = this.#held.get(name);
    if (held)
      throw new ThreadkeepError(
        "invalid_state",
        `secret ${name} came with an import and is not fetched from ${new URL(held.url).origin} before allowSecrets()`,
      );
    const source = this.#sources.get(name);
    if (source === undefined) return null;
    const value = await resolve(name, source, signal);
    this.#hide(value);
    return value;
  }

  /** As `Secrets.inherited`. */
  inherited(): { secrets: Record<string, SecretValue>; hidden: string[] } {
    const names = [...this.#sources.keys(), ...this.#held.keys()];
    return {
      secrets: Object.fromEntries(names.map((name) => [name, async () => (await this.value(name)) ?? ""])),
      hidden: [...this.#hidden].flatMap(spellings),
    };
  }

  /** Hides the values in a source that are known before a tool asks. */
  #hide(source: SecretValue): void {
    const values = typeof source === "string" ? [source] : [];
    if (typeof source === "object") {
      values.push(...secretsOf(source.headers));
    }
    // The same value may be hidden many times, because a tool may ask again and again.
    const texts = values.filter((value) => !this.#hidden.has(value)).flatMap(spellings);
    for (const value of values) this.#hidden.add(value);
    if (texts.length > 0) this.#core.hide(texts);
  }

  /** The encrypted key of another model, to be stored. */
  async keyTokenOf(llm: KeyOwner): Promise<string | undefined> {
    return this.#cipher && tokenOf(llm, this.#cipher);
  }

  /** After a switch to another model: uses the stored key if it belongs to this model's server. */
  async keepKeyOf(llm: KeyOwner): Promise<void> {
    this.#llm = llm;
    await this.#openKey({ readable: 0, unreadable: 0 });
  }

  /** Decrypts the stored key. It is used only if the host gave none, and only for the server for which it was stored. */
  async #openKey(tally: Tally): Promise<void> {
    const { agent, agent_state } = this.#state();
    const token = agent?.llm?.["api_key"];
    if (!isToken(token)) return;
    const key = await readValue(token, this.#cipher, tally);
    if (!this.#llm) return;
    if (typeof key === "object" && isKey(key.value)) this.#hide(key.value);
    // If requests have gone to another server since, the state names the server of the key.
    const { model = "", base_url: baseUrl } = (agent_state?.api_key_server ?? agent.llm) as { model?: string; base_url?: string };
    const isSameServer = providerOf(model) === providerOf(this.#llm.model) && (baseUrl ?? undefined) === this.#llm.baseUrl;
    const value = typeof key === "object" ? key.value : undefined;
    if (this.#llm.apiKey === undefined && isSameServer) {
      this.#hasStoredKey = value !== undefined;
      // Without a value the key is locked, and no request is sent.
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
