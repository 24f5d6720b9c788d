// Small databases beside that of the conversations: one table, rows by key.
import { type ErrorCode, ThreadkeepError, fieldOf, isA, textOf } from "../input/errors.js";

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
  let database: IDBDatabase | undefined;
  try {
    database = await opened(table);
    return await answered(database.transaction(table.name, mode, { durability: "strict" }), table, ask);
  } catch (error) {
    throw isA(error, ThreadkeepError) ? error : fromDatabase(table.name, error);
  } finally {
    database?.close();
  }
}

/** The result of the request, or what its transaction has failed with; throws for a value that cannot be stored. */
function answered<T>(transaction: IDBTransaction, { name }: Table, ask: (rows: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const request = ask(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

function opened({ database, name }: Table): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

const codes: { [name: string]: ErrorCode } = {
  QuotaExceededError: "store_quota",
  SecurityError: "store_unavailable",
  VersionError: "store_blocked",
  DataCloneError: "invalid_options",
};

/** An error of a database in which this is stored, as one of the library. */
export function fromDatabase(name: string, error: unknown): ThreadkeepError {
  // Chromium's error has no name of its own if the user lets no site store anything.
  const isDenied = textOf(error).includes("denied permission");
  const code = isDenied ? "store_unavailable" : (codes[String(fieldOf(error, "name"))] ?? "store_corrupt");
  return new ThreadkeepError(code, `${name} could not be read or written: ${textOf(error)}`, { cause: error });
}
