// Factories of the library's own tools. The code of a tool is loaded when a conversation that has it is opened, or later.
import { isA, isFunction } from "./arguments.js";
import { invalidOptions, optionsOf, reading } from "./errors.js";
import { LLM } from "./llm.js";
import { type GivenAgain, LLMProfileStore } from "./profiles.js";
import { type Tool, builtIn } from "./tool.js";
import { part } from "./wasm.js";

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

/**
 * A terminal over the files of the workspace: the SDK's `terminal`. It is a shell that is interpreted inside the page, with the
 * usual text and file commands. Commands run in a worker, so they cannot block the page.
 */
export function terminal(options: TerminalOptions = {}): Tool {
  const { allowedHosts, allowedSecrets } = optionsOf("terminal()", options, "allowedHosts allowedSecrets");
  if (allowedHosts !== undefined && !isTexts(allowedHosts)) throw invalidOptions('allowedHosts must be a list of hosts such as "api.example.com"');
  if (allowedSecrets !== undefined && !isFunction(allowedSecrets)) throw invalidOptions("allowedSecrets must be a function");
  return builtIn({
    name: "terminal",
    spec: { name: "terminal" },
    define: async (place) => (await part(import("./tools/terminal.js"))).define({ allowedHosts, allowedSecrets }, place),
  });
}

/** Options of {@link fetchTool}. */
export interface FetchToolOptions {
  /** The addresses that the agent may read: origins such as `"https://api.example.com"`, or parts of them. */
  allow: readonly string[];
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * A tool that reads web pages and files from the addresses that you allow. Nothing of the user goes with a request, and
 * redirects to other addresses are refused. Its name and arguments are those of the MCP server `mcp-server-fetch`.
 */
export function fetchTool(options: FetchToolOptions): Tool {
  const { allow, fetch } = optionsOf("fetchTool()", options, "allow fetch");
  if (!isTexts(allow) || !allow.every((address) => /^https?:\/\/[^*?#@]+$/.test(address))) throw invalidOptions('allow must be a list of addresses such as "https://api.example.com"');
  return builtIn({ name: "fetch", define: async () => (await part(import("./tools/fetch.js"))).define(allow, fetch) });
}

/** Options of {@link inspectImage}. */
export interface InspectImageOptions {
  /** A model that can see images. */
  llm: LLM;
}

/**
 * A tool by which a model that cannot see images asks another one about an image of the user: the SDK's
 * `inspect_image_with_vision`. The other model's costs are under its `usageId`.
 */
export function inspectImage(options: InspectImageOptions): Tool {
  const { llm } = optionsOf("inspectImage()", options, "llm");
  if (!isA(llm, LLM)) throw invalidOptions("llm of inspectImage() must be an LLM");
  return builtIn({ name: "inspect_image_with_vision", define: async () => (await part(import("./tools/inspect-image.js"))).define(llm) });
}

/** Options of {@link switchLLM}. */
export interface SwitchLLMOptions {
  /** The models by name, or the store with their profiles. */
  profiles: Readonly<Record<string, LLM>> | LLMProfileStore;
  /** Options that profiles do not contain, such as the key. */
  given?: GivenAgain | undefined;
}

/** A tool by which the agent chooses the model for its next steps: the SDK's `switch_llm`. */
export function switchLLM(options: SwitchLLMOptions): Tool {
  const { profiles, given } = optionsOf("switchLLM()", options, "profiles given");
  if (!isA(profiles, LLMProfileStore) && !reading("profiles", () => typeof profiles === "object" && profiles !== null && Object.values(profiles).every((llm) => isA(llm, LLM)))) {
    throw invalidOptions("profiles of switchLLM() must be an object of LLMs, or an LLMProfileStore");
  }
  return builtIn({ name: "switch_llm", define: async () => (await part(import("./tools/switch-llm.js"))).define({ profiles, given }) });
}

function isTexts(list: unknown): list is readonly string[] {
  return reading("a list of texts", () => Array.isArray(list) && list.every((text) => typeof text === "string" && text !== ""));
}
