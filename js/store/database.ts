// Small databases beside that of the conversations: one table, rows by key.
import { type ErrorCode, ThreadkeepError, textOf } from "../input/errors.js";

/** A table, in a database of its own. */
export interface Table {
  database: string;
  name: string;
  /** The advice for places without IndexedDB. */
  instead: string;
}

/**
 * The result of the request that `ask` makes, once its transaction is complete. Each use opens the database anew, so that no
 * open connection can block another tab.
 */
export async function within<T>(table: Table, mode: IDBTransactionMode, ask: (rows: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  if (typeof indexedDB === "undefined") throw new ThreadkeepError("store_unavailable", `there is no IndexedDB here: ${table.instead}`);
  const database = await opened(table);
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(table.name, mode, { durability: "strict" });
      const request = ask(transaction.objectStore(table.name));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(failure(table, transaction.error));
    });
  } finally {
    database.close();
  }
}

function opened(table: Table): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(table.database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table.name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }).catch((error: DOMException | null) => {
    throw failure(table, error);
  });
}

const codes: { [name: string]: ErrorCode } = {
  QuotaExceededError: "store_quota",
  SecurityError: "store_unavailable",
  VersionError: "store_blocked",
};

const failure = ({ name }: Table, error: DOMException | null) => fromDatabase(name, error);

/** An error of a database in which this is stored, as one of the library. */
export function fromDatabase(name: string, error: DOMException | null): ThreadkeepError {
  // Chromium's error has no name of its own if the user lets no site store anything.
  const code = error?.message.includes("denied permission") ? "store_unavailable" : (codes[error?.name ?? ""] ?? "store_corrupt");
  return new ThreadkeepError(code, `${name} could not be read or written: ${textOf(error)}`, { cause: error });
}
