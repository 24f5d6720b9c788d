// The tokens of logins: encrypted under the passphrase of the conversation, or in memory. They are never part of a
// conversation, so no export has them.
import { databaseOf } from "../llm/profiles/database.js";
import { type Cipher, cipherOf } from "../secrets/fernet.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { MCPTokenStorage } from "./types.js";

interface Credentials {
  tokens?: OAuthTokens | undefined;
  client?: OAuthClientInformationMixed | undefined;
}

/** Credentials of this page that are not stored, by server and client. */
const inMemory = new Map<string, Credentials>();

export class Vault {
  readonly #key: string;
  readonly #storage: MCPTokenStorage | undefined;
  readonly #cipher: Promise<Cipher> | undefined;

  constructor(key: string, storage: MCPTokenStorage | undefined, passphrase: unknown) {
    this.#key = key;
    const isStored = typeof passphrase === "string" && (storage !== undefined || typeof indexedDB !== "undefined");
    this.#storage = isStored ? (storage ?? databaseOf("threadkeep-mcp")) : undefined;
    this.#cipher = isStored ? cipherOf(passphrase) : undefined;
    // A page without WebCrypto has no cipher; its tokens stay in memory.
    this.#cipher?.catch(() => {});
  }

  async read(): Promise<Credentials> {
    const known = inMemory.get(this.#key);
    if (known) return known;
    let read: Credentials = {};
    try {
      const token = await this.#storage?.read(this.#key);
      const text = token === undefined ? null : await (await this.#cipher!).decrypt(token);
      if (text !== null) read = JSON.parse(text) as Credentials;
    } catch {
      // Unreadable credentials count as missing: the user logs in again.
    }
    inMemory.set(this.#key, read);
    return read;
  }

  async write(change: Credentials): Promise<void> {
    const credentials = { ...(await this.read()), ...change };
    inMemory.set(this.#key, credentials);
    try {
      await this.#storage?.write(this.#key, await (await this.#cipher!).encrypt(JSON.stringify(credentials)));
    } catch {
      // They hold for this page.
    }
  }
}
