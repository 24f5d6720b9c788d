// What the settings of a model hold, without a view: the model that was chosen, stored without its key, and the keys.
import { LLM, type LLMOptions } from "threadkeep";
import { absoluteUrl, problemOfUrl } from "./base-url.js";
import { KeyStore, readText } from "./keys.js";
import { serverUrl } from "./providers.js";
import { askUnlock } from "./unlock.js";

/** A model as it was chosen. It has no key. */
export interface ModelSettings {
  /** The id of its provider; `"other"` for a server that the user has named. */
  provider: string;
  /** In full, such as `openai/gpt-5-mini`. */
  model: string;
  baseUrl: string;
  /** The wire API of the server. */
  apiMode: NonNullable<LLMOptions["apiMode"]>;
  /** Whether the model calls tools by itself, or in text. */
  nativeToolCalling: boolean;
}

export interface ModelStoreOptions {
  /** The model until the user has chosen one. */
  initial?: Pick<ModelSettings, "provider" | "model" | "baseUrl"> | undefined;
}

/**
 * The model and the keys that a user has given. The model is stored in the browser without its key; `keys` holds those, in memory or
 * encrypted. Two of the same name are the same, in all tabs.
 */
export class ModelStore {
  readonly keys: KeyStore;
  readonly #place: string;
  readonly #initial: ModelSettings | null;
  readonly #listeners = new Set<() => void>();
  #settings: ModelSettings | null;
  #llm: LLM | null;

  constructor(name = "threadkeep", { initial }: ModelStoreOptions = {}) {
    this.#place = `threadkeep-model:${name}`;
    this.keys = new KeyStore(name);
    this.keys.ask = () => askUnlock(this.keys);
    this.#initial = initial ? { ...defaults, ...initial } : null;
    this.#settings = this.#stored();
    this.#llm = this.#made();
    globalThis.addEventListener?.("storage", ({ key }) => (key === this.#place || key === null) && this.#change(this.#stored()));
  }

  /** The model that was chosen last; `null` before. */
  get settings(): Readonly<ModelSettings> | null {
    return this.#settings;
  }

  /** The same until another model is chosen. Before each request it asks `keys` for the key of its server. */
  get llm(): LLM | null {
    return this.#llm;
  }

  /** Uses this model from now on, and stores it. Returns whether the browser has stored it. @throws ThreadkeepError `invalid_options` */
  save(settings: ModelSettings): boolean {
    // Throws before anything is stored.
    optionsOf(settings);
    let isStored = true;
    try {
      localStorage.setItem(this.#place, JSON.stringify(settings));
    } catch {
      isStored = false;
    }
    this.#change(settings);
    return isStored;
  }

  /** Calls `listener` when another model was chosen, also in another tab. Returns the function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #change(settings: ModelSettings | null): void {
    this.#settings = settings;
    this.#llm = this.#made();
    for (const listener of this.#listeners) listener();
  }

  #made(): LLM | null {
    const settings = this.#settings;
    if (settings === null) return null;
    return new LLM({ ...optionsOf(settings), apiKey: () => this.keys.request(serverOf(settings.baseUrl)) });
  }

  /** As the last tab has saved it. What nobody can use is as if there was nothing. */
  #stored(): ModelSettings | null {
    try {
      const settings = { ...defaults, ...(JSON.parse(readText(this.#place)) as ModelSettings) };
      optionsOf(settings);
      return problemOfUrl(settings.baseUrl) === null && typeof settings.provider === "string" ? settings : this.#initial;
    } catch {
      return this.#initial;
    }
  }
}

export const defaults = { apiMode: "auto", nativeToolCalling: true } as const;

/** The server of a base URL, which is the name of its key. */
export const serverOf = (baseUrl: string): string => new URL(baseUrl, location.href).origin;

/** The model's options without a key. @throws ThreadkeepError `invalid_options` */
export function optionsOf({ provider, model, baseUrl, apiMode, nativeToolCalling }: ModelSettings): LLMOptions {
  const options = {
    model,
    // A path of the page would mean another server elsewhere.
    ...(baseUrl !== serverUrl(provider) && { baseUrl: absoluteUrl(baseUrl) }),
    ...(apiMode !== "auto" && { apiMode }),
    ...(!nativeToolCalling && { nativeToolCalling }),
  };
  return new LLM(options).options;
}
