// Factories of the library's own tools. The code of a tool is loaded when a conversation that has it is opened, or later.
// A tool is a file in this folder and a line here or in `file-tools.ts`; `js/ui/chat/built-in-tools.ts` has its icon and labels.
import { isA, isFunction } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
import { LLM } from "../llm/llm.js";
import { LLMProfileStore } from "../llm/profiles.js";
import { LLMRegistry } from "../llm/registry.js";
import { builtIn } from "../tool/tool.js";
import type { Tool } from "../tool/types.js";
import { part } from "../wasm/wasm.js";
import type { FetchToolOptions, InspectImageOptions, SwitchLLMOptions, TerminalOptions } from "./types.js";

/**
 * A terminal over the files of the workspace: the SDK's `terminal`. It is a shell that is interpreted inside the page, with the
 * usual text and file commands. Commands run in a worker, so they cannot block the page.
 */
export function terminal(options: TerminalOptions = {}): Tool {
  const { allowedHosts, allowedSecrets } = optionsOf("terminal()", options, "allowedHosts allowedSecrets");
  if (allowedHosts !== undefined && !isTexts(allowedHosts))
    throw invalidOptions('allowedHosts must be a list of hosts such as "api.example.com"');
  if (allowedSecrets !== undefined && !isFunction(allowedSecrets)) throw invalidOptions("allowedSecrets must be a function");
  return builtIn({
    name: "terminal",
    spec: { name: "terminal" },
    define: async (place) => (await part(import("./terminal.js"))).define({ allowedHosts, allowedSecrets }, place),
  });
}

/**
 * A tool that reads web pages and files from the addresses that you allow. Nothing of the user goes with a request, and
 * redirects to other addresses are refused. Its name and arguments are those of the MCP server `mcp-server-fetch`.
 */
export function fetchTool(options: FetchToolOptions): Tool {
  const { allow, fetch } = optionsOf("fetchTool()", options, "allow fetch");
  if (!isTexts(allow) || !allow.every((address) => /^https?:\/\/[^*?#@]+$/.test(address)))
    throw invalidOptions('allow must be a list of addresses such as "https://api.example.com"');
  return builtIn({ name: "fetch", define: async () => (await part(import("./fetch.js"))).define(allow, fetch) });
}

/**
 * A tool by which a model that cannot see images asks another one about an image of the user: the SDK's
 * `inspect_image_with_vision`. The other model's costs are under its `usageId`.
 */
export function inspectImage(options: InspectImageOptions): Tool {
  const { llm } = optionsOf("inspectImage()", options, "llm");
  if (!isA(llm, LLM)) throw invalidOptions("llm of inspectImage() must be an LLM");
  return builtIn({ name: "inspect_image_with_vision", define: async () => (await part(import("./inspect-image.js"))).define(llm) });
}

/** A tool by which the agent chooses the model for its next steps: the SDK's `switch_llm`. */
export function switchLLM(options: SwitchLLMOptions): Tool {
  const { profiles, given } = optionsOf("switchLLM()", options, "profiles given");
  if (
    !isA(profiles, LLMProfileStore) &&
    !isA(profiles, LLMRegistry) &&
    !reading("profiles", () => typeof profiles === "object" && profiles !== null && Object.values(profiles).every((llm) => isA(llm, LLM)))
  ) {
    throw invalidOptions("profiles of switchLLM() must be an object of LLMs, an LLMProfileStore, or an LLMRegistry");
  }
  return builtIn({ name: "switch_llm", define: async () => (await part(import("./switch-llm.js"))).define({ profiles, given }) });
}

function isTexts(list: unknown): list is readonly string[] {
  return reading("a list of texts", () => Array.isArray(list) && list.every((text) => typeof text === "string" && text !== ""));
}
