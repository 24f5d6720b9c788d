// Stores profiles in an IndexedDB database of their own: one row per name, JSON texts.
import { type ErrorCode, ThreadkeepError, textOf } from "../errors.js";
import type { ProfileStorage } from "../profiles.js";

const table = "profiles";

/** Each use opens the database anew, so that no open connection can block another tab. */
export function databaseOf(name: string): ProfileStorage {
  return {
    read: (key) => within(name, "readonly", (rows) => rows.get(key) as IDBRequest<string | undefined>),
    write: (key, json) => within<unknown>(name, "readwrite", (rows) => (json === undefined ? rows.delete(key) : rows.put(json, key)) as IDBRequest).then(() => {}),
    names: () => within(name, "readonly", (rows) => rows.getAllKeys() as IDBRequest<string[]>),
  };
}

/** The result of the request that `ask` makes, once its transaction is complete. */
async function within<T>(name: string, mode: IDBTransactionMode, ask: (rows: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  if (typeof indexedDB === "undefined") {
    throw new ThreadkeepError("store_unavailable", "there is no IndexedDB here: pass an object with read(), write() and names() to LLMProfileStore");
  }
  const database = await opened(name);
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(table, mode, { durability: "strict" });
      const request = ask(transaction.objectStore(table));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(failure(transaction.error));
    });
  } finally {
    database.close();
  }
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(`${name}-profiles`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }).catch((error: DOMException | null) => {
    throw failure(error);
  });
}

const codes: { [name: string]: ErrorCode } = { QuotaExceededError: "store_quota", SecurityError: "store_unavailable", VersionError: "store_blocked" };

function failure(error: DOMException | null): ThreadkeepError {
  // Chromium's error has no name of its own if the user lets no site store anything.
  const code = error?.message.includes("denied permission") ? "store_unavailable" : (codes[error?.name ?? ""] ?? "store_corrupt");
  return new ThreadkeepError(code, `profiles could not be read or written: ${textOf(error)}`, { cause: error });
}
