// What a thread has shown last, kept beside its conversation in the same database, so that the next page shows it before the library's
// wasm is there.
//
// A picture is shown only while it is true: it names the position of HEAD, the end of the log and the tags, and the transaction that reads
// it compares them with what is stored. `src/store/rows/` describes these rows, and deletes a picture with its conversation.
import { type Store, indexedDBStore } from "threadkeep";
import type { MessagePart, UIMessage } from "./types.js";

/** Messages as they were shown last, with the title of then. */
export interface LastShown {
  messages: readonly UIMessage[];
  title: string | null;
}

/** What a thread shows of the log, and the state of the conversation that this belongs to. */
export interface Shown extends LastShown {
  /** The id of the last event that is shown. */
  leaf: string;
  /** The length of the log. */
  length: number;
  tags: unknown;
}

/** A row of the table of pictures. */
interface Row extends LastShown {
  basis: string;
}

/** All of what is stored that decides what a thread shows, but for what a picture leaves out. */
interface Basis {
  form: number;
  createdAt: number;
  length: number;
  last: string;
  written: number;
  leaf: unknown;
  tags: unknown;
}

/** A picture of another form is not shown: it has to change with the types of messages and parts. */
const form = 1;
const table = "pictures";
/** The most that is kept, in bytes of JSON. */
const most = 64_000;
/** How long nothing must have changed before a picture is made, in milliseconds. */
const quiet = 1_000;

/** The picture of one conversation. */
export class Picture {
  readonly #name: string;
  readonly #key: string;
  readonly #shown: () => Shown | null;
  /** That of the picture which is stored, as far as it is known. */
  #basis: string | null = null;
  /** It stays open, because the page may be closed right after a run. */
  #database: Promise<IDBDatabase | null> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  private constructor(name: string, id: string, shown: () => Shown | null) {
    this.#name = name;
    this.#key = keyOf(id);
    this.#shown = shown;
  }

  /** `null` for stores without pictures. `shown` returns what may be kept, `null` while something goes on. */
  static of(store: Store | null, id: string, shown: () => Shown | null): Picture | null {
    const name = databaseOf(store);
    return name === null ? null : new Picture(name, id, shown);
  }

  /** What was shown last; `null` if that is not known, or not true any more. Never rejects. */
  async read(): Promise<LastShown | null> {
    const row = await readPicture(await this.#opened(), this.#key);
    this.#basis = row?.basis ?? null;
    return row;
  }

  /** Something has changed: it is kept when the page is idle. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (typeof requestIdleCallback === "function") requestIdleCallback(this.keep, { timeout: quiet });
      else this.keep();
    }, quiet);
  }

  /** Keeps what is shown at this moment. */
  readonly keep = (): void => void this.#keep().catch(() => {});

  /** Rejects if the page has closed the conversation itself. */
  async #keep(): Promise<void> {
    const shown = this.#shown();
    if (shown !== null) this.#basis = await keepPicture(await this.#opened(), this.#key, shown, this.#basis);
  }

  /** Keeps what has changed last, and ends. */
  end(): void {
    const kept = this.#timer === null ? Promise.resolve() : this.#keep();
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const close = () => void this.#database?.then((database) => database?.close());
    void kept.then(close, close);
  }

  /** Opens the database, if it is not open; another time if there is none yet, or the connection was closed. */
  #opened(): Promise<IDBDatabase | null> {
    return (this.#database ??= opened(this.#name, () => (this.#database = null)).catch(() => null));
  }
}

/** The database of a store that keeps conversations in IndexedDB as they are; a sealed store, or one of the host, has no pictures. */
function databaseOf(store: Store | null): string | null {
  const name = store?.name;
  if (typeof indexedDB === "undefined" || typeof name !== "string" || name === "") return null;
  const isPlain = ([undefined, "strict", "relaxed"] as const).some((durability) => indexedDBStore(name, { durability }) === store);
  return isPlain ? name : null;
}

/** The key of a conversation in the database. */
export const keyOf = (id: string): string => id.replaceAll("-", "").toLowerCase();

/** The picture, if it is true. Never rejects. */
export function readPicture(database: IDBDatabase | null, key: string): Promise<Row | null> {
  return within(database, "readonly", async (transaction) => {
    const [row, basis] = await Promise.all([answer<Row | undefined>(transaction.objectStore(table).get(key)), basisOf(transaction, key)]);
    return row !== undefined && basis !== null && row.basis === JSON.stringify(basis) ? row : null;
  });
}

/**
 * Keeps a picture of what is shown, unless it is stored already or the log has gone on. Resolves to the basis of the picture that is
 * stored then, or to `null` if that is none of what is shown. Never rejects.
 */
export function keepPicture(database: IDBDatabase | null, key: string, shown: Shown, known: string | null): Promise<string | null> {
  return within(database, "readwrite", async (transaction) => {
    const found = await basisOf(transaction, key);
    if (found?.leaf !== shown.leaf || found.length !== shown.length || textOf(found.tags) !== textOf(shown.tags)) return null;
    const basis = JSON.stringify(found);
    if (basis === known) return basis;
    const row: Row = { basis, messages: lastOf(shown.messages), title: shown.title };
    const kept = answer(transaction.objectStore(table).put(row, key));
    // The page may be about to end.
    transaction.commit();
    await kept;
    return basis;
  });
}

const textOf = (tags: unknown): string => JSON.stringify(tags ?? null);

/** The state of a conversation with events, as it is stored; `null` for any other. */
async function basisOf(transaction: IDBTransaction, key: string): Promise<Basis | null> {
  const events = transaction.objectStore("events");
  const [head, cursor] = await Promise.all([
    answer(transaction.objectStore("conversations").get(key)),
    answer(events.openCursor(IDBKeyRange.bound([key], [key, []]), "prev")),
  ]);
  if (!head?.base_state || head.deleted) return null;
  // After a tombstone, or an event that the head knows, the head alone tells the state.
  const last = cursor?.value?.index >= head.length ? cursor?.value : null;
  const length = last ? last.index + 1 : head.length;
  const end = last ?? (await answer(events.get([key, length - 1])));
  if (!end) return null;
  const state = JSON.parse(last?.middle === undefined ? head.base_state : patched(head.base_state, last));
  const { leaf_event_id: leaf, tags } = state;
  return { form, createdAt: head.created_at, length, last: end.id, written: end.written, leaf, tags };
}

/** A base state with the change that the last row has. The lengths count bytes. */
function patched(text: string, { keep_start, keep_end, middle }: { keep_start: number; keep_end: number; middle: string }): string {
  const bytes = new TextEncoder().encode(text);
  const decoded = (part: Uint8Array) => new TextDecoder().decode(part);
  return decoded(bytes.subarray(0, keep_start)) + middle + decoded(bytes.subarray(bytes.length - keep_end));
}

/** The last messages, as many as may be kept; the end of the last one, if all of it is too much. */
export function lastOf(messages: readonly UIMessage[]): UIMessage[] {
  const last: UIMessage[] = [];
  let left = most;
  for (const message of [...messages].reverse()) {
    // Versions are arrows to press, and belong to the log rather than to this branch.
    const kept: UIMessage = { ...message, parts: [], versions: null };
    left -= sizeOf(kept);
    const parts: MessagePart[] = [];
    for (const part of message.parts.flatMap(settled).reverse()) {
      left -= sizeOf(part);
      if (left < 0) break;
      parts.unshift(part);
    }
    if (left < 0 && last.length > 0) break;
    if (parts.length > 0 || (message.role === "user" && left >= 0)) last.unshift({ ...kept, parts });
    if (left < 0) break;
  }
  return last;
}

/** With the comma behind it. */
const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length + 1;

/** The part without what is read beside the branch; nothing of a call that waits or is under way. */
function settled(part: MessagePart): MessagePart[] {
  if (part.type === "notice") return [{ ...part, forgotten: [] }];
  if (part.type !== "tool") return [part];
  return ["done", "error", "rejected"].includes(part.state) ? [{ ...part, subagent: [] }] : [];
}

/** The result of what is done in a transaction; `null` after any failure, and without a database. */
async function within<T>(
  database: IDBDatabase | null,
  mode: IDBTransactionMode,
  use: (transaction: IDBTransaction) => Promise<T | null>,
): Promise<T | null> {
  try {
    return database && (await use(database.transaction(["conversations", "events", table], mode, { durability: "relaxed" })));
  } catch {
    // Without a picture, or in a database of another form, the thread opens as if there were none.
    return null;
  }
}

/** Opens a database that exists; `null` if there is none. `closed` is called when it is not open any more. */
export function opened(name: string, closed: () => void): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    // Only the library makes a database.
    request.onupgradeneeded = () => request.transaction!.abort();
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = closed;
      // The library, or another tab, upgrades or deletes it.
      database.onversionchange = () => {
        database.close();
        closed();
      };
      resolve(database);
    };
    request.onerror = (event) => {
      event.preventDefault();
      closed();
      resolve(null);
    };
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
