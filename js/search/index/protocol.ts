// The messages between the page and the worker of the index.
import type { QueryWord } from "../types.js";

/** The name with which the page starts the worker. */
export const workerName = "threadkeep search";

/** The name of the error for an index that could not be read, and was emptied. */
export const lost = "IndexLost";

/** As much of a conversation as a query has to know before it looks into it. */
export interface Outline {
  id: string;
  /** The `createdAt` of the conversation, in whole milliseconds: another one was created after this was deleted. */
  createdAt: number;
  /** Its place in the order of hits, in milliseconds. */
  updatedAt: number;
  /** The tag `title`; `null` without it. */
  title: string | null;
  isOfSubagent: boolean;
  isTrashed: boolean;
}

/** A conversation in the index. */
export interface Indexed extends Outline {
  /** How many events of its log are in the index. */
  length: number;
  /** The id of the last of them; empty if there is none. */
  last: string;
}

/** Events of a conversation that follow each other. */
export interface Events {
  of: Outline;
  /** The index of the first one. */
  start: number;
  events: Array<{ id: string; json: string }>;
}

/** The index of a store. */
export interface SearchIndex {
  /** All conversations that are in the index. */
  indexed(): Promise<Indexed[]>;
  /** Takes in events behind those that are known, or none, and the outline as it is now. `store()` stores them. */
  add(events: Events): Promise<void>;
  /** Stores what was added, in one transaction. */
  store(): Promise<void>;
  /** Removes conversations with all of their words. */
  remove(ids: string[]): Promise<void>;
  /** The conversations with events that have all these words, with the indexes of at most so many of each, the latest first. */
  find(words: QueryWord[], most: number): Promise<Array<{ id: string; events: number[] }>>;
}

export const methods = ["indexed", "add", "store", "remove", "find"] as const;

/** With a key, everything is sealed that is stored. */
export type ToWorker = { open: string; key: CryptoKey | undefined } | { call: number; method: (typeof methods)[number]; args: unknown[] };
export type FromWorker =
  | { ready: true }
  | { result: number; value: unknown }
  | { result: number; error: { name: string; message: string } };
