// The index in a database of its own. It leads from words to events, and is read from the database for each query, so it may be larger
// than the memory. Runs in a worker, or in the page where there is none.
//
// An event has a number, so that a word needs only numbers. Numbers are given to conversations in blocks of 256.
//
// The tables:
//   conversations  by id: how much of each is in the index, and its blocks
//   segments       by number: see segment.ts
//   pages          by segment and place: the pages of the segments
//   counters       the next block, the next segment, and how often conversations were changed
import { textsIn } from "../event-texts.js";
import type { QueryWord } from "../types.js";
import { eachWord } from "../words.js";
import { type Postings, type Words, addTo, addWord, eachMatch } from "./postings.js";
import type { Events, Indexed, SearchIndex } from "./protocol.js";
import { type Segment, blockLength, blockOf, pagesWith, segmentOf, toMerge } from "./segment.js";

interface Row extends Indexed {
  /** Its blocks, in the order of the log. */
  blocks: number[];
}

/** The events of a conversation that are not stored yet. */
interface Added {
  createdAt: number;
  start: number;
  length: number;
  last: string;
  /** With the indexes of the events. */
  words: Words;
}

const tables = ["conversations", "segments", "pages", "counters"] as const;

type Tables = Record<(typeof tables)[number], IDBObjectStore>;

export class StoredIndex implements SearchIndex {
  readonly #name: string;
  #database: Promise<IDBDatabase> | undefined;
  #added = new Map<string, Added>();
  /** Of each block the conversation, and the index of its first event; as of a number of changes. */
  #owners: { changes: number; of: Map<number, { id: string; start: number }> } | undefined;

  /** @param name That of the database. */
  constructor(name: string) {
    this.#name = name;
  }

  async indexed(): Promise<Indexed[]> {
    const rows = await this.#within("readonly", ({ conversations }) => result<Row[]>(conversations.getAll()));
    return rows.map(({ id, createdAt, length, last }) => ({ id, createdAt, length, last }));
  }

  async add({ id, createdAt, start, events }: Events): Promise<void> {
    const before = this.#added.get(id);
    // After an update that has failed, what it had added comes again.
    const added = before?.length === start ? before : { createdAt, start, length: start, last: "", words: new Map() };
    this.#added.set(id, added);
    for (const event of events) {
      const index = added.length++;
      added.last = event.id;
      for (const { text } of textsIn(event.json))
        eachWord(text, (word) => {
          const indexes = added.words.get(word);
          if (!indexes) added.words.set(word, [index]);
          else if (indexes.at(-1) !== index) indexes.push(index);
        });
    }
  }

  async store(): Promise<void> {
    const added = this.#added;
    this.#added = new Map();
    if (added.size === 0) return;
    await this.#within("readwrite", async (tables) => {
      const all: Words = new Map();
      for (const [id, { createdAt, start, length, last, words }] of added) {
        const known = await result<Row | undefined>(tables.conversations.get(id));
        const row = known ?? { id, createdAt, length: 0, last: "", blocks: [] };
        // Another page has been faster.
        if (row.length !== start || row.createdAt !== createdAt) continue;
        const { blocks } = row;
        while (blocks.length * blockLength < length) blocks.push(await next(tables, "blocks"));
        const numberOf = (index: number) => blocks[blockOf(index)]! * blockLength + (index % blockLength);
        for (const [word, indexes] of words) addWord(all, word, indexes.map(numberOf));
        tables.conversations.put({ id, createdAt, length, last, blocks } satisfies Row);
      }
      await addSegment(tables, all);
      await next(tables, "changes");
    });
    while (await this.#merge());
  }

  async remove(ids: string[]): Promise<void> {
    for (const id of ids) this.#added.delete(id);
    await this.#within("readwrite", async (tables) => {
      const { conversations, segments } = tables;
      const gone = new Set<number>();
      for (const id of ids) {
        const row = await result<Row | undefined>(conversations.get(id));
        for (const block of row?.blocks ?? []) gone.add(block);
        conversations.delete(id);
      }
      if (gone.size === 0) return;
      for (const key of await result<IDBValidKey[]>(segments.getAllKeys())) {
        const segment = await result<Segment>(segments.get(key));
        if (segment.blocks.some((block) => gone.has(block))) await rewrite(tables, [key], gone);
      }
      await next(tables, "changes");
    });
  }

  async find(wanted: QueryWord[], most: number): Promise<Array<{ id: string; events: number[] }>> {
    return this.#within("readonly", async (tables) => {
      const segments = await entries<Segment>(tables.segments);
      const pagesOf = async (word: QueryWord) => {
        const read = segments.map(async ([key, segment]) => {
          const range = pagesWith(segment, word);
          return range ? result<Postings[]>(tables.pages.getAll(IDBKeyRange.bound([key, range[0]], [key, range[1]]))) : [];
        });
        return (await Promise.all(read)).flat();
      };
      const pages = await Promise.all(wanted.map(pagesOf));
      const owners = await this.#ownersIn(tables);
      // Of each event, how many of the words it has.
      const counts = new Uint8Array(blockLength * ((await result<number | undefined>(tables.counters.get("blocks"))) ?? 0));
      for (const [place, word] of wanted.entries())
        for (const page of pages[place]!)
          eachMatch(page, word, (numbers) => {
            for (const number of numbers) if (counts[number] === place) counts[number] = place + 1;
          });
      const found = new Map<string, number[]>();
      for (let number = counts.length - 1; number >= 0; number--) {
        const owner = counts[number] === wanted.length && owners.get(blockOf(number));
        if (!owner) continue;
        const events = found.get(owner.id) ?? [];
        found.set(owner.id, events);
        if (events.length < most) events.push(owner.start + (number % blockLength));
      }
      return [...found].map(([id, events]) => ({ id, events }));
    });
  }

  /** The conversations of the blocks, which are read again when they have changed. */
  async #ownersIn({ counters, conversations }: Tables): Promise<Map<number, { id: string; start: number }>> {
    const changes = (await result<number | undefined>(counters.get("changes"))) ?? 0;
    if (this.#owners?.changes !== changes) {
      const of = new Map<number, { id: string; start: number }>();
      for (const { id, blocks } of await result<Row[]>(conversations.getAll()))
        for (const [place, block] of blocks.entries()) of.set(block, { id, start: place * blockLength });
      this.#owners = { changes, of };
    }
    return this.#owners.of;
  }

  /** Merges segments, if there are several of a size. Resolves to whether there were. */
  async #merge(): Promise<boolean> {
    return this.#within("readwrite", async (tables) => {
      const keys = toMerge(await entries<Segment>(tables.segments));
      if (keys.length > 0) await rewrite(tables, keys, new Set());
      return keys.length > 0;
    });
  }

  /** Does this in a transaction, and resolves once that is complete. */
  async #within<T>(mode: IDBTransactionMode, work: (tables: Tables) => Promise<T>): Promise<T> {
    const database = await this.#open();
    // It can be made again from the conversations.
    const transaction = database.transaction(tables, mode, { durability: "relaxed" });
    const over = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
    });
    over.catch(() => {});
    try {
      const done = await work(Object.fromEntries(tables.map((name) => [name, transaction.objectStore(name)])) as Tables);
      await over;
      return done;
    } catch (error) {
      try {
        transaction.abort();
      } catch {
        // It has ended because of the error, which says more.
        await over;
      }
      throw error;
    }
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= opened(this.#name).then(
      (database) => {
        // Another page removes it, or the browser: the next call opens it again.
        const forget = () => (this.#database = undefined);
        database.onversionchange = () => {
          forget();
          database.close();
        };
        database.onclose = forget;
        return database;
      },
      (error: unknown) => {
        this.#database = undefined;
        throw error;
      },
    );
    return this.#database;
  }
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      for (const name of tables) request.result.createObjectStore(name, name === "conversations" ? { keyPath: "id" } : undefined);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function result<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });
}

/** The next number of this kind. */
async function next({ counters }: Tables, name: "blocks" | "segments" | "changes"): Promise<number> {
  const number = (await result<number | undefined>(counters.get(name))) ?? 0;
  counters.put(number + 1, name);
  return number;
}

/** All rows of a table with their keys. */
async function entries<T>(table: IDBObjectStore): Promise<Array<[IDBValidKey, T]>> {
  const [keys, rows] = await Promise.all([result<IDBValidKey[]>(table.getAllKeys()), result<T[]>(table.getAll())]);
  return rows.map((row, i) => [keys[i]!, row]);
}

async function addSegment(tables: Tables, words: Words): Promise<void> {
  if (words.size === 0) return;
  const number = await next(tables, "segments");
  const { segment, pages } = segmentOf(words);
  tables.segments.put(segment, number);
  for (const [place, page] of pages.entries()) tables.pages.put(page, [number, place]);
}

/** Makes one segment of these, without the events of blocks that are gone. */
async function rewrite(tables: Tables, keys: IDBValidKey[], gone: ReadonlySet<number>): Promise<void> {
  const words: Words = new Map();
  for (const key of keys) {
    const range = IDBKeyRange.bound([key], [key, []]);
    for (const page of await result<Postings[]>(tables.pages.getAll(range))) addTo(words, page);
    tables.pages.delete(range);
    tables.segments.delete(key);
  }
  if (gone.size > 0)
    for (const [word, numbers] of words) {
      const left = numbers.filter((number) => !gone.has(blockOf(number)));
      if (left.length > 0) words.set(word, left);
      else words.delete(word);
    }
  await addSegment(tables, words);
}
