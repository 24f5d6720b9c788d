// Model settings under names: the SDK's `LLMProfileStore`. The code is loaded with the first use.
import { LLM } from "./llm.js";
import { isA } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
import { unstoredOptions } from "./generated/llm-options.js";
import { part } from "../wasm/wasm.js";
import type { GivenAgain, ProfileStorage } from "./types.js";

/**
 * Stores model settings under names, in the format of the Python SDK's profiles (`~/.openhands/profiles/<name>.json`).
 * Keys and headers are never stored.
 */
export class LLMProfileStore {
  readonly #storage: string | ProfileStorage;

  /** Takes the name of a store, beside which the profiles get an IndexedDB database of their own, or a storage of the host. */
  constructor(storage: string | ProfileStorage = "threadkeep") {
    const isStorage = reading(
      "the storage of profiles",
      () =>
        typeof storage === "object" &&
        ["read", "write", "names"].every((name) => typeof storage?.[name as keyof ProfileStorage] === "function"),
    );
    if (!isStorage && (typeof storage !== "string" || storage === "")) {
      throw invalidOptions("an LLMProfileStore takes the name of a store, or an object with read(), write() and names()");
    }
    this.#storage = storage;
  }

  /** Stores a model's settings under a name; replaces an existing profile. */
  async save(name: string, llm: LLM): Promise<void> {
    if (!isA(llm, LLM)) throw invalidOptions("a profile is made of an LLM");
    const { checkedName, profileOf, storageOf } = await load();
    await storageOf(this.#storage).write(checkedName(name), profileOf(llm.options));
  }

  /** Loads a profile. @throws ThreadkeepError `not_found`, or `store_corrupt` if the stored text is not a profile */
  async load(name: string, given: GivenAgain = {}): Promise<LLM> {
    const again = optionsOf("LLMProfileStore.load()", given, unstoredOptions);
    const { checkedName, storedOptions, storageOf } = await load();
    const json = await storageOf(this.#storage).read(checkedName(name));
    return new LLM({ ...storedOptions(name, json), ...again });
  }

  /** The names of all profiles, sorted. */
  async list(): Promise<string[]> {
    const { storageOf } = await load();
    return (await storageOf(this.#storage).names()).sort();
  }

  /** Deletes a profile; does nothing if it does not exist. */
  async delete(name: string): Promise<void> {
    const { checkedName, storageOf } = await load();
    await storageOf(this.#storage).write(checkedName(name), undefined);
  }
}

const load = () => part(import("./profiles/index.js"));
