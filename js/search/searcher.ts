// Searches the conversations of a store, and keeps its index up to date.
import { fromCore } from "../input/errors.js";
import { join } from "../store/changes.js";
import { withTimeout } from "../store/inventory.js";
import { type ConversationInfo, byTime, infosOf, listAll } from "../store/listing.js";
import { Page, PageYield, asked, eventsOf, timeout } from "../store/reading.js";
import { type Sealing, sealings } from "../store/sealing.js";
import type { Store, StoredEvent } from "../store/store.js";
import { textsIn } from "./event-texts.js";
import { placeIn } from "./excerpt.js";
import { type Connection, IndexGone, connect } from "./index/connect.js";
import type { Indexed, Outline, SearchIndex } from "./index/protocol.js";
import type { Query, SearchHit, SearchIndexOptions, SearchResult } from "./types.js";
import { queryOf } from "./words.js";

/** With the name of the store, that of the database of its index. */
const plain = "threadkeep-search";
/** How many milliseconds a query waits for events that are not in the index yet. */
const patience = 150;
/** So many milliseconds after a change it is taken into the index, with others that follow. */
const delay = 1_000;
/** About how many UTF-16 units of events are stored in the index at once. */
const batchLength = 4 << 20;
/** About how many of them are read for it at once: so few that the page is not held up. */
const pageLength = 1 << 18;
/** The list of so many conversations is read before the first query of a page is answered. */
const shortList = 100;
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

/** Where a query looks. */
interface Place {
  /** Of the conversations, the latest first. */
  outlines: Outline[];
  /** Whether events of this conversation have to be looked at. */
  hasEvents(id: string): boolean;
  events(info: ConversationInfo): AsyncGenerator<StoredEvent>;
  /** How these conversations are now, without those that are gone. */
  infos(ids: string[]): Promise<ConversationInfo[]>;
  pending: number;
}

/** The search in one store. It lives as long as its page. */
export class Searcher {
  #store: Store;
  #sealing: Sealing | undefined;
  #forgetLock = () => {};
  /** Not for a store without a name, and where there is no IndexedDB: then each query reads the conversations. */
  readonly #hasIndex: boolean;
  #connection: Promise<Connection> | undefined;
  #infos: Promise<ConversationInfo[]> | undefined;
  /** The conversations that have changed since the list was read. */
  #changed = new Set<string>();
  #updating: Promise<void> | undefined;
  /** Whether something has changed since the index began to be updated. */
  #isOutdated = true;
  readonly #listeners = new Set<Listener>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#sealing = sealings.get(store);
    this.#hasIndex = store.name !== undefined && typeof indexedDB !== "undefined";
    this.#forgetLock = this.#sealing?.onLock(() => this.#forget()) ?? this.#forgetLock;
    join(store, ({ id, word }) => {
      if (word !== undefined) return;
      this.#changed.add(id);
      this.#isOutdated = true;
      if (this.#hasIndex) this.#timer ??= setTimeout(() => void this.update().catch(() => {}), delay);
    });
  }

  /** Another object for the same store, which is open where the one before may be closed. */
  set store(store: Store) {
    this.#store = store;
    const sealing = sealings.get(store);
    if (sealing === this.#sealing) return;
    // It may be locked where the one before is not.
    this.#forgetLock();
    this.#forget();
    this.#sealing = sealing;
    this.#forgetLock = sealing?.onLock(() => this.#forget()) ?? (() => {});
  }

  async search(wanted: Wanted): Promise<SearchResult> {
    return this.#again(() => this.#search(wanted));
  }

  async #search(wanted: Wanted): Promise<SearchResult> {
    const query = queryOf(wanted.text);
    if (query.words.length === 0) return { hits: [], more: false, pending: 0 };
    const { outlines, hasEvents, events, infos, pending } = await (this.#hasIndex ? this.#indexed(query, wanted) : this.#read(wanted));
    const isWanted = ({ id, isOfSubagent, isTrashed }: Outline) =>
      (wanted.conversationId === undefined || id === wanted.conversationId) &&
      (wanted.subagents || !isOfSubagent) &&
      isTrashed === wanted.trashed;
    const hits: SearchHit[] = [];
    for (let next = 0; next < outlines.length && hits.length <= wanted.limit; ) {
      const ids: string[] = [];
      for (; next < outlines.length && ids.length < atOnce; next++) {
        const outline = outlines[next]!;
        if (isWanted(outline) && (hasEvents(outline.id) || titleIn(outline, query))) ids.push(outline.id);
      }
      const found = ids.map(async (id) => {
        const [info] = await infos([id]);
        wanted.signal?.throwIfAborted();
        return info && isWanted(outlineOf(info)) ? hitsIn(info, events(info), query, wanted) : [];
      });
      hits.push(...(await Promise.all(found)).flat());
    }
    if (this.#isOutdated) void this.#isUpdated();
    return { hits: hits.slice(0, wanted.limit), more: hits.length > wanted.limit, pending };
  }

  /** Takes into the index whatever it does not have. One at a time, also among tabs. */
  async update(onProgress?: Listener): Promise<void> {
    if (!this.#hasIndex) return;
    if (onProgress) this.#listeners.add(onProgress);
    this.#updating ??= this.#again(() => this.#inTurn()).finally(() => (this.#updating = undefined));
    try {
      await this.#updating;
    } finally {
      if (onProgress) this.#listeners.delete(onProgress);
    }
  }

  /** Does this, and once more if the index has gone meanwhile. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof IndexGone)) throw error;
      this.#isOutdated = true;
      return work();
    }
  }

  /** That of the database. Never the same for what is sealed, so that nothing readable gets among it. */
  get #name(): string {
    return `${this.#sealing ? "threadkeep-sealed-search" : plain}:${this.#store.name}`;
  }

  async #index(): Promise<SearchIndex> {
    this.#connection ??= this.#connect();
    return (await this.#connection).index;
  }

  async #connect(): Promise<Connection> {
    try {
      const key = await this.#sealing?.indexKey();
      // One of the time when the store was not sealed.
      if (key) indexedDB.deleteDatabase(`${plain}:${this.#store.name}`);
      return await connect(this.#name, key);
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  /** Forgets the key, and whatever can only be read with it. */
  #forget(): void {
    this.#connection?.then(
      ({ end }) => end(),
      () => {},
    );
    this.#connection = this.#infos = undefined;
    this.#isOutdated = true;
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
    await (locks ? locks.request(this.#name, work) : work());
  }

  /** The conversations as they are now, the latest first. */
  #listed(): Promise<ConversationInfo[]> {
    const before = this.#infos;
    if (before && this.#changed.size === 0) return before;
    const changed = [...this.#changed];
    this.#changed.clear();
    const infos = before ? before.then((known) => this.#refreshed(known, changed)) : listAll(this.#store);
    this.#infos = infos;
    infos.catch(() => {
      if (this.#infos === infos) this.#infos = undefined;
    });
    return infos;
  }

  async #refreshed(known: ConversationInfo[], changed: string[]): Promise<ConversationInfo[]> {
    const infos = byId(await infosOf(this.#store, changed));
    // With one that is gone, those of its sub-agents are.
    if (known.some(({ id }) => changed.includes(id) && !infos.has(id))) return listAll(this.#store);
    return [...known.filter(({ id }) => !infos.has(id)), ...infos.values()].sort(byTime);
  }

  async #takeIn(): Promise<void> {
    const index = await this.#index();
    const [infos, known] = [await this.#listed(), await index.indexed()];
    const states = new Map(known.map((state) => [state.id, state]));
    const existing = byId(infos);
    const gone = known.filter((state) => !isIn(existing.get(state.id), state)).map(({ id }) => id);
    if (gone.length > 0) await index.remove(gone);
    for (const id of gone) states.delete(id);
    const total = infos.reduce((sum, { eventCount }) => sum + eventCount, 0);
    let done = [...states.values()].reduce((sum, { length }) => sum + length, 0);
    const pageYield = new PageYield(undefined);
    let length = 0;
    let added = 0;
    let isChanged = false;
    const store = async () => {
      if (added === 0 && !isChanged) return;
      await index.store();
      isChanged = false;
      done += added;
      length = added = 0;
      for (const listener of this.#listeners) listener({ done, total });
    };
    for (const info of infos) {
      const [state, of] = [states.get(info.id), outlineOf(info)];
      if (!state || !isSame(state, of)) {
        await index.add({ of, start: state?.length ?? 0, events: [] });
        isChanged = true;
      }
      for await (const page of this.#newEvents(index, info, state, pageYield)) {
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
    info: ConversationInfo,
    state: Indexed | undefined,
    pageYield: PageYield,
  ): AsyncGenerator<{ length: number; count: number }> {
    const { id, eventCount } = info;
    let next = state?.length ?? 0;
    if (next >= eventCount) return;
    const page = new Page(pageLength);
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
        await index.add({ of: outlineOf(info), start: next, events: events.map((event) => ({ id: event.id, json: event.json })) });
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

  /** The events that have all words according to the index. */
  async #indexed(query: Query, { perConversation }: Wanted): Promise<Place> {
    const index = await this.#index();
    // More than are wanted, because pairs of letters may be there without their run, and the log may have changed since.
    const find = () => index.find(query.words, 4 * perConversation + 50);
    // In this order: the rows may be older than what was found, so nothing is missing there of which they do not tell.
    const ask = () => Promise.all([index.indexed(), find()]);
    let answers = this.#infos ? undefined : await ask();
    // Reading a long list would hold up the first hits of a page, which the index alone can give.
    const isFirst = answers !== undefined && answers[0].length > shortList;
    const isUpToDate = !isFirst && ((await withTimeout(this.#isUpdated(), patience)) ?? false);
    if (!answers || !isFirst) answers = await ask();
    const [rows, candidates] = answers;
    const found = new Map(candidates.map(({ id, events }) => [id, events]));
    const infos = isFirst ? undefined : await withTimeout(this.#listed(), patience);
    const store = this.#store;
    const known = infos && byId(infos);
    return {
      outlines: infos ? infos.map(outlineOf) : rows.sort((one, other) => other.updatedAt - one.updatedAt),
      hasEvents: (id) => found.has(id),
      async *events({ id }) {
        const places = found.get(id) ?? [];
        for (let first = 0; first < places.length; first += eventsAtOnce) {
          const reading = places
            .slice(first, first + eventsAtOnce)
            .map((at) => asked("events", timeout, () => store.events(id, at, at + 1)));
          for (const [event] of await Promise.all(reading)) if (event) yield event;
        }
      },
      // The rows may be older than the store.
      infos: async (ids) => (known ? ids.map((id) => known.get(id)!) : infosOf(store, ids)),
      pending: isUpToDate ? 0 : infos ? missingIn(infos, rows) : Number.POSITIVE_INFINITY,
    };
  }

  async #isUpdated(): Promise<boolean> {
    return this.update().then(
      () => true,
      () => false,
    );
  }

  /** All events of each conversation. */
  async #read({ signal }: Wanted): Promise<Place> {
    const [store, pageYield] = [this.#store, new PageYield(signal)];
    const infos = await this.#listed();
    const known = byId(infos);
    return {
      outlines: infos.map(outlineOf),
      hasEvents: () => true,
      async *events({ id, eventCount }) {
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
      },
      infos: async (ids) => ids.map((id) => known.get(id)!),
      pending: 0,
    };
  }
}

const byId = (infos: ConversationInfo[]) => new Map(infos.map((info) => [info.id, info]));

/** How many events the index does not have. */
function missingIn(infos: ConversationInfo[], rows: Indexed[]): number {
  const lengths = new Map(rows.map(({ id, length }) => [id, length]));
  return infos.reduce((sum, { id, eventCount }) => sum + Math.max(0, eventCount - (lengths.get(id) ?? 0)), 0);
}

/** The hits in one conversation. */
async function hitsIn(
  info: ConversationInfo,
  events: AsyncIterable<StoredEvent>,
  query: Query,
  { perConversation, limit, signal }: Wanted,
): Promise<SearchHit[]> {
  const title = titleIn(outlineOf(info), query);
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

/** Without the tag the title is the beginning of a message, which is found itself. */
const titleIn = ({ title }: Outline, query: Query) => (title === null ? undefined : placeIn([{ path: [], text: title }], query));

/** Whether the events in the index are of this conversation. */
function isIn(info: ConversationInfo | undefined, { createdAt, length }: Indexed): boolean {
  return info !== undefined && Number(info.createdAt) === createdAt && info.eventCount >= length;
}

function outlineOf({ id, createdAt, updatedAt, tags, parentId, trashedAt }: ConversationInfo): Outline {
  return {
    id,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    title: tags.title ?? null,
    isOfSubagent: parentId !== null,
    isTrashed: trashedAt !== null,
  };
}

const isSame = (one: Outline, other: Outline): boolean =>
  (Object.keys(other) as Array<keyof Outline>).every((name) => one[name] === other[name]);

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
