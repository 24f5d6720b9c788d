// Checks what `search()` is called with, and has one searcher for each store.
import { checkId, isFunction, signalOf } from "../input/arguments.js";
import { ThreadkeepError, fromCore, invalidOptions, optionsOf } from "../input/errors.js";
import { type Store, coreStore, indexedDBStore } from "../store/store.js";
import { scopeOf } from "../store/turns.js";
import { Searcher } from "./searcher.js";
import type { SearchIndexOptions, SearchOptions, SearchResult } from "./types.js";

const mostHits = 1_000;

/** The searchers by the scopes of their stores. */
const named = new Map<string, Searcher>();
const unnamed = new WeakMap<object, Searcher>();

/** See `search()`. */
export async function search(text: string, options: SearchOptions): Promise<SearchResult> {
  if (typeof text !== "string") throw invalidOptions("search() takes the text that is looked for");
  const {
    store = indexedDBStore(),
    conversationId,
    limit = 20,
    perConversation = conversationId === undefined ? 3 : limit,
    subagents = false,
    trashed = false,
    signal: given,
  } = optionsOf("search()", options, "store conversationId limit perConversation subagents trashed signal");
  for (const [name, count] of Object.entries({ limit, perConversation }))
    if (!Number.isInteger(count) || count < 1 || count > mostHits)
      throw invalidOptions(`${name} of search() must be a whole number from 1 to ${mostHits}`);
  for (const [name, value] of Object.entries({ subagents, trashed }))
    if (typeof value !== "boolean") throw invalidOptions(`${name} of search() must be true or false`);
  const id = conversationId === undefined ? undefined : checkId(conversationId);
  const signal = signalOf(given);
  const searcher = await searcherOf(store);
  try {
    signal?.throwIfAborted();
    return await searcher.search({ text, conversationId: id, limit, perConversation, subagents, trashed, signal });
  } catch (error) {
    if (!signal?.aborted) throw fromCore(error);
    throw new ThreadkeepError("aborted", "search() was stopped by its signal", { cause: signal.reason });
  }
}

/** See `updateSearchIndex()`. */
export async function updateIndex(options: SearchIndexOptions): Promise<void> {
  const { store = indexedDBStore(), onProgress } = optionsOf("updateSearchIndex()", options, "store onProgress");
  if (onProgress !== undefined && !isFunction(onProgress)) throw invalidOptions("onProgress is not a function");
  await (await searcherOf(store)).update(onProgress);
}

async function searcherOf(store: Store): Promise<Searcher> {
  // Refuses what is no store.
  await coreStore(store);
  const scope = scopeOf(store);
  const known = typeof scope === "string" ? named.get(scope) : unnamed.get(scope as object);
  const searcher = known ?? new Searcher(store);
  searcher.store = store;
  if (typeof scope === "string") named.set(scope, searcher);
  else unnamed.set(scope as object, searcher);
  return searcher;
}
