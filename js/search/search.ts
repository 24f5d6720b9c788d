// The search in conversations. The code that does it is loaded with the first use.
import { optionsOf } from "../input/errors.js";
import { builtIn } from "../tool/tool.js";
import type { Tool } from "../tool/types.js";
import { part } from "../wasm/wasm.js";
import type { SearchIndexOptions, SearchOptions, SearchResult, SearchToolOptions } from "./types.js";

/**
 * Searches titles and events of all conversations of a store, on all branches, for those that have all words of the text. A word also
 * finds those that begin with it; case and accents do not matter. The index is a database beside that of the store, which is
 * extended in a worker when something has been stored: a query reads only what it finds.
 * @throws ThreadkeepError `invalid_options`, `aborted`, and those of the store
 */
export async function search(text: string, options: SearchOptions = {}): Promise<SearchResult> {
  return (await part(import("./requests.js"))).search(text, options);
}

/**
 * Extends the index of the search by all that was stored since, as `search()` does by itself: to have it ready before the first
 * query. Resolves when nothing is missing, at once if the store has no index because it has no name.
 * @throws ThreadkeepError those of the store
 */
export async function updateSearchIndex(options: SearchIndexOptions = {}): Promise<void> {
  await (await part(import("./requests.js"))).updateIndex(options);
}

/** A tool by which the agent searches the other conversations of a store. No agent has it unless you give it. */
export function searchConversations(options: SearchToolOptions = {}): Tool {
  const { store } = optionsOf("searchConversations()", options, "store");
  return builtIn({ name: "search_conversations", define: async () => (await part(import("./tool.js"))).define(store) });
}
