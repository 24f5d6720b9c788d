// Searches the conversations of a store, and keeps its index up to date.
import { fromCore } from "../input/errors.js";
import { join } from "../store/changes.js";
import { type ConversationInfo, listAll } from "../store/listing.js";
import { Page, PageYield, asked, eventsOf, timeout } from "../store/reading.js";
import type { Store, StoredEvent } from "../store/store.js";
import { textsIn } from "./event-texts.js";
import { placeIn } from "./excerpt.js";
import { connect } from "./index/connect.js";
import type { Indexed, SearchIndex } from "./index/protocol.js";
import type { Query, SearchHit, SearchIndexOptions, SearchResult } from "./types.js";
import { queryOf } from "./words.js";

/** How many milliseconds a query waits for events that are not in the index yet. */
const patience = 150;
/** So many milliseconds after a change it is taken into the index, with others that follow. */
const delay = 1_000;
/** About how many UTF-16 units of events are stored in the index at once. */
const batchLength = 4 << 20;
/** How many conversations are looked into side by side. */
const atOnce = 8;
/** How many events that have the words are read at once. */
const eventsAtOnce = 4;

/** The checked arguments of `search()`. */
export interface Wanted {
  text: string;
  conversationId: string | undefined;
  limit: number;
  perConversation: number;
  subagents: boolean;
  trashed: boolean;
  signal: AbortSignal | undefined;
}

type Listener = NonNullable<SearchIndexOptions["onProgress"]>;

/** The search in one store. It lives as long as its page. */
export class Searcher {
  #store: Store;
  /** `undefined` for a store without a name, and where there is no IndexedDB: then each query reads the conversations. */
  readonly #index: (() => Promise<SearchIndex>) | undefined;
  readonly #lock: string;
  #infos: Promise<ConversationInfo[]> | undefined;
  /** The conversations that have changed since, although lists show the same. */
  readonly #grown = new Set<string>();
  #updating: Promise<void> | undefined;
  /** Whether something has changed since the index began to be updated. */
  #isOutdated = true;
  readonly #listeners = new Set<Listener>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
    const name = `threadkeep-search:${store.name}`;
    this.#lock = name;
    if (store.name !== undefined && typeof indexedDB !== "undefined") {
      let connecting: Promise<SearchIndex> | undefined;
      this.#index = () => (connecting ??= connect(name));
    }
    join(store, ({ id, isListed, word }) => {
      if (word !== undefined) return;
      if (isListed) this.#infos = undefined;
      else this.#grown.add(id);
      this.#isOutdated = true;
      if (this.#index) this.#timer ??= setTimeout(() => void this.update().catch(() => {}), delay);
    });
  }

  /** Another object for the same store, which is open where the one before may be closed. */
  set store(store: Store) {
    this.#store = store;
  }

  async search(wanted: Wanted): Promise<SearchResult> {
    const query = queryOf(wanted.text);
    // It begins while the list is read.
    this.#index?.().catch(() => {});
    const infos = (await this.#listed()).filter(
      ({ id, parentId, trashedAt }) =>
        (wanted.conversationId === undefined || id === wanted.conversationId) &&
        (wanted.subagents || parentId === null) &&
        (trashedAt !== null) === wanted.trashed,
    );
    if (query.words.length === 0) return { hits: [], more: false, pending: 0 };
    wanted.signal?.throwIfAborted();
    const { events, pending } = this.#index
      ? await this.#indexed(query, wanted.perConversation)
      : { events: this.#read(wanted.signal), pending: 0 };
    const hits: SearchHit[] = [];
    for (let next = 0; next < infos.length && hits.length <= wanted.limit; next += atOnce) {
      const found = infos.slice(next, next + atOnce).map((info) => hitsIn(info, events(info), query, wanted));
      hits.push(...(await Promise.all(found)).flat());
    }
    return { hits: hits.slice(0, wanted.limit), more: hits.length > wanted.limit, pending };
  }

  /** Takes into the index whatever it does not have. One at a time, also among tabs. */
  async update(onProgress?: Listener): Promise<void> {
    if (!this.#index) return;
    if (onProgress) this.#listeners.add(onProgress);
    this.#updating ??= this.#inTurn().finally(() => (this.#updating = undefined));
    try {
      await this.#updating;
    } finally {
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  async #inTurn(): Promise<void> {
    const { locks } = globalThis.navigator ?? {};
    const work = async () => {
      while (this.#isOutdated) {
        this.#isOutdated = false;
        clearTimeout(this.#timer);
        this.#timer = undefined;
        try {
          await this.#takeIn();
        } catch (error) {
          this.#isOutdated = true;
          throw error;
        }
      }
    };
    await (locks ? locks.request(this.#lock, work) : work());
  }

  /** The conversations, with the lengths of their logs as they are now, the latest first. */
  async #listed(): Promise<ConversationInfo[]> {
    if (!this.#infos) this.#grown.clear();
    this.#infos ??= this.#list();
    const infos = await this.#infos;
    const grown = [...this.#grown];
    this.#grown.clear();
    for (const id of grown) {
      const info = infos.find((other) => other.id === id);
      const listing = info && (await asked("load", timeout, () => this.#store.load(id)));
      if (listing) info.eventCount = listing.length;
    }
    return infos;
  }

  async #list(): Promise<ConversationInfo[]> {
    try {
      return await listAll(this.#store);
    } catch (error) {
      this.#infos = undefined;
      throw error;
    }
  }

  async #takeIn(): Promise<void> {
    const index = await this.#index!();
    const [infos, known] = [await this.#listed(), await index.indexed()];
    const states = new Map(known.map((state) => [state.id, state]));
    const existing = new Map(infos.map((info) => [info.id, info]));
    const gone = known.filter((state) => !isSame(existing.get(state.id), state)).map(({ id }) => id);
    if (gone.length > 0) await index.remove(gone);
    for (const id of gone) states.delete(id);
    const total = infos.reduce((sum, { eventCount }) => sum + eventCount, 0);
    let done = [...states.values()].reduce((sum, { length }) => sum + length, 0);
    const pageYield = new PageYield(undefined);
    let length = 0;
    let added = 0;
    const store = async () => {
      if (added === 0) return;
      await index.store();
      done += added;
      length = added = 0;
      for (const listener of this.#listeners) listener({ done, total });
    };
    for (const info of infos) {
      for await (const page of this.#newEvents(index, info, states.get(info.id), pageYield)) {
        length += page.length;
        added += page.count;
        if (length > batchLength) await store();
      }
    }
    await store();
  }

  /** Passes the events that the index does not have to it. */
  async *#newEvents(
    index: SearchIndex,
    { id, createdAt, eventCount }: ConversationInfo,
    state: Indexed | undefined,
    pageYield: PageYield,
  ): AsyncGenerator<{ length: number; count: number }> {
    let next = state?.length ?? 0;
    if (next >= eventCount) return;
    const page = new Page();
    try {
      if (state && next > 0) {
        const [last] = await eventsOf(this.#store, id, next - 1, next, timeout);
        // The end of the log was damaged, and is another one now.
        if (last?.id !== state.last) {
          await index.remove([id]);
          next = 0;
        }
      }
      while (next < eventCount) {
        const events = await eventsOf(this.#store, id, next, Math.min(eventCount, next + page.count), timeout);
        let length = 0;
        for (const { json } of events) {
          page.saw(json.length);
          length += json.length;
        }
        await index.add({
          id,
          createdAt: Number(createdAt),
          start: next,
          events: events.map((event) => ({ id: event.id, json: event.json })),
        });
        next += events.length;
        page.turn();
        yield { length, count: events.length };
        await pageYield.wait();
      }
    } catch (error) {
      // A conversation that cannot be read does not keep the others from being found. One that was deleted is gone the next time.
      if (!["not_found", "store_corrupt"].includes(fromCore(error).code)) throw error;
    }
  }

  /** Of each conversation the events that have all words according to the index, and how many events that does not have. */
  async #indexed(
    query: Query,
    perConversation: number,
  ): Promise<{ events: (info: ConversationInfo) => AsyncGenerator<StoredEvent>; pending: number }> {
    const index = await this.#index!();
    const updating = this.update().then(
      () => true,
      () => false,
    );
    const isUpToDate = await Promise.race([updating, new Promise<false>((resolve) => setTimeout(resolve, patience, false))]);
    // More than are wanted, because pairs of letters may be there without their run, and the log may have changed since.
    const candidates = await index.find(query.words, 4 * perConversation + 50);
    const found = new Map(candidates.map(({ id, events }) => [id, events]));
    const store = this.#store;
    const events = async function* ({ id }: ConversationInfo) {
      const places = found.get(id) ?? [];
      for (let first = 0; first < places.length; first += eventsAtOnce) {
        const reading = places.slice(first, first + eventsAtOnce).map((at) => asked("events", timeout, () => store.events(id, at, at + 1)));
        for (const [event] of await Promise.all(reading)) if (event) yield event;
      }
    };
    return { events, pending: isUpToDate ? 0 : await this.#missing(index) };
  }

  /** How many events the index does not have. */
  async #missing(index: SearchIndex): Promise<number> {
    const [infos, states] = [await this.#listed(), await index.indexed()];
    const lengths = new Map(states.map(({ id, length }) => [id, length]));
    return infos.reduce((sum, { id, eventCount }) => sum + Math.max(0, eventCount - (lengths.get(id) ?? 0)), 0);
  }

  /** All events of each conversation. */
  #read(signal: AbortSignal | undefined): (info: ConversationInfo) => AsyncGenerator<StoredEvent> {
    const [store, pageYield] = [this.#store, new PageYield(signal)];
    return async function* ({ id, eventCount }) {
      const page = new Page();
      for (let end = eventCount; end > 0; ) {
        const start = Math.max(0, end - page.count);
        const events: StoredEvent[] = [];
        while (start + events.length < end) events.push(...(await eventsOf(store, id, start + events.length, end, timeout)));
        for (const event of events.reverse()) {
          page.saw(event.json.length);
          yield event;
        }
        end = start;
        page.turn();
        await pageYield.wait();
      }
    };
  }
}

/** The hits in one conversation. */
async function hitsIn(
  info: ConversationInfo,
  events: AsyncIterable<StoredEvent>,
  query: Query,
  { perConversation, limit, signal }: Wanted,
): Promise<SearchHit[]> {
  // Without the tag the title is the beginning of a message, which is found itself.
  const { title: named } = info.tags;
  const title = named === undefined ? undefined : placeIn([{ path: [], text: named }], query);
  const hits = title ? [hitOf(info, { ...title, path: null })] : [];
  const most = hits.length + Math.min(perConversation, limit + 1);
  for await (const event of events) {
    signal?.throwIfAborted();
    const found = placeIn(textsIn(event.json), query);
    if (found) hits.push(hitOf(info, found, event));
    if (hits.length >= most) break;
  }
  return hits;
}

function isSame(info: ConversationInfo | undefined, { createdAt, length }: Indexed): boolean {
  return info !== undefined && Number(info.createdAt) === createdAt && info.eventCount >= length;
}

function hitOf(
  { id, title, updatedAt, archivedAt }: ConversationInfo,
  found: Pick<SearchHit, "excerpt" | "ranges" | "path" | "offset">,
  event?: StoredEvent,
): SearchHit {
  const { kind = null, source = null, timestamp = null } = event ? (JSON.parse(event.json) as Partial<SearchHit>) : {};
  return {
    conversationId: id,
    title,
    updatedAt,
    archivedAt,
    eventId: event?.id ?? null,
    eventIndex: event?.index ?? null,
    kind,
    source,
    timestamp,
    ...found,
  };
}
