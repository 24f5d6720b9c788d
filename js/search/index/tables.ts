// The database of an index.
//
// The tables:
//   conversations  by id: what is known of each, how much of it is in the index, and its blocks of numbers
//   segments       by number: see segment.ts
//   pages          by segment and place: the pages of the segments
//   counters       the next block, the next segment, and how often the index was changed
//
// Rows may be sealed, all but those of `counters`. A transaction ends while a row is sealed or opened, so nothing is computed within one:
// a change is computed from what was read, and written only if nobody has changed the index meanwhile.
import type { Postings } from "./postings.js";
import { type Indexed, lost } from "./protocol.js";
import { type Seal, noSeal } from "./seal.js";
import type { Segment } from "./segment.js";

const version = 2;
const tables = ["conversations", "segments", "pages", "counters"] as const;

type Tables = Record<(typeof tables)[number], IDBObjectStore>;

export interface Row extends Indexed {
  /** Its blocks, in the order of the log. */
  blocks: number[];
}

/** All but the pages, as of a number of changes. Never changes. */
export interface State {
  changes: number;
  nextBlock: number;
  nextSegment: number;
  conversations: ReadonlyMap<string, Row>;
  segments: ReadonlyMap<number, Segment>;
}

/** A change of the index. */
export interface Change {
  /** Conversations to be written, and the ids of those that are to be removed. */
  rows?: Row[];
  removed?: string[];
  nextBlock?: number;
  /** A segment to be added, and the numbers of those that are to be removed. */
  added?: { segment: Segment; pages: Postings[] };
  dropped?: number[];
}

/** The pages of a segment from one place up to another. */
export type Range = [segment: number, from: number, to: number];

type Entry = [key: IDBValidKey, row: unknown];

/** Thrown if the index was changed meanwhile. */
export class Overtaken extends Error {}

export class IndexTables {
  readonly #name: string;
  readonly #seal: Seal;
  #database: Promise<IDBDatabase> | undefined;
  #state: State | undefined;
  #reading: Promise<State> | undefined;

  /** @param name That of the database. */
  constructor(name: string, seal: Seal = noSeal) {
    this.#name = name;
    this.#seal = seal;
  }

  /** The state known last; it may have been changed since, also by another page. */
  async known(): Promise<State> {
    return this.#state ?? this.current();
  }

  /** The state as it is now. */
  async current(): Promise<State> {
    // A query asks for it several times at once.
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<State> {
    // Another call may forget it meanwhile.
    const known = this.#state;
    const read = await this.#within("readonly", async ({ conversations, segments, counters }) => {
      const changes = await counterOf(counters, "changes");
      if (known?.changes === changes) return undefined;
      const [nextBlock, nextSegment] = await Promise.all([counterOf(counters, "blocks"), counterOf(counters, "segments")]);
      return { changes, nextBlock, nextSegment, rows: await entries(conversations), segments: await entries(segments) };
    });
    if (!read) return known!;
    const { rows, segments, ...counters } = read;
    this.#state = {
      ...counters,
      conversations: new Map((await this.#opened("conversations", rows, read.changes)) as Array<[string, Row]>),
      segments: new Map((await this.#opened("segments", segments, read.changes)) as Array<[number, Segment]>),
    };
    return this.#state;
  }

  /** The pages in these ranges, of each list of them. @throws Overtaken */
  async pages(state: State, lists: Range[][]): Promise<Postings[][]> {
    const read = await this.#within("readonly", async ({ pages, counters }) => {
      const pagesIn = async ([segment, from, to]: Range) => {
        const rows = await result<unknown[]>(pages.getAll(IDBKeyRange.bound([segment, from], [segment, to])));
        return rows.map((row, place): Entry => [[segment, from + place], row]);
      };
      const all = lists.map(async (ranges) => (await Promise.all(ranges.map(pagesIn))).flat());
      const [changes, rows] = await Promise.all([counterOf(counters, "changes"), Promise.all(all)]);
      return changes === state.changes ? rows : this.#overtaken(state);
    });
    return Promise.all(read.map(async (rows) => (await this.#opened("pages", rows, state.changes)).map(([, page]) => page as Postings)));
  }

  /** Stores a change in one transaction. @throws Overtaken */
  async change(state: State, { rows = [], removed = [], nextBlock = state.nextBlock, added, dropped = [] }: Change): Promise<void> {
    const number = state.nextSegment;
    const nextSegment = added ? number + 1 : number;
    const values: Array<[(typeof tables)[number], IDBValidKey, object]> = rows.map((row) => ["conversations", row.id, row]);
    if (added) {
      values.push(["segments", number, added.segment]);
      for (const [place, page] of added.pages.entries()) values.push(["pages", [number, place], page]);
    }
    const stored = await Promise.all(
      values.map(async ([table, key, value]) => [table, key, await this.#seal.close(placeOf(table, key), value)] as const),
    );
    const changes = state.changes + 1;
    await this.#within("readwrite", async (tables) => {
      if ((await counterOf(tables.counters, "changes")) !== state.changes) this.#overtaken(state);
      for (const id of removed) tables.conversations.delete(id);
      for (const segment of dropped) {
        tables.segments.delete(segment);
        tables.pages.delete(IDBKeyRange.bound([segment], [segment, []]));
      }
      for (const [table, key, row] of stored) tables[table].put(row, key);
      for (const [name, value] of Object.entries({ blocks: nextBlock, segments: nextSegment, changes })) tables.counters.put(value, name);
    });
    const [conversations, segments] = [new Map(state.conversations), new Map(state.segments)];
    for (const id of removed) conversations.delete(id);
    for (const row of rows) conversations.set(row.id, row);
    for (const segment of dropped) segments.delete(segment);
    if (added) segments.set(number, added.segment);
    this.#state = { changes, nextBlock, nextSegment, conversations, segments };
  }

  close(): void {
    this.#database?.then(
      (database) => database.close(),
      () => {},
    );
    this.#state = undefined;
  }

  #overtaken(state: State): never {
    if (this.#state === state) this.#state = undefined;
    throw new Overtaken();
  }

  /** The values of rows, as of a number of changes. If one of them cannot be opened, the index is emptied, because it can be made again. */
  async #opened(table: (typeof tables)[number], rows: Entry[], changes: number): Promise<Entry[]> {
    if (this.#seal === noSeal) return rows;
    try {
      return await Promise.all(rows.map(async ([key, row]): Promise<Entry> => [key, await this.#seal.open(placeOf(table, key), row)]));
    } catch {
      await this.#within("readwrite", async (tables) => {
        // Another page may have made it again meanwhile.
        if ((await counterOf(tables.counters, "changes")) !== changes) return;
        for (const name of ["conversations", "segments", "pages"] as const) tables[name].clear();
        tables.counters.put(changes + 1, "changes");
      });
      throw new DOMException("a row of the index could not be opened", lost);
    }
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
        const forget = () => {
          this.#database = undefined;
          this.#state = undefined;
        };
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
    const request = indexedDB.open(name, version);
    request.onupgradeneeded = () => {
      // An index in an earlier form is made again.
      for (const table of request.result.objectStoreNames) request.result.deleteObjectStore(table);
      for (const table of tables) request.result.createObjectStore(table);
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

const counterOf = async (counters: IDBObjectStore, name: string) => (await result<number | undefined>(counters.get(name))) ?? 0;

/** All rows of a table with their keys. */
async function entries(table: IDBObjectStore): Promise<Entry[]> {
  const [keys, rows] = await Promise.all([result<IDBValidKey[]>(table.getAllKeys()), result<unknown[]>(table.getAll())]);
  return rows.map((row, i) => [keys[i]!, row]);
}

const placeOf = (table: string, key: IDBValidKey): string => JSON.stringify([table, key]);
