// A mirror remembers what is at the place, so that a commit costs what it has, and a new page compares only what may have changed. It is a
// cache: what it says counts only where it fits to what is found there.
import { bytesOf, hashOf } from "../../input/bytes.js";
import { type Table, within } from "../../store/database.js";

/** A base state that the place may have, and how much of the log is there with it. */
export interface KnownState {
  /** The hash of its text. */
  hash: string;
  /** The number of events of the store that are there, and the id of the last of them. */
  length: number;
  last: string | null;
  /** The number of the next event there. */
  next: number;
  /** Whether the events there have the places that they have in the store. */
  isSameOrder: boolean;
}

/** The knowledge about one conversation. */
export interface Known {
  /** The base state that was found or written last, and the one that is about to be written. */
  states: KnownState[];
  /** Whether the state there is one of another device that could not be taken in yet. */
  isHeld: boolean;
  /** The hashes of the further files that this mirror has written, by path; `null` if nothing is known of them. */
  files: Record<string, string> | null;
  /** `updatedAt` and length of the conversation when all of it was there. */
  whole: [updatedAt: number, length: number] | null;
  /** It was deleted here, and is not yet deleted there. */
  isDeleted?: true;
}

const table: Table = { database: "threadkeep-mirrors", name: "conversations", instead: "a mirror then compares everything anew" };

export class Memory {
  readonly #rows = new Map<string, Known>();
  readonly #key: readonly [store: string, place: string] | undefined;

  /** @param key The names of the store and the place; without them, nothing outlives the page. */
  constructor(key: readonly [store: string, place: string] | undefined) {
    this.#key = key;
  }

  /** Reads what earlier pages have left. */
  async load(): Promise<void> {
    const key = this.#key;
    if (!key || typeof indexedDB === "undefined") return;
    this.#rows.clear();
    const range = IDBKeyRange.bound([...key], [...key, []]);
    const ask = <T>(get: (rows: IDBObjectStore) => IDBRequest<T>) => within(table, "readonly", get);
    try {
      const [keys, rows] = [await ask((rows) => rows.getAllKeys(range)), await ask((rows) => rows.getAll(range))];
      for (const [place, row] of (rows as Known[]).entries()) this.#rows.set((keys[place] as string[])[2]!, row);
    } catch {
      // Everything is compared anew.
      this.#rows.clear();
    }
  }

  get(id: string): Known | undefined {
    return this.#rows.get(id);
  }

  entries(): Iterable<[id: string, known: Known]> {
    return [...this.#rows];
  }

  set(id: string, known: Known): void {
    this.#rows.set(id, known);
  }

  /** Stores what is known of a conversation, or removes it. A failure costs a comparison later. */
  async save(id: string): Promise<void> {
    const key = this.#key;
    if (!key || typeof indexedDB === "undefined") return;
    const row = this.#rows.get(id);
    const write = (rows: IDBObjectStore) => (row ? rows.put(row, [...key, id]) : rows.delete([...key, id])) as IDBRequest<unknown>;
    await within(table, "readwrite", write).catch(() => {});
  }

  async forget(id: string): Promise<void> {
    if (this.#rows.delete(id)) await this.save(id);
  }
}

export const hashOfText = (text: string): Promise<string> => hashOf(bytesOf(text));
