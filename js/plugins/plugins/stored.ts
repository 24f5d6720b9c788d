// The files of a conversation's plugins, in a further file of the conversation: it opens without a network, and with the plugins as they
// were. It counts only if it was written here, after the conversation was created: whoever has made an archive has chosen its files, and
// cannot know when it will be imported.
import { fromBase64, textOfBytes, toBase64 } from "../../input/bytes.js";
import { isObject } from "../../mcp/schemas.js";
import type { Store } from "../../store/store.js";
import type { ResolvedPlugin } from "../types.js";
import type { Contents, Loaded } from "./load.js";

export const storedPlugins = "plugins.json";

export interface StoredPlugin {
  resolved: ResolvedPlugin;
  name: string;
  contents: Contents;
}

export async function readStored(store: Store, conversation: string, createdAt: number): Promise<StoredPlugin[]> {
  try {
    const bytes = await store.readFile(conversation, storedPlugins);
    const { created_at, plugins } = bytes === undefined ? { created_at: createdAt, plugins: [] } : JSON.parse(textOfBytes(bytes));
    if (created_at !== createdAt) return [];
    return plugins.filter(isObject).map(({ resolved, name, files }: { resolved: ResolvedPlugin; name: string; files: object }) => ({
      resolved,
      name: String(name),
      contents: new Map(Object.entries(files).map(([path, text]) => [path, fromBase64(String(text)) ?? new Uint8Array()])),
    }));
  } catch {
    // Without the file, the plugins come from their sources.
    return [];
  }
}

/** The text of the file. */
export function writtenPlugins(createdAt: number, plugins: readonly Loaded[]): string {
  return JSON.stringify({
    created_at: createdAt,
    plugins: plugins.map(({ plugin, name, contents }) => ({
      resolved: plugin.resolved,
      name,
      files: Object.fromEntries([...contents].map(([path, bytes]) => [path, toBase64(bytes)])),
    })),
  });
}
