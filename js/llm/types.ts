// Types of models and profiles.
import type { UnstoredOption } from "./generated/llm-options.js";
import type { LLMOptions } from "./llm.js";

/**
 * A storage for profiles, by name, as JSON texts. Implement it to store them elsewhere than in IndexedDB. A failure is
 * an error with a `code`, as in a `Store`.
 */
export interface ProfileStorage {
  /** The text under this name, or `undefined` if there is none. */
  read(name: string): Promise<string | undefined>;
  /** Sets a text, or removes it if it is `undefined`. Resolves once the change is stored. */
  write(name: string, json: string | undefined): Promise<void>;
  /** All names, in any order. */
  names(): Promise<string[]>;
}

/**
 * Options that a profile does not contain, because they are secrets, functions, or not stored by the SDK. Give them
 * again when the profile is loaded.
 */
export type GivenAgain = Pick<LLMOptions, UnstoredOption>;
