// The options and results of the search in conversations.
import type { ConversationEvent } from "../events/events.js";
import type { Store } from "../store/store.js";

export interface SearchOptions {
  /** The store whose conversations are searched. Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** Only this conversation. Then `perConversation` is `limit` by default. */
  conversationId?: string | undefined;
  /** How many hits there are at most: 1 to 1000. Default: 20. */
  limit?: number | undefined;
  /** How many hits in events each conversation has at most, so that one does not crowd out the others. Default: 3. */
  perConversation?: number | undefined;
  /** Whether conversations of sub-agents are searched, too. Default: they are not. */
  subagents?: boolean | undefined;
  /** With `true` those in the trash are searched, and only these. Default: all others. */
  trashed?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A title or an event in which all words were found. */
export interface SearchHit {
  /** For `Conversation.open({ conversationId })`. */
  conversationId: string;
  /** As in `Conversation.list()`, and so are the next two. */
  title: string | null;
  updatedAt: Date;
  archivedAt: Date | null;
  /** The event, for `conversation.events`; `null` if the words were found in the title, that is in the tag `title`. */
  eventId: string | null;
  /** Its index in the log. */
  eventIndex: number | null;
  kind: ConversationEvent["kind"] | null;
  source: ConversationEvent["source"] | null;
  /** When it happened, as the event has it: local time of the machine that wrote it. */
  timestamp: string | null;
  /** The text around the first place, in one line. It is not HTML: show it as text. */
  excerpt: string;
  /** Where the words are in `excerpt`: from, and up to, in UTF-16 units. */
  ranges: Array<[start: number, end: number]>;
  /** Where the text is in the event, such as `["llm_message", "content", 0, "text"]`; `null` for a title. */
  path: Array<string | number> | null;
  /** Where the first word is in that text, in UTF-16 units. */
  offset: number;
}

export interface SearchResult {
  /** The conversation that was changed last has the first hits; of one conversation, its title, and then the newest event. */
  hits: SearchHit[];
  /** Whether there are more than `limit`. */
  more: boolean;
  /**
   * How many events are not in the index yet, and so were not searched; `Infinity` as long as that is not known, as in the first
   * query of a page with many conversations. The index is being extended meanwhile: search again later.
   */
  pending: number;
}

export interface SearchIndexOptions {
  /** Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** Called with the number of events that are in the index, and of those that there are. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

export interface SearchToolOptions {
  /** The store whose conversations the agent may search. Default: `indexedDBStore()`. */
  store?: Store | undefined;
}

/** A word of a query. */
export interface QueryWord {
  /** Folded, as in the index. */
  word: string;
  /** Whether words that begin with it match as well. */
  isPrefix: boolean;
}

export interface Query {
  words: QueryWord[];
  /** Runs of letters of scripts without spaces, of which all pairs are in `words`: they have to be there as they are. */
  runs: string[];
}
