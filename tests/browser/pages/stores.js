// Shared by the page tests of stores: the suite of stores, commits, and a store that a host could provide.
import initialize, * as kit from "/pkg/threadkeep_testing.js";

await initialize({ module_or_path: "/pkg/threadkeep_testing_bg.wasm" });

export { kit };
export const conversation = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** A commit of events `expectedLength..expectedLength + count`, in the form of `js/store/store.ts`. */
export function commit(expectedLength, count = 0, more = {}) {
  const events = Array.from({ length: count }, (_, n) => ({ id: eventId(expectedLength + n), json: `{"n":${expectedLength + n}}` }));
  return { expectedLength, events, files: [], at: 1000, durability: "relaxed", ...more };
}

export function eventId(n) {
  return `e0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** The outcome of a promise: `["ok", value]` or `[code, message]`. */
export async function outcome(promise) {
  try {
    return ["ok", await promise];
  } catch (error) {
    return [error?.code ?? "no code", error?.message ?? String(error)];
  }
}

/** Runs each case of the suite with `run(name)`; the failures, as `name: what did not hold`. */
export async function failures(run) {
  const failed = [];
  for (const name of kit.conformanceCases()) {
    const failure = await run(name);
    if (failure !== undefined) failed.push(`${name}: ${failure.message}`);
  }
  return failed;
}

/** The whole database as it is stored, by table. */
export function contents(name) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction([...database.objectStoreNames]);
      const found = {};
      for (const table of database.objectStoreNames) {
        const keys = transaction.objectStore(table).getAllKeys();
        keys.onsuccess = () => (found[table] = keys.result);
      }
      transaction.oncomplete = () => {
        database.close();
        resolve(found);
      };
    };
  });
}

/** Stores of a host, in a Map, each place once. */
export class MapStore {
  static #places = new Map();
  #conversations;
  #closed = false;

  constructor(place) {
    if (!MapStore.#places.has(place)) MapStore.#places.set(place, new Map());
    this.#conversations = MapStore.#places.get(place);
  }

  async list() {
    this.#check();
    return [...this.#conversations].filter(([, kept]) => kept.baseState !== undefined).map(([id, kept]) => listing(id, kept));
  }

  async load(id) {
    this.#check();
    const kept = this.#conversations.get(id);
    return kept?.baseState === undefined ? undefined : listing(id, kept);
  }

  async events(id, start, end) {
    this.#check();
    const events = this.#conversations.get(id)?.events ?? [];
    return events.slice(start, end).map((event, n) => ({ ...event, index: start + n }));
  }

  async indexOf(id, event) {
    this.#check();
    const index = this.#conversations.get(id)?.events.findIndex((of) => of.id === event) ?? -1;
    return index < 0 ? undefined : index;
  }

  async commit(id, { expectedLength, createdAt, writer, truncateTo, events, baseState, files, at }) {
    this.#check();
    const stored = this.#conversations.get(id);
    const kept = stored ?? { events: [], files: new Map(), createdAt: at, updatedAt: at, writer: 0 };
    if (createdAt !== undefined && createdAt !== stored?.createdAt)
      throw Object.assign(new Error("another conversation"), { code: "locked_elsewhere" });
    if (kept.events.length !== expectedLength) throw Object.assign(new Error("another length"), { code: "locked_elsewhere" });
    if (writer && writer.expected !== kept.writer) throw Object.assign(new Error("another writer"), { code: "locked_elsewhere" });
    if (writer) kept.writer = writer.next;
    if (truncateTo !== undefined) kept.events.length = Math.min(kept.events.length, truncateTo);
    kept.events.push(...events);
    if (baseState !== undefined) kept.baseState = baseState;
    for (const { path, content } of files) content === null ? kept.files.delete(path) : kept.files.set(path, content);
    kept.updatedAt = Math.max(kept.updatedAt, at);
    this.#conversations.set(id, kept);
  }

  async files(id) {
    this.#check();
    return [...(this.#conversations.get(id)?.files.keys() ?? [])];
  }

  async readFile(id, path) {
    this.#check();
    return this.#conversations.get(id)?.files.get(path);
  }

  async delete(id) {
    this.#check();
    this.#conversations.delete(id);
  }

  close() {
    this.#closed = true;
  }

  #check() {
    if (this.#closed) throw Object.assign(new Error("closed"), { code: "invalid_state" });
  }
}

function listing(conversation, { baseState, events, createdAt, updatedAt, writer }) {
  return { conversation, baseState, length: events.length, createdAt, updatedAt, writer };
}
