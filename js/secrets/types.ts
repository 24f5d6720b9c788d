// Secrets of a conversation, as its parts see them.
import type { Cipher } from "./fernet.js";
import type { SecretValue } from "./source.js";

/** A secret that came with an import, and the URL that it would be fetched from. */
export interface HeldSecret {
  name: string;
  url: string;
}

/** The methods of the wasm's conversation that secrets need. */
export interface SecretCore {
  state(): string;
  access(): string;
  /** Hides these texts in everything from now on. */
  hide(texts: string[]): void;
  /** The text with secrets hidden. */
  masked(text: string): string;
  /** Sets or removes entries of the stored registry: a JSON object, in which null removes. */
  storeSecrets(sources: string): Promise<unknown>;
  /** Does this as the conversation is opened: those of a new one are stored by its first commit. */
  openWithSecrets(sources: string): Promise<unknown>;
  /** Sets the model's key if the host gave none (`undefined` if it cannot be decrypted), and the token that is stored for it. */
  keepKey(key: string | undefined, token: string): void;
}

/** The fields of the host's model that concern its key. */
export interface KeyOwner {
  model: string;
  baseUrl?: string | undefined;
  apiKey?: unknown;
}

/** The checked options of the host. */
export interface GivenSecrets {
  secrets: Record<string, SecretValue | null>;
  cipher?: Cipher;
  /** The model's key, encrypted, as it is stored. */
  keyToken?: string;
}

/** The result of reading a stored text: a value, no value, or one that cannot be decrypted here. */
export type Read = { value: string } | "none" | "unreadable";

/** Counts tokens, to distinguish a wrong passphrase from a single broken token. */
export interface Tally {
  readable: number;
  unreadable: number;
}
