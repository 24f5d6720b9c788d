// Stores hold conversations: the interface for a store of your own.

/** A conversation without its events. */
export interface Listing {
  /** The conversation's id: a UUID with dashes. */
  conversation: string;
  /** The text of `base_state.json`. */
  baseState: string;
  /** The number of events in the log. */
  length: number;
  /** `at` of the first commit, in milliseconds since the Unix epoch. */
  createdAt: number;
  /** `at` of the last commit. */
  updatedAt: number;
  /** `writer.next` of the last commit that had one, 0 before that; absent in a store that does not keep it. */
  writer?: number;
}

/** An event as it is stored. */
export interface StoredEvent {
  /** Its index in the log. */
  index: number;
  /** The id in its file name: hex digits and dashes, at least eight. */
  id: string;
  /** The exact text of its file. */
  json: string;
}

/** One atomic change of a conversation. The fields are applied in this order. */
export interface Commit {
  /** The log's length before the commit; 0 for a conversation that does not exist. */
  expectedLength: number;
  /**
   * The `createdAt` of the conversation as the writer knows it, which is the `at` of its first commit. It differs if the
   * conversation has been deleted and recreated since. If absent, the store does not compare it.
   */
  createdAt?: number;
  /**
   * The number of the writer that the conversation must have, 0 if it does not exist, and the one that it then gets. If absent,
   * the store neither compares nor changes the number.
   */
  writer?: { expected: number; next: number };
  /** Cuts the log to this length first, if it is longer. */
  truncateTo?: number;
  /** Events to append, in this order. */
  events: Array<{ id: string; json: string }>;
  /** New text of `base_state.json`. */
  baseState?: string;
  /** Further files: new content, or `null` to remove one. If a path occurs twice, the last entry counts. */
  files: Array<{ path: string; content: Uint8Array | null }>;
  /**
   * Further files of another conversation, stored in the same transaction; its log and base state stay as they are. Only a store
   * with `spansConversations` gets this. If there is no conversation with this `createdAt`, or its number of the writer is not
   * `writer`, nothing of the commit is stored.
   */
  filesOf?: {
    conversation: string;
    createdAt: number;
    writer?: number;
    files: Array<{ path: string; content: Uint8Array | null }>;
  };
  /** The time of the change, in milliseconds since the Unix epoch; never moves `updatedAt` backwards. */
  at: number;
  /** The failure that the completed commit has to survive: `"strict"` a power cut, `"relaxed"` the death of the process. */
  durability: "strict" | "relaxed";
}

/**
 * Stores conversations as names and bytes, without interpreting them. Implement it for a store of your own, and test
 * that with the suite of `threadkeep/testing`. The contract:
 *
 * - **A commit is one transaction.** It is stored completely or not at all, also when the process dies, and the promise
 *   resolves only once it is stored.
 * - **Compare and swap.** If the log does not have `expectedLength` events, or the commit has another `createdAt` than the
 *   conversation, `commit` changes nothing and rejects with an error whose `code` is `"locked_elsewhere"`.
 * - **The number of the writer.** The same if the conversation does not have the number `writer.expected`; otherwise it gets
 *   `writer.next` in the transaction, and `load` and `list` return that as `writer`. So a writer whose place another one has taken
 *   stores nothing any more, also where the log stays as long. The number is 0 for a new conversation, and also for one that is
 *   created again after it was deleted. A store that does not keep it leaves `writer` out of its listings and ignores that of
 *   commits; then only the length keeps two writers apart.
 * - **Files of another conversation.** With `spansConversations`, the files of `filesOf` are in the transaction as well, and
 *   `commit` rejects with `"locked_elsewhere"` if that conversation does not exist with its `createdAt` and `writer`.
 * - **The log has no gaps**: the events are `0..length`, and an event never changes.
 * - **A conversation exists once it has a base state.** Before that, `load` and `list` do not return it, so that an import
 *   stays invisible until its last commit. One without a base state may be deleted after a day.
 * - **Reading something that does not exist** is no error, and the log of a deleted conversation has the length 0.
 * - **Cost.** The time of `load`, `commit`, `events` and `indexOf` depends on the data they transfer, not on the length
 *   of the log.
 *
 * A failure is an error with a `code`: `"locked_elsewhere"` for a conflict, `"store_quota"` for a full storage,
 * `"store_blocked"` for a database that another tab blocks, `"permission_required"` if the user has to allow access again (the
 * message says how to ask), `"invalid_state"` after `close()`, `"store_corrupt"` for unreadable data. `ThreadkeepError` has such
 * a code; of other errors, name and message are reported. If a method has not settled after half a minute, and for a commit a
 * tenth of a second more for each event and file, its caller gets `"store_blocked"`.
 */
export interface Store {
  /**
   * The same for all stores with the same conversations, in any tab; it prevents two writers of one conversation. Without
   * a name, two writers are prevented only if they use the same object.
   */
  readonly name?: string | undefined;
  /**
   * Whether a commit can store files of another conversation in its transaction (`filesOf`). Then the files that a sub-agent
   * changes are stored with the result of its call; without this, a call that dies is asked about.
   */
  readonly spansConversations?: boolean | undefined;
  /** All conversations, in any order, without reading events. */
  list(): Promise<Listing[]>;
  /** The base state and the log's length, or `undefined` if the conversation does not exist. */
  load(conversation: string): Promise<Listing | undefined>;
  /** The events from `start` to, not including, `end`, ascending; indices beyond the end are left out. */
  events(conversation: string, start: number, end: number): Promise<StoredEvent[]>;
  /** The index of the first event with this id. */
  indexOf(conversation: string, event: string): Promise<number | undefined>;
  /** Applies all of `commit`, or nothing and rejects. */
  commit(conversation: string, commit: Commit): Promise<void>;
  /** The paths of the further files, in any order: all of them, or those below a folder. It may return more than those. */
  files(conversation: string, folder?: string): Promise<string[]>;
  /** The content of a further file, or `undefined` if it does not exist. */
  readFile(conversation: string, path: string): Promise<Uint8Array | undefined>;
  /** Deletes the conversation with its log and its files, in one transaction; does nothing if it does not exist. */
  delete(conversation: string): Promise<void>;
  /** Closes connections. Later calls reject with the code `"invalid_state"`. */
  close(): void;
}
