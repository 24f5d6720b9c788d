// Models under names: the SDK's `LLMProfileStore`. The code that stores them is loaded with the first use.
import { LLM, type LLMOptions } from "./llm.js";
import { isA } from "./arguments.js";
import { invalidOptions, optionsOf, reading } from "./errors.js";
import { type UnstoredOption, unstoredOptions } from "./generated/llm-options.js";
import { part } from "./wasm.js";

/**
 * Where profiles are kept, by name, as JSON texts. Implement it to keep them elsewhere than in IndexedDB. A failure is
 * an error with a `code`, as in a `Store`.
 */
export interface ProfileStorage {
  /** The text of this name, or `undefined` if there is none. */
  read(name: string): Promise<string | undefined>;
  /** Sets a text, or removes it (`undefined`). Resolves once that is kept. */
  write(name: string, json: string | undefined): Promise<void>;
  /** Every name, in any order. */
  names(): Promise<string[]>;
}

/**
 * The options that a profile does not hold, because they are secrets, functions, or unknown to the SDK: given again when it
 * is loaded.
 */
export type GivenAgain = Pick<LLMOptions, UnstoredOption>;

/**
 * Models under names, in the form in which the Python SDK keeps its own (`~/.openhands/profiles/<name>.json`). Neither
 * keys nor headers are ever stored.
 */
export class LLMProfileStore {
  readonly #storage: string | ProfileStorage;

  /** In an IndexedDB database of its own beside the store of this name, or wherever the host keeps them. */
  constructor(storage: string | ProfileStorage = "threadkeep") {
    const isStorage = reading("the storage of profiles", () => typeof storage === "object" && ["read", "write", "names"].every((name) => typeof storage?.[name as keyof ProfileStorage] === "function"));
    if (!isStorage && (typeof storage !== "string" || storage === "")) {
      throw invalidOptions("an LLMProfileStore takes the name of a store, or an object with read(), write() and names()");
    }
    this.#storage = storage;
  }

  /** Keeps a model under a name, in place of the one that had it. */
  async save(name: string, llm: LLM): Promise<void> {
    if (!isA(llm, LLM)) throw invalidOptions("a profile is made of an LLM");
    const { checkedName, profileOf, storageOf } = await load();
    await storageOf(this.#storage).write(checkedName(name), profileOf(llm.options));
  }

  /** @throws ThreadkeepError `not_found`, or `store_corrupt` where what is stored is no profile */
  async load(name: string, given: GivenAgain = {}): Promise<LLM> {
    const again = optionsOf("LLMProfileStore.load()", given, unstoredOptions);
    const { checkedName, storedOptions, storageOf } = await load();
    const json = await storageOf(this.#storage).read(checkedName(name));
    return new LLM({ ...storedOptions(name, json), ...again });
  }

  /** The names there are, sorted. */
  async list(): Promise<string[]> {
    const { storageOf } = await load();
    return (await storageOf(this.#storage).names()).sort();
  }

  /** Forgets a profile; nothing happens if there is none. */
  async delete(name: string): Promise<void> {
    const { checkedName, storageOf } = await load();
    await storageOf(this.#storage).write(checkedName(name), undefined);
  }
}

const load = () => part(import("./profiles/index.js"));
