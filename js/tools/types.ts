// The options of the library's tools.
import type { LLM } from "../llm/llm.js";
import type { LLMRegistry } from "../llm/registry.js";
import type { LLMProfileStore } from "../llm/profiles.js";
import type { GivenAgain } from "../llm/types.js";

/** Options of {@link terminal}. */
export interface TerminalOptions {
  /**
   * Hosts that `curl` may reach, such as `"api.example.com"`, or addresses such as `"https://api.example.com/v1/"`.
   * Default: none.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * Asked before a command that would get secrets: those of the conversation that it names, and those of commands before
   * it. Returns the names of those that it gets, for example after asking the user. Default: it gets all of them.
   */
  allowedSecrets?: ((request: { command: string; names: readonly string[] }) => readonly string[] | Promise<readonly string[]>) | undefined;
}

/** Options of {@link fetchTool}. */
export interface FetchToolOptions {
  /** The addresses that the agent may read: origins such as `"https://api.example.com"`, or parts of them. */
  allow: readonly string[];
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of {@link inspectImage}. */
export interface InspectImageOptions {
  /** A model that can see images. */
  llm: LLM;
}

/** Options of {@link switchLLM}. */
export interface SwitchLLMOptions {
  /** The models by name, or the store with their profiles. */
  profiles: Readonly<Record<string, LLM>> | LLMProfileStore | LLMRegistry;
  /** Options that profiles do not contain, such as the key. */
  given?: GivenAgain | undefined;
}
