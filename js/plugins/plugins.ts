// Plugins: directories with skills, commands, agents, hooks and servers, in the form of the SDK and of Claude Code. The code is loaded
// with the first plugin.
import { part } from "../wasm/wasm.js";
import type { LoadPluginOptions, Plugin, PluginFiles } from "./types.js";

/**
 * Loads a plugin, and runs nothing of it. To use it, give it or its source to `Conversation.open({ plugins })`.
 * @throws ThreadkeepError `invalid_options` naming the part, `too_large`, `archive_invalid`, `network`, `aborted`
 */
export async function loadPlugin(source: PluginFiles, options: LoadPluginOptions = {}): Promise<Plugin> {
  return (await part(import("./plugins/load.js"))).loadPlugin(source, options);
}
